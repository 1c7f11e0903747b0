/// An object being written: a temporary file that is hashed as it grows.
package final class IncomingObject {
    private let file: FileDescriptor
    private var hash = SHA256()
    /// The outline of what was written so far.
    package private(set) var outline = Outline()
    /// Bytes written so far.
    package private(set) var size = 0

    /// Where the temporary file stands.
    package var path: String { file.path }
    /// The name of what was written so far.
    package var object: ObjectID { ObjectID(hash) }

    init(_ file: FileDescriptor) { self.file = file }

    /// Adds `bytes`.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try FileSystem.write(file, at: size, bytes)
        hash.update(bytes)
        outline.update(bytes)
        size += bytes.count
    }

    /// Makes the bytes survive power loss; the name does not yet.
    package func sync() throws(SystemError) { try FileSystem.sync(file) }

    /// Hands what was written so far to `body`, in pieces of at most a mebibyte.
    package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Outline.blockSize, alignment: 64)
        defer { buffer.deallocate() }
        var offset = 0
        while case let count = try FileSystem.read(file, at: offset, into: buffer), count > 0 {
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += count
        }
    }

    /// Removes the temporary file of an object that is not wanted after all.
    package func discard() { try? FileSystem.remove(path) }
}
