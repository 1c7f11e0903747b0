import Stet

/// Text for a shell.
enum Shell {
    /// `bytes` as one word that a shell reads as just these bytes, harmless for a terminal.
    static func quoted(_ bytes: [UInt8]) -> String {
        let plain = bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "/"),
                UInt8(ascii: "-"):
                true
            default: byte >= 0x80
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let quoted =
            plain
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        // A word that begins with a dash would be taken for an option.
        return TerminalText.escape(bytes.first == UInt8(ascii: "-") ? "-- " + quoted : quoted)
    }
}
