/// Sizes for people.
enum SizeText {
    /// `312 B`, `4.2 KB`, `1.0 GB`; a kilobyte has 1,000 bytes.
    static func short(_ bytes: Int) -> String {
        if bytes < 1_000 { return "\(bytes) B" }
        var tenths = bytes / 100
        for unit in ["KB", "MB", "GB", "TB"] {
            if tenths < 10_000 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
            tenths /= 1_000
        }
        return "\(tenths / 10) PB"
    }
}

/// Counts for people.
enum Count {
    /// `1 note`, `2 notes`.
    static func of(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
