/// An object being written: a temporary file that is hashed as it grows.
public final class IncomingObject {
    private let file: FileDescriptor
    private var hash = SHA256()
    /// The outline of what was written so far.
    public private(set) var outline = Outline()
    /// Bytes written so far.
    public private(set) var size = 0

    /// Where the temporary file stands.
    public var path: String { file.path }
    /// The name of what was written so far.
    public var object: ObjectID { ObjectID(hash) }

    init(_ file: FileDescriptor) { self.file = file }

    /// Adds `bytes`.
    public func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try FileSystem.write(file, at: size, bytes)
        hash.update(bytes)
        outline.update(bytes)
        size += bytes.count
    }

    /// Makes the bytes survive power loss; the name does not yet.
    public func sync() throws(SystemError) { try FileSystem.sync(file) }

    /// Removes the temporary file of an object that is not wanted after all.
    public func discard() { try? FileSystem.remove(path) }
}
