/// The tree of loose objects, `caches/objects`: one file for each object, named by the SHA-256 of its bytes.
///
/// Nouns: an object's *shard* is the folder named by the first two digits of its name; *incoming* is the folder where
/// temporary files are written before they are moved into a shard.
///
/// Invariants kept here:
/// 2. Objects are immutable, and no byte leaves this type before the whole object was checked against its name.
/// - A name in a shard always came there by rename, so a reader sees the old file or the new one, never half of one.
public struct LooseObjects: Sendable {
    /// The folder of the shards.
    public let folder: String
    private let incoming: String

    /// Objects up to this size are read in one piece; larger ones are streamed in pieces of this size.
    public static let pieceSize = 1 << 20

    /// The tree below `caches`, the store's folder of that name.
    public init(caches: String) {
        folder = caches + "/objects"
        incoming = caches + "/incoming"
    }

    /// Makes the folders that are missing.
    public func makeFolders() throws(SystemError) {
        try FileSystem.makeFolder(folder)
        try FileSystem.makeFolder(incoming)
    }

    private func shard(_ object: ObjectID) -> String { folder + "/" + object.description.prefix(2) }

    /// Where the file of `object` stands.
    public func path(_ object: ObjectID) -> String {
        folder + "/" + String(decoding: Self.relativePath(object), as: UTF8.self)
    }

    /// `ab/cdef…`
    fileprivate static func relativePath(_ object: ObjectID) -> [UInt8] {
        var path: [UInt8] = []
        path.reserveCapacity(2 * ObjectID.byteCount + 2)
        object.appendHexadecimal(to: &path)
        path.insert(UInt8(ascii: "/"), at: 2)
        return path
    }

    // MARK: Writing

    /// Puts `bytes`, whose name is `object`, into the tree, over whatever stands there. Nothing is synced.
    ///
    /// Call under the store's lock, under which leftovers are swept as well.
    public func write(_ bytes: [UInt8], as object: ObjectID) throws(SystemError) {
        let file = try FileSystem.createExclusively(incomingPath(), mode: 0o400)
        do throws(SystemError) {
            try FileSystem.write(file, at: 0, bytes)
            try place(file.path, as: object)
        } catch {
            try? FileSystem.remove(file.path)
            throw error
        }
    }

    private func incomingPath() -> String { incoming + "/" + Hex.encode(randomBytes(8)) }

    /// Begins an object whose name is not known yet. The store's lock need not be held.
    public func startIncoming() throws(SystemError) -> IncomingObject {
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
            guard error.isMissing else { throw error }
            try FileSystem.makeFolder(shard(object))
            try FileSystem.rename(file, to: path(object))
        }
    }

    /// Moves a finished and synced incoming object to its name so that it survives power loss there.
    public func placeDurably(_ file: IncomingObject, as object: ObjectID) throws(SystemError) {
        try place(file.path, as: object)
        try FileSystem.syncFolder(shard(object))
        // The shard may be new, made by this call or by one whose sync never came: its own name has to last as well.
        try FileSystem.syncFolder(folder)
    }

    /// Removes temporary files whose writers are gone.
    public func sweepIncoming() throws(SystemError) {
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
    public func size(_ object: ObjectID) throws(SystemError) -> Int? {
        guard let status = try FileSystem.status(path(object)), status.isRegularFile else { return nil }
        return status.size
    }

    /// The bytes of `object`, checked against its name.
    ///
    /// - Parameter expected: its size where that is known: a file of another one is damaged, and is not read, for it can
    ///   claim to be longer than memory or patience.
    public func read(_ object: ObjectID, size expected: Int? = nil) throws -> [UInt8] {
        let (file, size) = try open(object, size: expected)
        let bytes = try FileSystem.read(file, at: 0, count: size)
        guard ObjectID(of: bytes) == object else { throw ObjectError.damaged(object, path: file.path) }
        return bytes
    }

    /// Opens `object` for reading in pieces; all of it is read once first, to check it against its name.
    ///
    /// - Parameter expected: its size where that is known, as for `read`.
    public func openChecked(_ object: ObjectID, size expected: Int? = nil) throws -> CheckedObject {
        let (file, size) = try open(object, size: expected)
        var hash = SHA256()
        try CheckedObject.pieces(of: file, in: 0..<size) { hash.update($0) }
        guard ObjectID(hash) == object else { throw ObjectError.damaged(object, path: file.path) }
        return CheckedObject(file: file, size: size)
    }

    /// Whether a file of `object` exists and holds its bytes.
    public func isWhole(_ object: ObjectID, size expected: Int? = nil) throws -> Bool {
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
            if error.isSymbolicLink { throw ObjectError.damaged(object, path: path(object)) }
            throw error.isMissing ? ObjectError.missing(object) as any Error : error
        }
        // A link, folder or pipe under an object's name is damage to that object, and no reason to end a whole check.
        let status = try FileSystem.status(file)
        guard status.isRegularFile, expected ?? status.size == status.size else {
            throw ObjectError.damaged(object, path: file.path)
        }
        return (file, status.size)
    }

    /// Every object that has a file, in the order of the names, one shard in memory at a time.
    public func forEach(_ body: (ObjectID) throws -> Void) throws {
        for shard in try FileSystem.list(folder) where shard.utf8.count == 2 {
            for name in try FileSystem.list(folder + "/" + shard) {
                if let object = ObjectID(hex: shard + name) { try body(object) }
            }
        }
    }
}

/// Answers for many objects which of them have a file, without looking into the files.
public struct LooseObjectNames {
    private let folder: FileDescriptor?

    /// The names in the tree of `objects`; none where the tree is gone.
    public init(of objects: LooseObjects) {
        folder = try? FileSystem.openFolder(objects.folder)
    }

    /// Whether there is a file of `object`.
    public func contains(_ object: ObjectID) -> Bool {
        guard let folder else { return false }
        return FileSystem.exists(LooseObjects.relativePath(object), in: folder)
    }
}

/// An object being written: a temporary file that is hashed as it grows.
public final class IncomingObject {
    private let file: FileDescriptor
    private var hash = SHA256()
    /// Bytes written so far.
    public private(set) var size = 0

    /// Where the temporary file stands.
    public var path: String { file.path }
    /// The name of what was written so far.
    public var object: ObjectID { ObjectID(hash) }

    fileprivate init(_ file: FileDescriptor) { self.file = file }

    /// Adds `bytes`.
    public func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try FileSystem.write(file, at: size, bytes)
        hash.update(bytes)
        size += bytes.count
    }

    /// Makes the bytes survive power loss; the name does not yet.
    public func sync() throws(SystemError) { try FileSystem.sync(file) }

    /// Removes the temporary file of an object that is not wanted after all.
    public func discard() { try? FileSystem.remove(path) }
}

/// An object whose bytes were checked and can now be read in pieces, from the same open file that was checked.
public struct CheckedObject: Sendable {
    private let file: FileDescriptor
    /// Its length in bytes.
    public let size: Int

    fileprivate init(file: FileDescriptor, size: Int) {
        self.file = file
        self.size = size
    }

    /// Hands the bytes in `range` to `body` in pieces of at most a mebibyte.
    public func read(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try Self.pieces(of: file, in: range, body)
    }

    fileprivate static func pieces(
        of file: FileDescriptor, in range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(LooseObjects.pieceSize, range.count), alignment: 64)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<min(buffer.count, range.upperBound - offset)])
            let count = try FileSystem.read(file, at: offset, into: wanted)
            if count == 0 { break }
            try body(UnsafeRawBufferPointer(rebasing: wanted[..<count]))
            offset += count
        }
    }
}
