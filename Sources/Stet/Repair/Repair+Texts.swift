// Texts whose files are missing or damaged: a copy of each is looked for wherever there may be one, and is believed for
// its hash alone.

extension Repair {
    /// Where a text is had from.
    enum TextSource {
        /// The bytes, and what is said of where they were.
        case memory([UInt8], String)
        /// A file of the store.
        case file(String)
        /// A file of the vault.
        case note(VaultFiles, VaultFile, NoteName)

        var words: String {
            switch self {
            case .memory(_, let place): place
            case .file(let path): path
            case .note(_, _, let name): "the file \(name)"
            }
        }
    }

    /// Whether the file of `object` has its bytes. One that cannot be read has not.
    func isWhole(_ object: ObjectID, size: Int? = nil) -> Bool { (try? objects.isWhole(object, size: size)) == true }

    // MARK: Putting back

    /// Gives `object` its file again, durably. What stood there is set aside. Returns whether the source had it.
    @discardableResult
    func restore(_ object: ObjectID, from source: TextSource) throws -> Bool {
        struct OtherBytes: Error {}
        let path = objects.path(object)
        do {
            if try FileSystem.isThere(path) {
                try did(
                    aside.replace(path, mode: 0o400) { write in
                        var hash = SHA256()
                        try read(source) { piece in
                            hash.update(piece)
                            try write(piece)
                        }
                        guard ObjectID(hash) == object else { throw OtherBytes() }
                    })
            } else {
                let file = try objects.startIncoming()
                do {
                    try read(source) { try file.append($0) }
                    try file.sync()
                    guard file.object == object else { throw OtherBytes() }
                    try objects.place(file, as: object)
                    try objects.syncNames(of: [object])
                } catch {
                    file.discard()
                    throw error
                }
            }
        } catch is OtherBytes {
            return false
        }
        try did(.textRestored(object, from: source.words))
        return true
    }

    private func read(_ source: TextSource, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        switch source {
        case .memory(let bytes, _): try bytes.withUnsafeBytes { if !$0.isEmpty { try body($0) } }
        case .file(let path): try Self.readFile(layout.folder + "/" + path, body)
        case .note(let files, let file, _):
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Outline.blockSize, alignment: 64)
            defer { buffer.deallocate() }
            _ = try files.read(file) { read in
                while case let count = try read(buffer), count > 0 {
                    try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            }
        }
    }

    private static func readFile(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let file = try FileSystem.openForReading(path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Outline.blockSize, alignment: 64)
        defer { buffer.deallocate() }
        var offset = 0
        while case let count = try FileSystem.read(file, at: offset, into: buffer), count > 0 {
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += count
        }
    }

    /// The hash of what is in a file; nil where it cannot be read.
    private static func hash(ofFile path: String) -> ObjectID? {
        var hash = SHA256()
        guard (try? readFile(path) { hash.update($0) }) != nil else { return nil }
        return ObjectID(hash)
    }

    // MARK: Looking

    /// Brings back every text of `index` that has no whole file and of which there is a copy. Returns the texts that have a
    /// whole file and no version.
    func restoreTexts(of index: StoreIndex) throws -> [ObjectID] {
        var search = TextSearch()
        let wanted = try index.objects()
        for (done, (object, size)) in wanted.enumerated() {
            if !isWhole(object, size: size) { search.lost[object] = size }
            if done.isMultiple(of: 64) { try advance(done, of: wanted.count, "reading texts") }
        }
        try lookIntoTree(wanted: Set(wanted.map(\.object)), &search)
        for object in search.lost.keys.sorted(by: { $0.description < $1.description }) {
            guard let bytes = try? index.journaled(object) else { continue }
            if try restore(object, from: .memory(bytes, "the journal")) { search.lost[object] = nil }
        }
        try restoreFromFiles(&search)
        try restoreFromVault(&search)
        for (object, size) in search.lost.sorted(by: { $0.key.description < $1.key.description }) {
            guard let bytes = Self.unflipped(objects.path(object), object, size: size) else { continue }
            try restore(object, from: .memory(bytes, "its own file, in which one bit had changed"))
        }
        return search.strangers
    }

    /// What is looked for, and where it may be.
    struct TextSearch {
        /// Texts without a whole file, and their sizes.
        var lost: [ObjectID: Int] = [:]
        /// Texts with a whole file that no version has.
        var strangers: [ObjectID] = []
        /// Files of the store that can hold anything: paths in the store, and sizes.
        var candidates: [(path: String, size: Int)] = []
    }

