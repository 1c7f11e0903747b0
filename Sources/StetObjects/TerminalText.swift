/// Text that was not written by Stet, made harmless for a terminal.
public enum TerminalText {
    /// `bytes` as text in which everything that a terminal could obey is spelled out: control characters (C0, DEL, C1)
    /// and bytes that are not UTF-8 as `\x1B`, characters that turn the writing direction as `\u{202E}`.
    ///
    /// - Parameter keeping: control characters that are left as they are, such as tab and line feed in a text.
    public static func escape(_ bytes: some Sequence<UInt8>, keeping: Set<UInt8> = []) -> String {
        let bytes = Array(bytes)
        var result = ""
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            let end = min(position + scalarLength(bytes[position]), bytes.count)
            if let scalar = String(validating: bytes[position..<end], as: UTF8.self)?.unicodeScalars.first {
                append(scalar, to: &result, keeping: keeping)
                position = end
            } else {
                result += spelled(bytes[position])
                position += 1
            }
        }
        return result
    }

    /// `text` with everything that a terminal could obey spelled out.
    public static func escape(_ text: String) -> String { escape(text.utf8) }

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
    public static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
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
