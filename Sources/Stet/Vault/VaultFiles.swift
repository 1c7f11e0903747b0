internal import Glibc

/// A file of the vault as it was found.
struct VaultFile: Sendable {
    let place: FilePlace
    /// What it is; of a symbolic link, what it leads to.
    let status: FileStatus
    let isLink: Bool
}

/// The files of a vault: the one place where they are found, read, written, moved and removed.
///
/// Every folder on the way is opened by its name in the one above it and never through a symbolic link, so that no name
/// leads out of the vault. A text is written to a file of a random name beside its place, synced, and only then put there.
struct VaultFiles: Sendable {
    let root: FileDescriptor
    /// The store's folder, which may lie in the vault: nothing in it is a note's.
    let store: FileStatus

    // MARK: Finding

    /// The open folder `name`; nil where it is not there or is no folder.
    ///
    /// - Throws: `VaultError.link` where a symbolic link is on the way.
    func folder(_ name: NoteName) throws -> FileDescriptor? {
        try folder(name.bytes.split(separator: UInt8(ascii: "/")), of: name)
    }

    private func folder(_ components: [ArraySlice<UInt8>], of name: NoteName) throws -> FileDescriptor? {
        // The one gate: an index may be anybody's, and its names lead nowhere else.
        guard (try? NoteName(bytes: name.bytes)) != nil else {
            throw IndexDamage("a note has a name that cannot be one")
        }
        var folder = root
        var isStore = false
        for component in components where !isStore {
            let place = FilePlace(folder, String(decoding: component, as: UTF8.self))
            do throws(SystemError) {
                folder = try FileSystem.openFolder(place)
                let status = try FileSystem.status(folder)
                // That of a vault in this one is left alone as well.
                isStore =
                    status.inode == store.inode && status.device == store.device || place.name == Vault.storeName
            } catch {
                if error.number == ELOOP { throw VaultError.link(name) }
                if error.isMissing {
                    // A link where a folder is wanted is told as "not a folder".
                    if try FileSystem.status(place)?.isLink == true { throw VaultError.link(name) }
                    return nil
                }
                throw error
            }
        }
        if isStore { throw VaultError.insideStore(name.description) }
        return folder
    }

    /// Where the file `name` stands or would; nil where its folder is not there.
    func place(_ name: NoteName) throws -> FilePlace? {
        let components = name.bytes.split(separator: UInt8(ascii: "/"))
        guard let last = components.last, let folder = try folder(components.dropLast(), of: name) else { return nil }
        let place = FilePlace(folder, String(decoding: last, as: UTF8.self))
        let isStore = try FileSystem.status(place).map { $0.inode == store.inode && $0.device == store.device } ?? false
        if isStore || place.name == Vault.storeName { throw VaultError.insideStore(name.description) }
        return place
    }

    /// The file `name`, or nil where nothing is.
    ///
    /// - Throws: `VaultError.notAFile` where something else is; `.link` where a link leads nowhere.
    func find(_ name: NoteName) throws -> VaultFile? {
        guard let place = try place(name), let status = try FileSystem.status(place) else { return nil }
        guard status.isLink else { return try file(name, place, status, isLink: false) }
        guard let target = try? FileSystem.status(place, followingLinks: true) else { throw VaultError.link(name) }
        return try file(name, place, target, isLink: true)
    }

    private func file(_ name: NoteName, _ place: FilePlace, _ status: FileStatus, isLink: Bool) throws -> VaultFile {
        if status.isFolder { throw VaultError.notAFile(name, "a folder") }
        guard status.isRegularFile else { throw VaultError.notAFile(name, "a pipe, socket or device") }
        return VaultFile(place: place, status: status, isLink: isLink)
    }

    /// Whether the file found at `place`, of the name `other`, is that of `name` itself: on a file system that does not tell
    /// case or Unicode form apart. (The inode does not tell: some such file systems give one for each spelling.)
    func isAlias(_ place: FilePlace, of name: NoteName, _ other: NoteName) throws -> Bool {
        guard name != other, name.description.lowercased() == other.description.lowercased(),
            try FileSystem.status(place) != nil
        else { return false }
        var isListed = false
        try FileSystem.forEachEntry(in: place.folder) { entry, length, _ in
            let bytes = UnsafeRawBufferPointer(start: entry, count: length)
            if bytes.elementsEqual(place.name.utf8) { isListed = true }
        }
        return !isListed
    }

    /// Whether the file `name` is still the one that was found, unchanged; with nil, whether there is still none.
    func isUnchanged(_ name: NoteName, _ file: VaultFile?) throws -> Bool {
        guard let now = try find(name) else { return file == nil }
        guard let file else { return false }
        return FileLook(file.status, seen: 0).isSame(as: now.status) && file.isLink == now.isLink
    }

    // MARK: Reading

    /// Opens `file` for reading; nil where it was taken away meanwhile, or a link put in its place.
    private func open(_ file: VaultFile) throws -> FileDescriptor? {
        do throws(SystemError) {
            return try FileSystem.openForReading(file.place, followingLinks: file.isLink)
        } catch {
            if error.isMissing || error.isNoFile { return nil }
            throw error
        }
    }

