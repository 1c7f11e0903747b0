/// What text is, so that it can be coloured.
enum Style: String {
    case version = "33"
    case faint = "2"
    case strong = "1"
    case added = "32"
    case removed = "31"
    case place = "36"
    case head = "1;32"

    /// `text` in this style where the output is coloured.
    func apply(_ text: String, _ output: Output) -> String {
        output.isColoured ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }

    /// What turns the style on and off, as bytes; empty where the output is not coloured.
    func marks(_ output: Output) -> (on: [UInt8], off: [UInt8]) {
        output.isColoured ? (Array("\u{1B}[\(rawValue)m".utf8), Array("\u{1B}[0m".utf8)) : ([], [])
    }
}
