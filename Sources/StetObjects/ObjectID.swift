/// The name of an object: the SHA-256 of its bytes.
public struct ObjectID: Hashable, Sendable, CustomStringConvertible {
    /// The length of a SHA-256 in bytes.
    public static let byteCount = 32

    // Four words instead of an array: no allocation for each of the many identifiers that pass through.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The identifier with these 32 bytes, or nil where there are not 32.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        words = bytes.withUnsafeBytes { buffer in
            func word(_ position: Int) -> UInt64 {
                UInt64(bigEndian: buffer.loadUnaligned(fromByteOffset: position * 8, as: UInt64.self))
            }
            return (word(0), word(1), word(2), word(3))
        }
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
    public var description: String { Hex.encode(bytes) }

    /// Whether both name the same bytes.
    public static func == (left: ObjectID, right: ObjectID) -> Bool { left.words == right.words }

    /// Feeds the identifier into `hasher`.
    public func hash(into hasher: inout Hasher) {
        // The words are a hash already; one of them tells objects apart as well as four.
        hasher.combine(words.0)
    }
}
