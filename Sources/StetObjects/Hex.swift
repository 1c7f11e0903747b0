/// Lower-case hexadecimal text of bytes, and back.
package enum Hex {
    /// The digit of a value below 16.
    @inline(__always)
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// The digits of `bytes`, two for each, lower case.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes { append(byte, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Adds the two digits of `byte` to `text`.
    static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(digit(byte >> 4))
        text.append(digit(byte & 15))
    }

    /// The eight digits of `value`, one in each byte, the first in the highest.
    @inline(__always)
    static func digits(_ value: UInt32) -> UInt64 {
        var spread = UInt64(value)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // A 1 in each byte that holds ten or more, which is a letter, and letters come 39 after the place of digits.
        let letters = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return spread &+ 0x3030_3030_3030_3030 &+ letters &* 39
    }

    /// The bytes that `text` spells, or nil where it is not an even number of hexadecimal digits.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let values = text.utf8.map(value)
        guard values.count.isMultiple(of: 2), !values.contains(nil) else { return nil }
        let nibbles = values.compactMap { $0 }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }

    /// The value of one hexadecimal digit in ASCII, either case, or nil.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
