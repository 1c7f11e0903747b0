import Stet

let helpCommand = Command(
    name: "help", usage: "[COMMAND]",
    summary: "show help",
    operands: 0...1,
    examples: [("stet help save", "how to save")]
) { invocation in
    guard let name = invocation.arguments.operands.first else { return try Help.overview(invocation.output) }
    return try Help.show(CommandTable.command(String(decoding: name, as: UTF8.self)), invocation.output)
}

let versionCommand = Command(
    name: "version", usage: "",
    summary: "say which version of Stet this is",
    operands: 0...0,
    examples: [("stet version", "for a report")]
) { invocation in
    try invocation.output.line("stet \(Help.version)")
    return .done
}

/// The help, made from the table of commands.
enum Help {
    static let version = "0.1.0"
    /// The day of that version, for the manual page.
    static let date = "2026-11-30"

    /// Whether there is a store to say something about.
    static func hasStore(_ arguments: Arguments) -> Bool {
        guard let folder = try? Surroundings.storeFolder(arguments.value("store")) else { return false }
        return (try? FileSystem.status(folder))??.isFolder == true
    }

    /// All commands, a line each.
    static func overview(_ output: Output) throws -> ExitCode {
        try output.line("stet keeps every version of every note.")
        try output.line("")
        let width = CommandTable.commands.map { $0.name.count }.max() ?? 0
        for command in CommandTable.commands {
            let padding = String(repeating: " ", count: width - command.name.count)
            try output.line("  \(Style.strong.apply(command.name, output))\(padding)  \(command.summary)")
        }
        try output.line("")
        try output.line("To begin:  cd NOTES; stet init; stet save")
        try output.line("More:      stet help COMMAND")
        return .done
    }

    /// One command.
    static func show(_ command: Command, _ output: Output) throws -> ExitCode {
        try output.line(Style.strong.apply(command.call, output))
        if !command.aliases.isEmpty { try output.line("also: stet \(command.aliases.joined(separator: ", stet "))") }
        try output.line("")
        try output.line("  \(command.summary.prefix(1).uppercased())\(command.summary.dropFirst()).")
        if !command.details.isEmpty {
            try output.line("")
            for line in command.details.split(separator: "\n", omittingEmptySubsequences: false) {
                try output.line(line.isEmpty ? "" : "  \(line)")
            }
        }
        try output.line("")
        try show(command.options + CommandTable.everywhere, output)
        try output.line("")
        try output.line(command.examples.count == 1 ? "Example:" : "Examples:")
        for example in command.examples {
            try output.line("  \(example.command)")
            try output.line("      \(Style.faint.apply(example.effect, output))")
        }
        return .done
    }

    private static func show(_ options: [Option], _ output: Output) throws {
        let rows = options.map { option in
            let letter = option.letter.map { "-\($0), " } ?? "    "
            return (letter + "--" + option.name + (option.value.map { " " + $0 } ?? ""), option.help)
        }
        let width = rows.map { $0.0.count }.max() ?? 0
        for (names, help) in rows {
            try output.line("  \(names)\(String(repeating: " ", count: width - names.count))  \(help)")
        }
    }
}
