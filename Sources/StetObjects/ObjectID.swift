/// The name of an object: the SHA-256 of its bytes.
public struct ObjectID: Hashable, Sendable, CustomStringConvertible {
    /// The length of a SHA-256 in bytes.
    public static let byteCount = 32

    // Four words instead of an array: no allocation for each of the many identifiers that pass through.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The identifier with these 32 bytes, or nil where there are not 32.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (position, byte) in bytes.enumerated() {
            words[position / 8] = words[position / 8] << 8 | UInt64(byte)
        }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// The identifier that 64 hexadecimal digits spell, or nil.
    public init?(hex: some StringProtocol) {
        guard let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(Self.byteCount)
        for word in [words.0, words.1, words.2, words.3] {
            for shift in stride(from: 56, through: 0, by: -8) {
                result.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return result
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
