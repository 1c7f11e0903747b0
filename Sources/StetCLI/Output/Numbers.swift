/// Sizes for people.
enum SizeText {
    /// `312 B`, `4.2 KB`, `1.0 GB`; a kilobyte has 1,000 bytes.
    static func short(_ bytes: Int) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Adds `312 B`, `4.2 KB`, `1.0 GB`.
    static func append(_ bytes: Int, to text: inout [UInt8]) {
        if bytes < 1_000 {
            Count.append(bytes, to: &text)
            text.append(UInt8(ascii: " "))
            text.append(UInt8(ascii: "B"))
            return
        }
        var tenths = bytes / 100
        var units = "KMGTP".utf8[...]
        while tenths >= 10_000, units.count > 1 {
            tenths /= 1_000
            units = units.dropFirst()
        }
        Count.append(tenths / 10, to: &text)
        text.append(UInt8(ascii: "."))
        text.append(UInt8(ascii: "0") + UInt8(tenths % 10))
        text.append(UInt8(ascii: " "))
        text += units.prefix(1)
        text.append(UInt8(ascii: "B"))
    }
}

/// Counts for people.
enum Count {
    /// Adds the decimal digits of a number that is not negative.
    static func append(_ number: Int, to text: inout [UInt8]) {
        if number >= 10 { append(number / 10, to: &text) }
        text.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// `1 note`, `2 notes`.
    static func of(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
