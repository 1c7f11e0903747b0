/// The name of an object: the SHA-256 of its bytes.
public struct ObjectID: Hashable, Sendable, CustomStringConvertible {
    /// The length of a SHA-256 in bytes.
    public static let byteCount = 32

    // Four words instead of an array: no allocation for each of the many identifiers that pass through.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The identifier with these 32 bytes, or nil where there are not 32.
    public init?(bytes: [UInt8]) {
        guard let identifier = bytes.withUnsafeBytes({ ObjectID(bytes: $0) }) else { return nil }
        self = identifier
    }

    /// The identifier with these 32 bytes, or nil where there are not 32.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        func word(_ position: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: position * 8, as: UInt64.self))
        }
        words = (word(0), word(1), word(2), word(3))
    }

    /// The identifier that 64 hexadecimal digits spell, or nil.
    public init?(hex: some StringProtocol) {
        guard let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            for (position, word) in [words.0, words.1, words.2, words.3].enumerated() {
                raw.storeBytes(of: word.bigEndian, toByteOffset: position * 8, as: UInt64.self)
            }
            count = Self.byteCount
        }
    }

    /// The 64 hexadecimal digits, lower case.
    public var description: String { String(decoding: hexadecimal, as: UTF8.self) }

    /// The 64 hexadecimal digits in ASCII.
    package var hexadecimal: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * Self.byteCount)
        appendHexadecimal(to: &text)
        return text
    }

    /// Adds the 64 hexadecimal digits to `text`.
    package func appendHexadecimal(to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: 2 * Self.byteCount, alignment: 8) { digits in
            storeHexadecimal(in: digits, at: 0)
            text.append(contentsOf: digits)
        }
    }

    /// Writes the 64 hexadecimal digits at `offset` of `buffer`, eight at a time: a history of ten thousand versions asks
    /// for this ten thousand times.
    func storeHexadecimal(in buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
        func store(_ word: UInt64, _ position: Int) {
            let low = Hex.digits(UInt32(truncatingIfNeeded: word))
            buffer.storeBytes(of: Hex.digits(UInt32(word >> 32)).bigEndian, toByteOffset: position, as: UInt64.self)
            buffer.storeBytes(of: low.bigEndian, toByteOffset: position + 8, as: UInt64.self)
        }
        store(words.0, offset)
        store(words.1, offset + 16)
        store(words.2, offset + 32)
        store(words.3, offset + 48)
    }

    /// Whether both name the same bytes.
    public static func == (left: ObjectID, right: ObjectID) -> Bool { left.words == right.words }

    /// Feeds the identifier into `hasher`.
    public func hash(into hasher: inout Hasher) {
        // The words are a hash already; one of them tells objects apart as well as four.
        hasher.combine(words.0)
    }
}