    /// Hands the bytes of `file` to `body`, which gets a function that fills a buffer and gives 0 at the end. Returns how
    /// the file looked, where it did not change meanwhile.
    func read<Value>(
        _ file: VaultFile, _ body: ((UnsafeMutableRawBufferPointer) throws -> Int) throws -> Value
    ) throws -> (Value, FileLook)? {
        guard let descriptor = try open(file) else { return nil }
        let seen = FileSystem.now
        let before = try FileSystem.status(descriptor)
        guard before.isRegularFile else { return nil }
        var offset = 0
        let value = try body { buffer in
            // No further than it reached at first: a file that grows as fast as it is read has no end.
            let wanted = min(buffer.count, before.size - offset)
            let count = try FileSystem.read(
                descriptor, at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
            offset += count
            return count
        }
        let look = FileLook(before, seen: seen)
        return look.isSame(as: try FileSystem.status(descriptor)) ? (value, look) : nil
    }

    /// The hash of the text in `file` and how it looked; nil where it changed meanwhile.
    func hash(_ file: VaultFile) throws -> (object: ObjectID, look: FileLook)? {
        let found = try read(file) { read in
            let buffer = UnsafeMutableRawBufferPointer.allocate(
                byteCount: min(Outline.blockSize, max(1, file.status.size)), alignment: 64)
            defer { buffer.deallocate() }
            var hash = SHA256()
            while case let count = try read(buffer), count > 0 {
                hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return ObjectID(hash)
        }
        return found.map { ($0.0, $0.1) }
    }

    /// Whether `file` begins like text.
    func isText(_ file: VaultFile) throws -> Bool {
        guard let descriptor = try open(file) else { return false }
        return NoteRules.isText(try FileSystem.read(descriptor, at: 0, count: NoteRules.probeLength))
    }

    // MARK: What may be written

    /// Refuses to put another file in the place of `file` where something would be lost by it. Says nothing of a file that
    /// was taken away meanwhile.
    func requireReplaceable(_ file: VaultFile, _ name: NoteName) throws {
        if file.isLink { throw VaultError.link(name) }
        if file.status.links > 1 { throw VaultError.severalLinks(name, file.status.links) }
        let isOwn = file.status.owner == FileSystem.effectiveUser || FileSystem.effectiveUser == 0
        guard isOwn else { throw VaultError.foreignFile(name) }
        guard let descriptor = try open(file) else { return }
        guard file.status.mode & 0o222 != 0, FileSystem.isWritable(file.place) else {
            throw VaultError.readOnlyFile(name)
        }
        try requireWritableFolder(of: file.place, name)
        if Self.keepsWriter(descriptor, forMilliseconds: 200) { throw VaultError.openElsewhere(name) }
    }

    /// Refuses a place whose folder lets nothing be put in or taken out.
    func requireWritableFolder(of place: FilePlace, _ name: NoteName) throws {
        guard FileSystem.isWritable(place.beside(".")) else { throw VaultError.readOnlyFolder(name) }
    }

    /// Whether somebody has the open `file` open for writing, all of that time: an editor that is just saving closes it.
    static func keepsWriter(_ file: FileDescriptor, forMilliseconds patience: Int) -> Bool {
        for _ in 0..<patience {
            if FileSystem.hasWriter(file) != true { return false }
            usleep(1_000)
        }
        return true
    }

    // MARK: Writing

    /// The name under which an old file waits where a file system cannot exchange two names.
    static func asideName(_ spare: String) -> String { spare + ".old" }

    /// Writes and syncs the new file `spare`, and gives it what belongs to `model` besides its bytes.
    ///
    /// - Parameter fill: calls its argument with one piece after the other.
    /// - Returns: false where `model` was taken away meanwhile.
    func fill(
        _ spare: FileDescriptor, like model: VaultFile?,
        _ fill: (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> Bool {
        if let model {
            // Before the first byte: the text may be one that others must not read.
            guard let source = try open(model) else { return false }
            try FileSystem.copyAttributes(from: source, to: spare)
        }
        var offset = 0
        try fill { piece in
            try FileSystem.write(spare, at: offset, piece)
            offset += piece.count
        }
        try FileSystem.sync(spare)
        return true
    }

    /// Whether a process that lives is writing the file at `place`.
    func isBeingWritten(_ place: FilePlace) throws -> Bool {
        guard try FileSystem.status(place) != nil else { return false }
        return (try? FileSystem.tryLock(FileSystem.openForReading(place))) == false
    }

    /// Makes the folders that `name` lies in. Returns those that were not there, outermost first.
    ///
    /// - Throws: `VaultError.link`, `.inTheWay`; what was made by then is removed.
    func makeFolders(for name: NoteName) throws -> [NoteName] {
        var made: [NoteName] = []
        do {
            for folder in name.folders {
                guard let place = try place(folder) else { throw VaultError.inTheWay(folder) }
                if try FileSystem.makeFolder(place) {
                    made.append(folder)
                    // What is put into it lasts no longer than its own name.
                    try FileSystem.syncEntries(of: place.folder)
                } else if try self.folder(folder) == nil {
                    throw VaultError.inTheWay(folder)
                }
            }
            return made
        } catch {
            removeFolders(made)
            throw error
        }
    }

    /// Removes folders again that nothing was put into.
    func removeFolders(_ names: [NoteName]) {
        for name in names.reversed() {
            if let place = try? place(name) { _ = FileSystem.removeEmptyFolder(place) }
        }
    }
}
