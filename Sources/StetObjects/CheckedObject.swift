/// An open object that is read in pieces: checked as a whole before, or piece by piece against its outline.
package struct CheckedObject: Sendable {
    private let object: ObjectID
    private let file: FileDescriptor
    /// Its length in bytes.
    package let size: Int
    private let outline: Outline?

    init(_ object: ObjectID, _ file: FileDescriptor, size: Int, outline: Outline?) {
        self.object = object
        self.file = file
        self.size = size
        self.outline = outline
    }

    /// Hands the bytes in `range` to `body` in pieces of at most a mebibyte.
    ///
    /// - Throws: `ObjectError.damaged` before a wrong byte is handed out; what `body` throws.
    package func read(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Outline.blockSize, alignment: 64)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            // Whole blocks are read, since a part of one cannot be checked.
            let number = offset / Outline.blockSize
            let start = number * Outline.blockSize
            let length = min(Outline.blockSize, size - start)
            let count = try FileSystem.read(
                file, at: start, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]))
            let block = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if count < length || outline?.contains(block, as: number) == false {
                throw ObjectError.damaged(object, path: file.path)
            }
            let end = min(range.upperBound, start + length)
            try body(UnsafeRawBufferPointer(rebasing: block[(offset - start)..<(end - start)]))
            offset = end
        }
    }
}
