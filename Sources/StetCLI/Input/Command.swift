import Stet

/// An option that a command, or every command, takes.
struct Option: Sendable {
    /// The long name without its dashes.
    let name: String
    /// The one-letter name, or nil.
    var letter: Character?
    /// What its value is called in the help, or nil where it has none.
    var value: String?
    /// All that its value can be, where that is known.
    var choices: [String] = []
    let help: String
}

/// A command: the one row from which parser, help and completions are made.
struct Command: Sendable {
    let name: String
    var aliases: [String] = []
    /// What comes after the name, as in `NOTE[@V] [--lines N]`.
    let usage: String
    /// One line, beginning with a verb.
    let summary: String
    /// More that a reader of `stet help NAME` should know.
    var details = ""
    var options: [Option] = []
    /// How many operands it takes.
    let operands: ClosedRange<Int>
    /// Commands that work when typed, each with a word on what it does.
    let examples: [(command: String, effect: String)]
    let run: @Sendable (Invocation) throws -> ExitCode

    /// How it is called: `stet show NOTE[@V]`.
    var call: String { usage.isEmpty ? "stet \(name)" : "stet \(name) \(usage)" }
}

/// The commands and the options that all of them take.
enum CommandTable {
    static let commands = [
        initCommand, saveCommand, listCommand, statusCommand, historyCommand, showCommand, diffCommand, restoreCommand,
        undoCommand, redoCommand, renameCommand, removeCommand, undeleteCommand, referenceCommand, unreferenceCommand,
        resolveCommand, labelCommand, pinCommand, unpinCommand, verifyCommand, repairCommand, backupCommand,
        configCommand, completionCommand, helpCommand, versionCommand,
    ]

    /// Commands that scripts call and nobody types: no help tells of them.
    static let hidden = [noteNamesCommand, manualPageCommand]

    static let everywhere = [
        Option(name: "store", value: "DIR", help: "use the store at DIR"),
        Option(name: "json", help: "print one JSON object per line"),
        Option(name: "quiet", letter: "q", help: "print nothing but what was asked for and errors"),
        Option(
            name: "color", value: "WHEN", choices: Settings.Color.allCases.map(\.rawValue),
            help: "colour: auto, always or never"),
        Option(name: "help", letter: "h", help: "show the help of the command"),
    ]

    /// The command called `name`, in full or by an alias.
    static func command(_ name: String) throws -> Command {
        let named = (commands + hidden).first { $0.name == name || $0.aliases.contains(name) }
        if let named { return named }
        let names = commands.flatMap { [$0.name] + $0.aliases }
        throw UsageError("there is no command \"\(name)\"", suggestion: Spelling.nearest(to: name, in: names))
    }
}

/// A call that does not make sense. Exit code 2.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ problem: String, suggestion: String? = nil, command: String? = nil) {
        let help = command.map { "stet help \($0)" } ?? "stet help"
        description = problem + (suggestion.map { ": did you mean \"\($0)\"?" } ?? "") + " (see \"\(help)\")"
    }
}

enum Spelling {
    /// The one of `names` that is nearest to `text`, if it is near at all.
    static func nearest(to text: String, in names: [String]) -> String? {
        // The beginning of a word is no abbreviation here, and still tells best what was meant.
        if text.utf8.count > 1, let whole = names.first(where: { $0.hasPrefix(text) }) { return whole }
        let ranked = names.map { (name: $0, distance: distance(Array(text.lowercased().utf8), Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.name.utf8.count / 3) ? best.name : nil
    }

    /// How many letters have to be put in, taken out, exchanged or swapped with their neighbour (Damerau 1964, in the
    /// restricted form).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard left.count <= 64 else { return .max }
        var rows = [Array(0...right.count)]
        for (i, letter) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
