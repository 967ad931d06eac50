/// `completions/reelfs.bash`.
enum BashCompletion {
    static func text() -> String {
        var text = """
            # bash completion for reelfs; made by: reelfs _generate
            _reelfs() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= inner= word index
                for ((index = 1; index < COMP_CWORD; index++)); do
                    word=${COMP_WORDS[index]}
                    case $word in
                        --cache-dir|--config-dir|--log-level) ((index++)) ;;
                        -*) ;;
                        *) if [[ -z $command ]]; then command=$word; elif [[ -z $inner ]]; then inner=$word; fi ;;
                    esac
                done
                COMPREPLY=()
                case $previous in

            """
        var seen: Set<String> = []
        for flag in allFlags() where flag.value != nil && seen.insert(flag.name).inserted {
            text += "        --\(flag.name)) \(values(flag.kind)); return ;;\n"
        }
        text += "    esac\n    case $command in\n"
        text += "        '') _reelfs_words '\((visible.map(\.name) + flags(CommandTable.global) + ["--version"]).joined(separator: " "))' ;;\n"
        for command in visible {
            text += "        \(command.name))\n"
            if command.subcommands.isEmpty {
                text += "            " + body(command) + " ;;\n"
            } else {
                text += "            case $inner in\n"
                for inner in command.subcommands { text += "                \(inner.name)) \(body(inner)) ;;\n" }
                text += "                *) _reelfs_words '\(command.subcommands.map(\.name).joined(separator: " "))' ;;\n            esac ;;\n"
            }
        }
        text += """
                esac
            }
            _reelfs_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}"); }
            _reelfs_files() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen "$1" -- "${COMP_WORDS[COMP_CWORD]}"); }
            _reelfs_sources() {
                local name
                while IFS= read -r name; do
                    [[ $name == "${COMP_WORDS[COMP_CWORD]}"* ]] && COMPREPLY+=("$(printf %q "$name")")
                done < <(reelfs list --names 2>/dev/null)
            }
            complete -F _reelfs reelfs

            """
        return text
    }

    private static let visible = CommandTable.commands.filter { !$0.isHidden }

    private static func allFlags() -> [Flag] {
        CommandTable.global + visible.flatMap { $0.flags + $0.subcommands.flatMap(\.flags) }.filter { !$0.isHidden }
    }

    private static func flags(_ flags: [Flag]) -> [String] { flags.filter { !$0.isHidden }.map { "--" + $0.name } }

    private static func body(_ command: Command) -> String {
        let words = flags(command.flags + CommandTable.global).joined(separator: " ")
        let kind = command.name == "help" ? .words(visible.map(\.name)) : command.operandKind
        return "if [[ $current == -* ]]; then _reelfs_words '\(words)'; else \(values(kind)); fi"
    }

    private static func values(_ kind: ValueKind) -> String {
        switch kind {
        case .text: ":"
        case .file: "_reelfs_files -f"
        case .directory: "_reelfs_files -d"
        case .sourceName: "_reelfs_sources"
        case .words(let words): "_reelfs_words '\(words.joined(separator: " "))'"
        }
    }
}
