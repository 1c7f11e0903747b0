internal import StetObjects

/// The lasting identity of a note: 128 random bits. The name of a note can change, this never.
public struct NoteID: Hashable, Sendable, CustomStringConvertible {
    /// Its length in bytes.
    public static let byteCount = 16
    /// The bytes.
    public let bytes: [UInt8]

    /// The identifier with these 16 bytes, or nil where there are not 16.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    private init(checked bytes: [UInt8]) { self.bytes = bytes }

    /// One that no other note has.
    package static func random() -> NoteID { NoteID(checked: randomBytes(byteCount)) }

    /// The identifier that 32 hexadecimal digits spell, or nil.
    public init?(hex: some StringProtocol) {
        guard let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// 32 hexadecimal digits.
    public var description: String { Hex.encode(bytes) }
}

/// One copy of a store that writes: 64 random bits, written as `d` and 16 hexadecimal digits.
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    /// Its length in bytes.
    public static let byteCount = 8
    // One word instead of an array: every version carries one.
    private let word: UInt64

    /// The identifier with these 8 bytes, or nil where there are not 8.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        word = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private init(word: UInt64) { self.word = word }

    /// One that no other device has.
    package static func random() -> DeviceID { DeviceID(word: .random(in: .min ... .max)) }

    /// The identifier written as `text`, or nil.
    public init?(_ text: some StringProtocol) {
        guard text.first == "d", let bytes = Hex.decode(text.dropFirst()) else { return nil }
        self.init(bytes: bytes)
    }

    /// The bytes.
    public var bytes: [UInt8] { withUnsafeBytes(of: word.bigEndian) { Array($0) } }

    /// `d` and 16 hexadecimal digits. It begins with a letter, so that it is never taken for a version number.
    public var description: String { "d" + Hex.encode(bytes) }
}

/// The identity of an operation, and so of the version that it made, in every store: device and sequence number.
public struct VersionID: Hashable, Sendable, CustomStringConvertible {
    /// The device whose operation it is.
    public let device: DeviceID
    /// The operation's number on that device, from 1.
    public let sequence: Int

    /// The operation `sequence` of `device`.
    public init(device: DeviceID, sequence: Int) {
        self.device = device
        self.sequence = sequence
    }

    /// The identity written as `<device>.<sequence>`, or nil.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let device = DeviceID(parts[0]),
            parts[1].utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let sequence = Int(parts[1])
        else { return nil }
        self.init(device: device, sequence: sequence)
    }

    /// `<device>.<sequence>`.
    public var description: String { "\(device).\(sequence)" }
}

/// A moment in milliseconds since the beginning of 1970 in UTC, as the clock that was handed in gave it.
///
/// It is shown to people and never decides an order: a clock can be set back.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since the beginning of 1970 in UTC.
    public let milliseconds: Int64

    /// The moment `milliseconds` after the beginning of 1970 in UTC.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whether `left` is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
}
