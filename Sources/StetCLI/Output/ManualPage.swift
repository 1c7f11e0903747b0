/// The manual page, made from the table of commands: man(7), for mandoc and groff alike.
enum ManualPage {
    static var text: String {
        let title = ".TH STET 1 \(Help.date) \"stet \(Help.version)\" \"User Commands\"\n"
        return wrapped(title + beginning + commands + options + end + examples + ending)
    }

    /// No line longer than 80 bytes where it may be broken: not a tag, which is the line after `.TP`.
    private static func wrapped(_ page: String) -> String {
        var (result, before) = ("", "")
        for line in page.split(separator: "\n") {
            if line.hasPrefix(".") || before == ".TP" || line.utf8.count <= 80 {
                result += line + "\n"
            } else {
                var length = 0
                for word in line.split(separator: " ") {
                    let isFirst = length == 0
                    let isTooLong = !isFirst && length + 1 + word.utf8.count > 80
                    result += isFirst ? "" : isTooLong ? "\n" : " "
                    length = isFirst || isTooLong ? 0 : length + 1
                    result += word
                    length += word.utf8.count
                }
                result += "\n"
            }
            before = String(line)
        }
        return result
    }

    // MARK: What the table of commands says

    private static var commands: String { ".SH COMMANDS\n" + CommandTable.commands.map(section).joined() }

    private static func section(_ command: Command) -> String {
        let also = command.aliases.map { "\(bold("stet \($0)"))\n" }.joined(separator: ".br\n")
        return """
            .SS \(command.name)
            \(call(command.call))
            \(also.isEmpty ? "" : ".PP\nAlso:\n\(also)").PP
            \(escaped(command.summary.prefix(1).uppercased() + command.summary.dropFirst())).
            \(paragraphs(command.details))\(list(command.options))
            """
    }

    private static var options: String {
        ".SH OPTIONS\nOptions stand anywhere before \(bold("--")). Every command takes these:\n"
            + list(CommandTable.everywhere)
    }

    private static func list(_ options: [Option]) -> String {
        options.map { option in
            let value = option.value.map { " " + italic($0) } ?? ""
            let names = option.spellings.map { bold($0) + value }.joined(separator: ", ")
            return ".TP\n\(names)\n\(escaped(option.help.prefix(1).uppercased() + option.help.dropFirst())).\n"
        }.joined()
    }

    private static var examples: String {
        let rows = CommandTable.commands.flatMap(\.examples)
        return ".SH EXAMPLES\n"
            + rows.map {
                ".TP\n\(bold($0.command))\n\(escaped($0.effect.prefix(1).uppercased() + $0.effect.dropFirst())).\n"
            }
            .joined()
    }

    // MARK: Marking up

    /// Filled, but for a paragraph whose lines are columns.
    private static func paragraphs(_ details: String) -> String {
        details.split(separator: "\n\n").map { paragraph in
            let lines = paragraph.split(separator: "\n").map { line($0) + "\n" }.joined()
            return paragraph.contains("  ") ? ".PP\n.nf\n\(lines).fi\n" : ".PP\n\(lines)"
        }.joined()
    }

    private static func line(_ text: Substring) -> String {
        // A line that begins with a point would be a request.
        (text.first == "." ? "\\&" : "") + escaped(text)
    }

    /// A way of calling: literal words bold, placeholders italic.
    private static func call(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        func isPart(_ character: Character) -> Bool { character.isLetter || character == "-" }
        while let first = rest.first {
            let word = rest.prefix(while: isPart)
            if word.isEmpty {
                result += escaped(String(first))
                rest = rest.dropFirst()
            } else {
                result += word.allSatisfy(\.isUppercase) ? italic(String(word)) : bold(String(word))
                rest = rest.dropFirst(word.count)
            }
        }
        return result
    }

    private static func bold(_ text: some StringProtocol) -> String { "\\fB\(escaped(text))\\fR" }
    private static func italic(_ text: some StringProtocol) -> String { "\\fI\(escaped(text))\\fR" }

    /// Text in which nothing means anything to roff, and dashes and quotes stay what they are (groff_char(7)).
    private static func escaped(_ text: some StringProtocol) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "~": "\\(ti"
            case "^": "\\(ha"
            case _ where scalar.isASCII: String(scalar)
            default: "\\[u" + String(repeating: "0", count: max(0, 4 - hex(scalar).count)) + hex(scalar) + "]"
            }
        }.joined()
    }

    private static func hex(_ scalar: Unicode.Scalar) -> String { String(scalar.value, radix: 16, uppercase: true) }
}
