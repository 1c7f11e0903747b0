import Stet

/// One JSON object on one line (RFC 8259), built key by key in the order given.
struct JSONLine {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    init() {}

    /// A line that begins with a note and one of its versions.
    init(_ note: Note, _ version: Version) {
        set("note", note.id.description)
        set("name", utf8: note.name.bytes)
        set("version", version.number)
        set("id", version.id.description)
        set("hash", utf8: version.object.hexadecimal)
    }

    private mutating func key(_ name: StaticString) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes += $0 }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    mutating func set(_ name: StaticString, _ value: some StringProtocol) {
        key(name)
        append(text: Array(value.utf8))
    }

    /// A text that is UTF-8 already.
    mutating func set(_ name: StaticString, utf8 value: [UInt8]) {
        key(name)
        append(text: value)
    }

    mutating func set(_ name: StaticString, _ value: Int) {
        key(name)
        bytes += String(value).utf8
    }

    mutating func set(_ name: StaticString, _ value: Bool) {
        key(name)
        bytes += (value ? "true" : "false").utf8
    }

    mutating func set(_ name: StaticString, _ values: [Int]) {
        key(name)
        bytes += ("[" + values.map(String.init).joined(separator: ",") + "]").utf8
    }

    mutating func set(_ name: StaticString, _ values: [String]) {
        key(name)
        bytes.append(UInt8(ascii: "["))
        for (position, value) in values.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            append(text: Array(value.utf8))
        }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func setNull(_ name: StaticString) {
        key(name)
        bytes += "null".utf8
    }

    /// The value, or null where there is none.
    mutating func set(_ name: StaticString, optional value: Int?) {
        if let value { set(name, value) } else { setNull(name) }
    }

    /// The value, or null where there is none.
    mutating func set(_ name: StaticString, optional value: String?) {
        if let value { set(name, value) } else { setNull(name) }
    }

    private mutating func append(text: [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        let isPlain = text.allSatisfy { 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        if isPlain { return bytes += text }
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\"", "\\":
                bytes.append(UInt8(ascii: "\\"))
                bytes += String(scalar).utf8
            // JSON asks for C0 alone to be spelled out; a terminal needs the others to be.
            case _ where TerminalText.isHarmful(scalar):
                let digits = String(scalar.value, radix: 16)
                bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
            default: bytes += String(scalar).utf8
            }
        }
    }

    func write(to output: Output) throws { try output.write(bytes + [UInt8(ascii: "}"), UInt8(ascii: "\n")]) }
}
