/// The tree of loose objects, `caches/objects`: one file for each object, named by the SHA-256 of its bytes.
///
/// Nouns: an object's *shard* is the folder named by the first two digits of its name; *incoming* is the folder where
/// temporary files are written before they are moved into a shard.
///
/// Invariants kept here:
/// 2. Objects are immutable, and no byte is handed out before it was checked: with the whole object against its name, or
///    with its block against the object's outline.
/// - A name in a shard always came there by rename, so a reader sees the old file or the new one, never half of one.
package struct LooseObjects: Sendable {
    /// The folder of the shards.
    package let folder: String
    private let incoming: String

    /// The tree below `caches`, the store's folder of that name.
    package init(caches: String) {
        folder = caches + "/objects"
        incoming = caches + "/incoming"
    }

    /// Whether both folders are there.
    package func hasFolders() throws(SystemError) -> Bool {
        if try FileSystem.status(folder) == nil { return false }
        return try FileSystem.status(incoming) != nil
    }

    /// Whether there is any object.
    package func hasFiles() throws -> Bool {
        struct Found: Error {}
        do {
            try forEach { _ in throw Found() }
            return false
        } catch is Found {
            return true
        }
    }

    /// Makes the folders that are missing.
    package func makeFolders() throws(SystemError) {
        try FileSystem.makeFolder(folder)
        try FileSystem.makeFolder(incoming)
    }

    private func shard(_ object: ObjectID) -> String { folder + "/" + object.description.prefix(2) }

    /// Where the file of `object` stands.
    package func path(_ object: ObjectID) -> String { shard(object) + "/" + object.description.dropFirst(2) }

    // MARK: Writing

    /// Puts `bytes`, whose name is `object`, into the tree, over whatever stands there. Nothing is synced.
    ///
    /// Call under the store's lock, under which leftovers are swept as well.
    package func write(_ bytes: [UInt8], as object: ObjectID) throws(SystemError) {
        let file = try FileSystem.createExclusively(incomingPath(), mode: 0o400)
        do throws(SystemError) {
            try FileSystem.write(file, at: 0, bytes)
            try place(file.path, as: object)
        } catch {
            try? FileSystem.remove(file.path)
            throw error
        }
    }

    /// Copies `object`, of `size` bytes, from another tree, over whatever stands here. Nothing is synced.
    ///
    /// Call under this tree's store's lock. Nothing is put in place where the bytes that were read do not give the name.
    ///
    /// - Throws: `ObjectError` where the other tree does not have it whole; `SystemError`.
    package func copy(_ object: ObjectID, size: Int, from other: LooseObjects) throws {
        if size <= Outline.blockSize { return try write(other.read(object, size: size), as: object) }
        let (file, _) = try other.open(object, size: size)
        let incoming = try startIncoming()
        do {
            try CheckedObject(object, file, size: size, outline: nil).read(0..<size) { try incoming.append($0) }
            guard incoming.object == object else { throw ObjectError.damaged(object, path: other.path(object)) }
            try place(incoming.path, as: object)
        } catch {
            incoming.discard()
            throw error
        }
    }

    private func incomingPath() -> String { incoming + "/" + Hex.encode(randomBytes(8)) }

    /// Begins an object whose name is not known yet. The store's lock need not be held.
    package func startIncoming() throws(SystemError) -> IncomingObject {
        // A sweep in another process may take the name in the instant before it is locked: then another is made.
        while true {
            let descriptor = try FileSystem.createExclusively(incomingPath(), mode: 0o400)
            if try FileSystem.tryLock(descriptor), try FileSystem.status(descriptor).links > 0 {
                return IncomingObject(descriptor)
            }
        }
    }

    /// Moves a finished file to its name, making the shard where it is missing. Nothing is synced.
    private func place(_ file: String, as object: ObjectID) throws(SystemError) {
        do throws(SystemError) {
            try FileSystem.rename(file, to: path(object))
        } catch {
            if error.isFolder {
                // Not Stet's, and in the way of every later copy of this text: set aside, not removed.
                try FileSystem.rename(path(object), to: incomingPath())
            } else if error.isMissing {
                try FileSystem.makeFolder(shard(object))
            } else {
                throw error
            }
            try FileSystem.rename(file, to: path(object))
        }
    }

    /// Moves a finished and synced incoming object to its name. The name does not survive power loss yet: see `syncNames`.
    package func place(_ file: IncomingObject, as object: ObjectID) throws(SystemError) {
        try place(file.path, as: object)
    }

    /// Makes the names of objects that were put in place survive power loss.
    package func syncNames(of placed: [ObjectID]) throws(SystemError) {
        for shard in Set(placed.map(shard)) { try FileSystem.syncFolder(shard) }
        // A shard may be new, made by this process or by one whose sync never came: its own name has to last as well.
        if !placed.isEmpty { try FileSystem.syncFolder(folder) }
    }

    /// Removes temporary files whose writers are gone.
    package func sweepIncoming() throws(SystemError) {
        for name in try FileSystem.list(incoming) {
            let path = incoming + "/" + name
            // A writer holds a lock on its file; where it can be taken, no writer lives.
            // Something that cannot be removed, such as a folder, is not Stet's and stays.
            guard let file = try? FileSystem.openForReading(path), try FileSystem.tryLock(file) else { continue }
            try? FileSystem.remove(path)
        }
    }

    // MARK: Reading

    /// The size of the file of `object`, or nil where there is none. Says nothing of its bytes.
    package func size(_ object: ObjectID) throws(SystemError) -> Int? {
        guard let status = try FileSystem.status(path(object)), status.isRegularFile else { return nil }
        return status.size
    }

    /// The bytes of `object`, checked against its name.
    ///
    /// - Parameter expected: its size where that is known: a file of another one is damaged, and is not read, for it can
    ///   claim to be longer than memory or patience.
    package func read(_ object: ObjectID, size expected: Int? = nil) throws -> [UInt8] {
        let (file, size) = try open(object, size: expected)
        let bytes = try FileSystem.read(file, at: 0, count: size)
        guard ObjectID(of: bytes) == object else { throw ObjectError.damaged(object, path: file.path) }
        return bytes
    }

    /// Opens `object` for reading in pieces; all of it is read once first, to check it against its name.
    ///
    /// - Parameter expected: its size where that is known, as for `read`.
    package func openChecked(_ object: ObjectID, size expected: Int? = nil) throws -> CheckedObject {
        let (file, size) = try open(object, size: expected)
        var hash = SHA256()
        try CheckedObject(object, file, size: size, outline: nil).read(0..<size) { hash.update($0) }
        guard ObjectID(hash) == object else { throw ObjectError.damaged(object, path: file.path) }
        return CheckedObject(object, file, size: size, outline: nil)
    }

    /// Opens `object` for reading in pieces, each checked against `outline` when it is read; only what is asked for is read.
    /// Without an outline that fits, all of it is read once first.
    package func open(_ object: ObjectID, size expected: Int, outline: Outline?) throws -> CheckedObject {
        let (file, size) = try open(object, size: expected)
        guard let outline, outline.fits(size: size) else { return try openChecked(object, size: expected) }
        return CheckedObject(object, file, size: size, outline: outline)
    }

    /// Whether a file of `object` exists and holds its bytes.
    package func isWhole(_ object: ObjectID, size expected: Int? = nil) throws -> Bool {
        do {
            _ = try openChecked(object, size: expected)
            return true
        } catch is ObjectError {
            return false
        }
    }

    private func open(_ object: ObjectID, size expected: Int?) throws -> (file: FileDescriptor, size: Int) {
        let file: FileDescriptor
        do throws(SystemError) {
            file = try FileSystem.openForReading(path(object))
        } catch {
            if error.isNoFile { throw ObjectError.damaged(object, path: path(object)) }
            throw error.isMissing ? ObjectError.missing(object) as any Error : error
        }
        // A link, folder or pipe under an object's name is damage to that object, and no reason to end a whole check.
        let status = try FileSystem.status(file)
        guard status.isRegularFile, expected ?? status.size == status.size else {
            throw ObjectError.damaged(object, path: file.path)
        }
        return (file, status.size)
    }

    /// Every object that has a file, in the order of the names, one shard in memory at a time; none where the tree is
    /// gone.
    package func forEach(_ body: (ObjectID) throws -> Void) throws {
        guard try FileSystem.status(folder) != nil else { return }
        for shard in try FileSystem.list(folder) where shard.utf8.count == 2 {
            for name in try FileSystem.list(folder + "/" + shard) {
                if let object = ObjectID(hex: shard + name) { try body(object) }
            }
        }
    }
}

/// Answers for many objects which of them have a file, without looking into the files.
package struct LooseObjectNames {
    private let folder: FileDescriptor?

    /// The names in the tree of `objects`; none where the tree is gone.
    package init(of objects: LooseObjects) {
        folder = try? FileSystem.openFolder(objects.folder)
    }

    /// Whether there is a file of `object`.
    package func contains(_ object: ObjectID) -> Bool {
        guard let folder else { return false }
        // `ab/cdef…` and a NUL, put together in place: this is asked for every line of a long history.
        return withUnsafeTemporaryAllocation(byteCount: 2 * ObjectID.byteCount + 2, alignment: 8) { path in
            object.storeHexadecimal(in: path, at: 1)
            path[0] = path[1]
            path[1] = path[2]
            path[2] = UInt8(ascii: "/")
            path[2 * ObjectID.byteCount + 1] = 0
            return FileSystem.exists(UnsafeRawBufferPointer(path), in: folder)
        }
    }
}