    /// Finds whole files that no version has, and files that hold something else than their names say.
    private func lookIntoTree(wanted: Set<ObjectID>, _ search: inout TextSearch) throws {
        for folder in ["caches", StoreLayout.setAside, "trash"] { try gather(folder, &search.candidates) }
        search.candidates.sort { $0.path < $1.path }
        search.candidates = search.candidates.filter { path, _ in
            let prefix = "caches/objects/"
            guard path.hasPrefix(prefix), path.utf8.count == prefix.utf8.count + 65 else { return true }
            let parts = path.dropFirst(prefix.count).split(separator: "/")
            guard parts.count == 2, parts[0].utf8.count == 2, let object = ObjectID(hex: parts[0] + parts[1]),
                layout.folder + "/" + path == objects.path(object)
            else { return true }
            if wanted.contains(object) { return search.lost[object] != nil }
            guard Self.hash(ofFile: layout.folder + "/" + path) == object else { return true }
            search.strangers.append(object)
            return false
        }
    }

    /// The regular files in a folder of the store and below it.
    private func gather(_ path: String, _ found: inout [(path: String, size: Int)]) throws {
        guard let folder = try? FileSystem.openFolder(layout.folder + "/" + path) else { return }
        var folders: [String] = []
        try FileSystem.forEachEntry(in: folder) { name, length, _ in
            guard let status = FileSystem.status(name, in: folder),
                let text = String(
                    validating: UnsafeRawBufferPointer(start: name, count: length), as: UTF8.self)
            else { return }
            if status.isFolder { folders.append(path + "/" + text) }
            if status.isRegularFile { found.append((path + "/" + text, status.size)) }
        }
        for inner in folders.sorted() { try gather(inner, &found) }
    }

    private func restoreFromFiles(_ search: inout TextSearch) throws {
        let sizes = Set(search.lost.values)
        var sources: [ObjectID: String] = [:]
        // All are looked at before the first is moved.
        for (path, size) in search.candidates where sizes.contains(size) {
            guard let object = Self.hash(ofFile: layout.folder + "/" + path), search.lost[object] != nil else {
                continue
            }
            sources[object] = sources[object] ?? path
        }
        for (object, path) in sources.sorted(by: { $0.value < $1.value }) {
            // Where a file that lay under another text's name was set aside meanwhile, it is there.
            let moved = report.steps.reversed().compactMap { step in
                if case .setAside(path, let place) = step { place } else { nil }
            }.first
            if try restore(object, from: .file(moved ?? path)) { search.lost[object] = nil }
        }
    }

    private func restoreFromVault(_ search: inout TextSearch) throws {
        guard !search.lost.isEmpty, let vault = vaultFolder, let real = try? FileSystem.realPath(vault),
            let root = try? FileSystem.openFolder(real), let store = try FileSystem.status(layout.folder)
        else { return }
        let files = VaultFiles(root: root, store: store)
        let walk = try FolderWalk(root, path: [], store: store)
        walk.takePart()
        for batch in walk.result() {
            let sizes = Set(search.lost.values)
            for found in batch.files where sizes.contains(found.status.size) {
                guard let name = try? NoteName(bytes: Array(batch.paths[found.path])),
                    let file = (try? files.find(name)) ?? nil, let (object, _) = (try? files.hash(file)) ?? nil,
                    search.lost[object] != nil
                else { continue }
                if try restore(object, from: .note(files, file, name)) { search.lost[object] = nil }
            }
        }
    }

    /// The vault's folder, where the store has one.
    private var vaultFolder: String? {
        guard let setting = (try? layout.readSettings())?.vault else { return nil }
        return setting == ".." ? layout.folder + "/.." : isNamed ? setting : nil
    }

    // MARK: One bit

    /// Larger ones are not tried: the time grows with the square of the size.
    private static let longestUnflipped = 8 << 10

    /// The bytes in the file at `path` with the one bit turned that makes them `object`; nil where there is none.
    private static func unflipped(_ path: String, _ object: ObjectID, size: Int) -> [UInt8]? {
        guard size <= longestUnflipped, let file = try? FileSystem.openForReading(path),
            var bytes = try? FileSystem.read(file, at: 0, count: size + 1), bytes.count == size
        else { return nil }
        var before = SHA256()
        for position in bytes.indices {
            for bit in 0..<8 {
                bytes[position] ^= 1 << bit
                var hash = before
                bytes.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[position...])) }
                if ObjectID(hash) == object { return bytes }
                bytes[position] ^= 1 << bit
            }
            before.update([bytes[position]])
        }
        return nil
    }
}
