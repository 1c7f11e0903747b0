/// The completion script for fish.
enum FishCompletion {
    static var script: String { head + tables + names + rules }

    // MARK: What the table of commands says

    private static var tables: String {
        let commands = CommandTable.commands
        let aliases = commands.filter { !$0.aliases.isEmpty }.map {
            "        case \($0.aliases.joined(separator: " "))\n            set command \($0.name)\n"
        }
        let values = (commands.map { ($0.name, $0.options) } + [("*", CommandTable.everywhere)]).flatMap {
            name, options in
            options.filter { $0.value != nil }.flatMap(\.spellings).map { quoted("\(name) \($0)") }
        }
        return """

            # Makes $command the command that an alias stands for.
            function __stet_resolve_alias --no-scope-shadowing
                switch $command
            \(aliases.joined())    end
            end

            # Whether the option $argv[2] of the command $argv[1] takes a value.
            function __stet_takes_value
                switch "$argv"
                    case \(values.joined(separator: " "))
                        return 0
                end
                return 1
            end

            """
    }

    private static var rules: String {
        let commands = CommandTable.commands
        var lines = ["", "complete -c stet -f"]
        for command in commands {
            for name in command.names {
                lines.append("complete -c stet -n '__stet_at \"\"' -a \(name) -d \(quoted(command.summary))")
            }
        }
        for option in CommandTable.everywhere { lines.append("complete -c stet\(rule(option))") }
        for command in commands {
            for option in command.options {
                lines.append("complete -c stet -n '__stet_at \(command.name)'\(rule(option))")
            }
            let (positions, rest) = command.operandKinds
            for (position, kinds) in positions.enumerated() where !kinds.isEmpty {
                lines.append("complete -c stet -n '__stet_at \(command.name) \(position)'\(rule(kinds, command.name))")
            }
            if !rest.isEmpty {
                let after = "not __stet_at \(command.name) " + positions.indices.map(String.init).joined(separator: " ")
                let condition = "__stet_at \(command.name); and \(after)"
                lines.append("complete -c stet -n '\(condition)'\(rule(rest, command.name))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func rule(_ option: Option) -> String {
        let names = (option.letter.map { " -s \($0)" } ?? "") + " -l \(option.name)"
        let value = option.value == nil ? "" : " -r" + rule(option.valueKinds, "")
        return names + value + " -d " + quoted(option.help)
    }

    private static func rule(_ kinds: [WordKind], _ command: String) -> String {
        let sources = kinds.flatMap { kind in
            switch kind {
            case .notes: ["(__stet_notes \(command))"]
            case .folders: ["(__fish_complete_directories)"]
            case .files: [String]()
            case .words(let words): words
            }
        }
        let words = sources.isEmpty ? "" : " -a " + quoted(sources.joined(separator: " "))
        return (kinds.contains(.files) ? " -F" : " -f") + words
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.flatMap { "'\\".contains($0) ? ["\\", $0] : [$0] } + "'"
    }

    // MARK: What is the same for every command

    private static let head = #"""
        # fish completion for stet, printed by "stet completion fish".

        """#

    private static let names = #"""

        # Sets $command, $operands (how many there are so far) and $store from the words before the cursor.
        function __stet_look --no-scope-shadowing
            set command ''
            set operands 0
            set store
            set -l pending ''
            set -l options yes
            set -l words (commandline -opc)
            for word in $words[2..]
                if test -n "$pending"
                    test "$pending" = --store; and set store "--store=$word"
                    set pending ''
                else if test $options = yes; and test "$word" = --
                    set options no
                else if test $options = yes; and string match -q -- '-?*' $word
                    string match -q -- '--store=*' $word; and set store $word
                    __stet_takes_value "$command" $word; and set pending $word
                else if test -z "$command"
                    set command $word
                    __stet_resolve_alias
                else
                    set operands (math $operands + 1)
                end
            end
        end

        # Whether the command is $argv[1], and has as many operands so far as one of the numbers after it says.
        function __stet_at
            set -l command
            set -l operands
            set -l store
            __stet_look
            test "$command" = "$argv[1]"; or return 1
            test (count $argv) = 1; or contains -- $operands $argv[2..]
        end

        # The names of notes that the operand of the command $argv[1] can be.
        function __stet_notes
            set -l command
            set -l operands
            set -l store
            __stet_look
            set -l token (commandline -ct)
            # Without its quotes, one of which may still be open.
            set -l typed (string unescape -- $token; or string unescape -- $token'"'; or string unescape -- $token"'")
            command stet note-names $store -- $argv[1] "$typed" 2>/dev/null
        end

        """#
}
