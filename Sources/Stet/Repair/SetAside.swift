/// The folder of what a repair puts out of the way: `set-aside/<number>/…`, with the paths that things had in the store.
///
/// Nothing that a repair finds is removed or overwritten. It is made when the first thing is put there.
final class SetAside {
    private let layout: StoreLayout
    private var number = 0

    init(_ layout: StoreLayout) { self.layout = layout }

    /// Where all that was ever set aside lies.
    static func root(of layout: StoreLayout) -> String { layout.folder + "/" + StoreLayout.setAside }

    /// Gives a link in the place of the folder another name: it would lead what is set aside out of the store. Call first.
    func refuseLink() throws {
        let root = Self.root(of: layout)
        if try FileSystem.isLink(root) { try FileSystem.rename(root, to: root + ".link") }
    }

    /// A place for what stands at `path` of the store, in folders that are made for it.
    private func place(for path: String) throws -> String {
        let root = Self.root(of: layout)
        if number == 0 {
            try FileSystem.makeFolder(root)
            number = (try FileSystem.list(root).compactMap { Int($0) }.max() ?? 0) + 1
            try FileSystem.makeFolder("\(root)/\(number)")
        }
        var folder = "\(root)/\(number)"
        let parts = path.split(separator: "/")
        for part in parts.dropLast() {
            folder += "/" + part
            try FileSystem.makeFolder(folder)
        }
        // One path can be set aside more than once.
        let name = parts.last.map(String.init) ?? "unnamed"
        var candidate = folder + "/" + name
        var attempt = 1
        while try FileSystem.isThere(candidate) {
            attempt += 1
            candidate = "\(folder)/\(name).\(attempt)"
        }
        return candidate
    }

    /// Makes the names on the way to `place`, and it, survive power loss.
    private func syncFolders(to place: String) throws {
        var folder = layout.folder
        try FileSystem.syncFolder(folder)
        for part in layout.inStore(place).split(separator: "/").dropLast() {
            folder += "/" + part
            try FileSystem.syncFolder(folder)
        }
    }

    private func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    }

    /// Moves what stands at `path` out of the way. Returns what is to be told.
    func move(_ path: String) throws -> RepairReport.Step {
        let place = try place(for: layout.inStore(path))
        // A name that is moved into a folder which does not last is gone.
        try syncFolders(to: place)
        try FileSystem.rename(path, to: place)
        // A renaming lasts as a whole: where the new name does, the old one is gone.
        try FileSystem.syncFolder(folder(of: place))
        return .setAside(layout.inStore(path), as: layout.inStore(place))
    }

    /// Puts a new file in the place of what stands at `path`, which is set aside in the same step. Returns what is to be
    /// told of that; nil where nothing stood there.
    func replace(
        _ path: String, mode: UInt32, _ fill: (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> RepairReport.Step? {
        // The new file is written where the old one will be.
        let place = try place(for: layout.inStore(path))
        let file = try FileSystem.createExclusively(place, mode: mode)
        do {
            var offset = 0
            try fill { piece in
                try FileSystem.write(file, at: offset, piece)
                offset += piece.count
            }
            try FileSystem.sync(file)
        } catch {
            try? FileSystem.remove(place)
            throw error
        }
        try syncFolders(to: place)
        let wasThere = try FileSystem.isThere(path)
        if wasThere {
            try exchange(place, path)
        } else {
            try FileSystem.rename(place, to: path)
        }
        try FileSystem.syncFolder(folder(of: place))
        try FileSystem.syncFolder(folder(of: path))
        return wasThere ? .setAside(layout.inStore(path), as: layout.inStore(place)) : nil
    }

    private func exchange(_ new: String, _ old: String) throws {
        func place(_ path: String) throws -> FilePlace {
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            return FilePlace(try FileSystem.openFolder(folder(of: path)), name)
        }
        if try FileSystem.exchange(place(new), place(old)) == .done { return }
        // Where names cannot be exchanged, there is a moment without the file: running the repair again goes on from there.
        try FileSystem.rename(old, to: new + ".old")
        try FileSystem.rename(new, to: old)
        try FileSystem.rename(new + ".old", to: new)
    }
}

extension FileSystem {
    /// Whether a symbolic link is at `path`.
    fileprivate static func isLink(_ path: String) throws(SystemError) -> Bool {
        try statusOfItself(path)?.isLink == true
    }

    /// Whether anything at all, be it a link that leads nowhere, is at `path`.
    static func isThere(_ path: String) throws(SystemError) -> Bool { try statusOfItself(path) != nil }

    /// What is at `path`, which is absolute, be it a link.
    private static func statusOfItself(_ path: String) throws(SystemError) -> FileStatus? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let folder: FileDescriptor
        do throws(SystemError) {
            folder = try openFolder(String(path[..<slash]))
        } catch {
            if error.isMissing { return nil }
            throw error
        }
        return try status(FilePlace(folder, String(path[path.index(after: slash)...])))
    }
}
