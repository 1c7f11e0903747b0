import Stet

/// The arguments of one command, taken apart.
///
/// Operands stay bytes: a name need not be UTF-8 to be refused well.
struct Arguments: Sendable {
    private(set) var operands: [[UInt8]] = []
    private var values: [String: String] = [:]
    private let command: Command?

    /// Takes `words` apart by the options that `command` and every command take. Options stand anywhere before `--`.
    init(_ words: [[UInt8]], for command: Command?) throws {
        self.command = command
        var rest = words[...]
        while let word = rest.popFirst() {
            if word.elementsEqual("--".utf8) {
                operands += rest
                break
            }
            if word.count > 1, word[0] == UInt8(ascii: "-") {
                try take(option: String(decoding: word, as: UTF8.self), &rest)
            } else {
                operands.append(word)
            }
        }
    }

    private var options: [Option] { (command?.options ?? []) + CommandTable.everywhere }

    private mutating func take(option word: String, _ rest: inout ArraySlice<[UInt8]>) throws {
        if word.hasPrefix("--") {
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = options.first(where: { $0.name == name }) else {
                throw unknown(
                    "--" + name, nearest: Spelling.nearest(to: name, in: options.map(\.name)).map { "--" + $0 })
            }
            try set(option, attached: parts.count == 2 ? String(parts[1]) : nil, called: "--" + name, &rest)
            return
        }
        // One letter, or several that take no value, or one with its value right after it.
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.letter == letter }) else {
                throw unknown("-\(letter)", nearest: nil)
            }
            if option.value == nil {
                try set(option, attached: nil, called: "-\(letter)", &rest)
            } else {
                try set(option, attached: letters.isEmpty ? nil : String(letters), called: "-\(letter)", &rest)
                return
            }
        }
    }

    private func unknown(_ text: String, nearest: String?) -> UsageError {
        let owner = command.map { "\"stet \($0.name)\" has no option" } ?? "there is no option"
        return UsageError("\(owner) \"\(text)\"", suggestion: nearest, command: command?.name)
    }

    private mutating func set(
        _ option: Option, attached: String?, called name: String, _ rest: inout ArraySlice<[UInt8]>
    ) throws {
        guard let placeholder = option.value else {
            if attached != nil { throw UsageError("\(name) takes no value", command: command?.name) }
            values[option.name] = ""
            return
        }
        guard let bytes = attached.map({ Array($0.utf8) }) ?? rest.popFirst() else {
            throw UsageError("\(name) needs a value: \(name) \(placeholder)", command: command?.name)
        }
        guard let value = String(validating: bytes, as: UTF8.self) else {
            throw UsageError("the value of \(name) is not UTF-8", command: command?.name)
        }
        values[option.name] = value
    }

    /// Whether the option was given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The value of an option, or nil where it was not given.
    func value(_ name: String) -> String? { values[name] }

    /// The value of an option as a number of at least `minimum`.
    func number(_ name: String, minimum: Int) throws -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), number >= minimum else {
            throw UsageError("--\(name) takes a number from \(minimum), not \"\(text)\"", command: command?.name)
        }
        return number
    }
}
