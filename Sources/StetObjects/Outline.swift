/// Digests of the blocks of a large object, by which a part of it can be checked without reading the rest.
///
/// Kept in the index beside the object's name since the object was saved. One that has none is read as a whole first.
package struct Outline: Sendable {
    /// The length of a block in bytes; only the last is shorter.
    package static let blockSize = 1 << 20
    /// How much of each block's SHA-256 is kept: nobody finds other bytes for 128 bits.
    private static let digestLength = 16

    private var finished: [UInt8] = []
    private var block = SHA256()
    private var filled = 0

    /// The outline of nothing yet.
    package init() {}

    /// The outline that was kept as `bytes`.
    package init(bytes: [UInt8]) { finished = bytes }

    /// Adds `bytes` to what is outlined.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.blockSize - filled)
            block.update(UnsafeRawBufferPointer(rebasing: piece))
            filled += piece.count
            rest = rest.dropFirst(piece.count)
            if filled == Self.blockSize {
                finished = self.bytes
                block = SHA256()
                filled = 0
            }
        }
    }

    /// The digests of all blocks, one after the other.
    package var bytes: [UInt8] { filled == 0 ? finished : finished + block.digest().prefix(Self.digestLength) }

    /// Whether it has as many blocks as an object of `size` bytes.
    func fits(size: Int) -> Bool {
        let blocks = (size + Self.blockSize - 1) / Self.blockSize
        return finished.count == blocks * Self.digestLength
    }

    /// Whether `bytes` are block `number`, from 0.
    func contains(_ bytes: UnsafeRawBufferPointer, as number: Int) -> Bool {
        var hash = SHA256()
        hash.update(bytes)
        let start = number * Self.digestLength
        return finished[start..<start + Self.digestLength].elementsEqual(hash.digest().prefix(Self.digestLength))
    }
}
