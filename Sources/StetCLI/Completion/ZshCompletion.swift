/// The completion script for zsh, in the language of its completion system (zshcompsys(1)).
enum ZshCompletion {
    static var script: String { head + tables + tail }

    // MARK: What the table of commands says

    private static var tables: String {
        let commands = CommandTable.commands
        let described = commands.flatMap { command in
            command.names.map { "        \(quoted("\($0):\(escaped(command.summary))"))\n" }
        }
        let cases = commands.map { command in
            let words = command.options.map(specification) + operands(of: command)
            let lines = words.map { " \\\n            \($0)" }.joined()
            return """
                    \(command.names.joined(separator: "|")))
                        _arguments -s -S $everywhere\(lines) && result=0
                        ;;

                """
        }
        return """

            _stet_commands() {
                local -a commands=(
            \(described.joined())    )
                _describe -t commands 'stet command' commands
            }

            _stet() {
                local curcontext=$curcontext state line stet_store
                local -i result=1
                typeset -A opt_args
                local -a everywhere=(
            \(CommandTable.everywhere.map { "        \(specification($0))\n" }.joined())    )
                _arguments -C -S $everywhere ': :_stet_commands' '*:: :->operands' && result=0
                [[ $state == operands ]] || return result
                stet_store=${(Q)opt_args[--store]}
                curcontext=${curcontext%:*}-$words[1]:
                case $words[1] in
            \(cases.joined())    esac
                return result
            }

            """
    }

    private static func specification(_ option: Option) -> String {
        let help = "[\(escaped(option.help))]"
        let value = option.value.map { ":\(escaped($0)):\(action(option.valueKinds, ""))" } ?? ""
        let long = "--\(option.name)\(option.value == nil ? "" : "=")"
        guard let letter = option.letter else { return quoted(long + help + value) }
        let short = "-\(letter)\(option.value == nil ? "" : "+")"
        return quoted("(\(option.spellings.joined(separator: " ")))") + "{\(short),\(long)}" + quoted(help + value)
    }

    private static func operands(of command: Command) -> [String] {
        let (positions, rest) = command.operandKinds
        let words = positions.map { ":operand:\(action($0, command.name))" }
        return (words + (rest.isEmpty ? [] : ["*:operand:\(action(rest, command.name))"])).map(quoted)
    }

    /// The words that `_arguments` takes for what completes a word; a blank before them keeps it from adding others.
    private static func action(_ kinds: [WordKind], _ command: String) -> String {
        let words = kinds.compactMap { if case .words(let words) = $0 { words } else { nil } }.joined()
        if !words.isEmpty { return "(\(words.joined(separator: " ")))" }
        return switch kinds {
        case [.notes]: " _stet_notes \(command)"
        case [.files]: "_files"
        case [.folders]: "_directories"
        case []: " "
        default: " _stet_notes_and_files \(command)"
        }
    }

    private static func escaped(_ text: String) -> String {
        String(text.flatMap { "[]:\\".contains($0) ? ["\\", $0] : [$0] })
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    // MARK: What is the same for every command

    private static let head = #"""
        #compdef stet
        # zsh completion for stet, printed by "stet completion zsh".

        # The names of notes that the operand of the command $1 can be, a folder at a time. Nothing is expanded or run.
        _stet_notes() {
            local typed=$PREFIX folder name
            local -i result=1
            local -a found names folders expl
            [[ $compstate[quote] == \' ]] || typed=${(Q)PREFIX}
            [[ $typed == */* ]] && folder=${typed%/*}/
            found=(${(f)"$(command stet note-names ${stet_store:+--store=$stet_store} -- $1 $typed 2>/dev/null)"})
            for name in $found; do
                [[ $name == $folder* ]] && name=${name[$#folder+1,-1]}
                if [[ $name == */ ]]; then folders+=($name); else names+=($name); fi
            done
            compset -P '*/'
            _description notes expl note
            compadd "$expl[@]" -a names && result=0
            compadd "$expl[@]" -S '' -a folders && result=0
            return result
        }

        _stet_notes_and_files() {
            local -i result=1
            _stet_notes $1 && result=0
            _files && result=0
            return result
        }

        """#

    private static let tail = #"""

        if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
            _stet "$@"
        else
            compdef _stet stet
        fi

        """#
}
