/// The completion script for bash. It needs no more than bash 4.4; the package bash-completion may be there or not.
enum BashCompletion {
    static var script: String { head + tables + main }

    // MARK: What the table of commands says

    private static var tables: String {
        let commands = CommandTable.commands
        let names = commands.flatMap(\.names).joined(separator: " ")
        let aliases = commands.filter { !$0.aliases.isEmpty }.map {
            "    \($0.aliases.joined(separator: " | "))) command=\($0.name) ;;\n"
        }
        let own = commands.filter { !$0.options.isEmpty }.map { command in
            "    \(command.name)) choices='\(words(command.options)) '$choices ;;\n"
        }
        let values = (commands.map { ("\($0.name)", $0.options) } + [("*", CommandTable.everywhere)]).flatMap {
            name, options in
            options.filter { $0.value != nil }.map { option in
                let patterns = option.spellings.map { name == "*" ? "*' \($0)'" : "'\(name) \($0)'" }
                return "    \(patterns.joined(separator: " | "))) \(kinds(option.valueKinds)) ;;\n"
            }
        }
        return """

            # Makes $command the command that an alias stands for.
            _stet_resolve_alias() {
                case $command in
            \(aliases.joined())    esac
            }

            # Sets $choices to the options that $command takes.
            _stet_options() {
                choices='\(words(CommandTable.everywhere))'
                case $command in
            \(own.joined())    esac
            }

            # Sets $kinds and $choices to what the value of the option $1 of $command can be; fails where it has none.
            _stet_value() {
                case "$command $1" in
            \(values.joined())    *) return 1 ;;
                esac
            }

            # Sets $kinds and $choices to what the operand of $command after $1 others can be.
            _stet_operand() {
                case "$command $1" in
                ' '*) choices='\(names)' ;;
            \(commands.map(operands).joined())    esac
            }

            """
    }

    private static func words(_ options: [Option]) -> String { options.flatMap(\.spellings).joined(separator: " ") }

    private static func operands(of command: Command) -> String {
        let (positions, rest) = command.operandKinds
        let lines = positions.enumerated().map { ("'\(command.name) \($0)'", $1) } + [("'\(command.name) '*", rest)]
        return lines.filter { !$1.isEmpty }.map { "    \($0)) \(kinds($1)) ;;\n" }.joined()
    }

    private static func kinds(_ kinds: [WordKind]) -> String {
        var (names, words): ([String], [String]) = ([], [])
        for kind in kinds {
            switch kind {
            case .notes: names.append("notes")
            case .files: names.append("files")
            case .folders: names.append("folders")
            case .words(let choices): words += choices
            }
        }
        let settings =
            (names.isEmpty ? [] : ["kinds='\(names.joined(separator: " "))'"])
            + (words.isEmpty ? [] : ["choices='\(words.joined(separator: " "))'"])
        return settings.isEmpty ? ":" : settings.joined(separator: " ")
    }

    // MARK: What is the same for every command

    private static let head = #"""
        # bash completion for stet, printed by "stet completion bash".

        # Takes the line $1 apart into $words, the whole words without their quotes, and $current, the last one, with the
        # $quote that is open in it. $behind becomes that part of it behind which readline puts what is chosen. Nothing is
        # expanded or run.
        _stet_split() {
            local line=$1 begun='' kept='' char
            while [[ $line ]]; do
                char=${line:0:1} line=${line:1}
                if [[ $quote && $char == "$quote" ]]; then
                    quote='' behind=$kept
                elif [[ $quote == "'" ]]; then
                    current+=$char
                elif [[ $char == \\ ]]; then
                    # Between double quotes it takes the meaning of these only.
                    [[ $quote && ${line:0:1} != [\"\\\$\`] ]] && current+=$char
                    current+=${line:0:1} line=${line:1} begun=yes
                elif [[ $quote ]]; then
                    current+=$char
                elif [[ $char == [\'\"] ]]; then
                    quote=$char begun=yes kept=$behind behind=$current
                elif [[ $char == [[:space:]] ]]; then
                    [[ $begun ]] && words+=("$current")
                    current='' behind='' begun=''
                else
                    # Readline breaks the word behind such a character, and before an "@".
                    [[ $COMP_WORDBREAKS == *"$char"* ]] && behind=$current${char#@}
                    current+=$char begun=yes
                fi
            done
        }

        # Makes $word what stands for it behind the $quote that is open. Not left to readline, which quotes no "$".
        _stet_quote() {
            case $quote in
            \') word=${word//\'/"'\''"} ;;
            \")
                word=${word//\\/'\\'} word=${word//\"/'\"'} word=${word//\$/'\$'} word=${word//\`/'\`'}
                # Of a "!" only a backslash outside the quotes takes the meaning.
                word=${word//\!/'"\!"'}
                ;;
            *) [[ ! $word ]] || printf -v word %q "$word" ;;
            esac
            # Behind a quote readline puts none to close it.
            [[ $quote && $word == *"$quote" ]] && word+=$quote
        }

        # Adds the words on standard input, a line each, to the answer; of $1 = files, folders with a slash.
        _stet_add() {
            local word tilde=''
            while IFS= read -r word; do
                if [[ $1 == files ]]; then
                    [[ -d ${word/#\~\//"$HOME/"} ]] && word+=/
                    # What the shell is to expand stays as it was typed.
                    [[ $current == \~* && ! $quote ]] && tilde=${word%%/*} word=${word#"$tilde"}
                fi
                word=${word#"$behind"}
                _stet_quote
                COMPREPLY+=("$before$tilde$word")
            done
        }

        """#

    private static let main = #"""

        _stet() {
            local IFS=$' \t\n' words=() current='' quote='' behind='' before='' word
            local command='' store='' options=yes pending='' kinds='' choices=''
            local -i operands=0
            if [[ ${COMP_LINE-} ]]; then
                _stet_split "${COMP_LINE:0:COMP_POINT}"
            else
                words=("${COMP_WORDS[@]:0:COMP_CWORD}") current=${COMP_WORDS[COMP_CWORD]-}
            fi
            for word in "${words[@]:1}"; do
                if [[ $pending ]]; then
                    [[ $pending == --store ]] && store=$word
                    pending=''
                elif [[ $options && $word == -- ]]; then
                    options=''
                elif [[ $options && $word == -?* ]]; then
                    [[ $word == --store=* ]] && store=${word#*=}
                    _stet_value "$word" && pending=$word
                elif [[ ! $command ]]; then
                    command=$word
                    _stet_resolve_alias
                else
                    operands+=1
                fi
            done

            kinds='' choices='' COMPREPLY=()
            if [[ $pending ]]; then
                _stet_value "$pending"
            elif [[ $options && $current == --*=* ]]; then
                before=${current%%=*}= current=${current#*=}
                _stet_value "${before%=}"
                [[ $behind == "$before"* ]] && behind=${behind#"$before"} before=''
            elif [[ $options && $current == -* ]]; then
                _stet_options
            else
                _stet_operand "$operands"
            fi
            [[ $choices ]] && _stet_add words < <(compgen -W "$choices" -- "$current")
            [[ $kinds == *notes* ]] && _stet_add notes \
                < <(command stet note-names ${store:+"--store=$store"} -- "$command" "$current" 2>/dev/null)
            [[ $kinds == *files* ]] && _stet_add files < <(compgen -f -- "$current")
            [[ $kinds == *folders* ]] && _stet_add files < <(compgen -d -- "$current")
            # One may go on behind the name of a folder.
            [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null
            return 0
        }

        complete -F _stet stet

        """#
}
