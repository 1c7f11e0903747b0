import Stet

/// What a word of a call can be completed with.
enum WordKind: Hashable {
    case notes
    case files
    case folders
    case words([String])

    /// By the name that an operand or a value has in the table: `NOTE`, `DIR`, `bash|zsh|fish`.
    static func kinds(named name: String) -> [WordKind] {
        switch name {
        case _ where name.hasPrefix("NOTE"), "OLD": [.notes]
        case "NEW": [.notes, .files]
        case "DIR": [.folders]
        case "FILE": [.files]
        case "COMMAND": [.words(CommandTable.commands.map(\.name))]
        case "KEY": [.words(Settings.Key.allCases.map(\.rawValue))]
        case _ where name.utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "|") }):
            [.words(name.split(separator: "|").map(String.init))]
        default: []
        }
    }
}

extension Option {
    /// What its value can be completed with.
    var valueKinds: [WordKind] { choices.isEmpty ? value.map(WordKind.kinds) ?? [] : [.words(choices)] }

    /// How it is written: `-n` and `--limit`.
    var spellings: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--" + name] }
}

extension Command {
    /// What its operands can be completed with: by their positions, and then each that follows.
    ///
    /// As the usage says: `NOTE… [-m LABEL]`, where ` | ` stands between several ways to call it.
    var operandKinds: (positions: [[WordKind]], rest: [WordKind]) {
        var ways: [(positions: [[WordKind]], rest: [WordKind])] = [([], [])]
        var (depth, isValue) = (0, false)
        for word in usage.split(separator: " ") {
            let isInside = depth > 0
            depth += word.count { $0 == "[" } - word.count { $0 == "]" }
            let name = String(word.drop { $0 == "[" }.prefix { !"[]…@".contains($0) })
            if name == "|" {
                if !isInside { ways.append(([], [])) }
            } else if name.hasPrefix("-"), name != "-" {
                isValue = options.contains { $0.value != nil && $0.spellings.contains(name) }
            } else if isValue {
                isValue = false
            } else {
                let kinds = operandKinds(named: name)
                ways[ways.count - 1].positions.append(kinds)
                ways[ways.count - 1].rest = word.contains("…") ? kinds : []
            }
        }
        let count = ways.map(\.positions.count).max() ?? 0
        let positions = (0..<count).map { position in
            var all: [WordKind] = []
            for way in ways {
                let kinds = position < way.positions.count ? way.positions[position] : way.rest
                all += kinds.filter { !all.contains($0) }
            }
            return all
        }
        return (positions, ways.flatMap(\.rest))
    }

    private func operandKinds(named name: String) -> [WordKind] {
        let kinds = WordKind.kinds(named: name)
        // Whatever is saved is a file, and need not be a note yet.
        return self.name == "save" && kinds == [.notes] ? [.notes, .files] : kinds
    }

    /// What it is called by.
    var names: [String] { [name] + aliases }
}
