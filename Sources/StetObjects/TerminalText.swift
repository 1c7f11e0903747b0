/// Text that was not written by Stet, made harmless for a terminal.
package enum TerminalText {
    /// `bytes` as text in which everything that a terminal could obey is spelled out: control characters (C0, DEL, C1)
    /// and bytes that are not UTF-8 as `\x1B`, characters that turn the writing direction as `\u{202E}`.
    ///
    /// - Parameter keeping: control characters that are left as they are, such as tab and line feed in a text; a carriage
    ///   return only right before a line feed, where the line ends anyway.
    package static func escape(_ bytes: some Sequence<UInt8>, keeping: Set<UInt8> = []) -> String {
        let bytes = Array(bytes)
        var result = ""
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            let end = min(position + scalarLength(bytes[position]), bytes.count)
            if let scalar = String(validating: bytes[position..<end], as: UTF8.self)?.unicodeScalars.first {
                // A carriage return elsewhere would go back over the line.
                let isStray = scalar == "\r" && bytes.dropFirst(end).first != 0x0A
                append(scalar, to: &result, keeping: isStray ? [] : keeping)
                position = end
            } else {
                result += spelled(bytes[position])
                position += 1
            }
        }
        return result
    }

    /// `text` with everything that a terminal could obey spelled out.
    package static func escape(_ text: String) -> String { escape(text.utf8) }

    /// How many columns of a terminal `text` takes, near enough: East Asian wide characters and emoji take two
    /// (Unicode UAX #11), marks that join the character before none.
    package static func columns(_ text: String) -> Int {
        text.reduce(0) { sum, character in
            guard let scalar = character.unicodeScalars.first else { return sum }
            return sum + (isWide(scalar) ? 2 : 1)
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x231A...0x231B, 0x23E9...0x23F3, 0x2614...0x2615, 0x26A1, 0x2705, 0x274C,
            0x2753...0x2757, 0x2795...0x2797, 0x2B50, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }

    private static func scalarLength(_ first: UInt8) -> Int {
        switch first {
        case 0xC0...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xFF: 4
        default: 1
        }
    }

    /// Whether a terminal could obey `scalar`: C0, DEL and C1; the marks, embeddings, overrides and isolates of the
    /// bidirectional algorithm; and the two Unicode separators. All of them lie below U+10000.
    package static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func spelled(_ byte: UInt8) -> String { "\\x" + Hex.encode([byte]).uppercased() }

    private static func append(_ scalar: Unicode.Scalar, to result: inout String, keeping: Set<UInt8>) {
        let byte = UInt8(exactly: scalar.value)
        if !isHarmful(scalar) || byte.map(keeping.contains) == true {
            result.unicodeScalars.append(scalar)
        } else if let byte {
            result += spelled(byte)
        } else {
            result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        }
    }
}
