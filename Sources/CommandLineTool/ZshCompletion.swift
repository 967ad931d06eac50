/// `completions/_reelfs`.
enum ZshCompletion {
    static func text() -> String {
        var text = """
            #compdef reelfs
            # zsh completion for reelfs; made by: reelfs _generate
            _reelfs_sources() { local -a names; names=("${(@f)$(reelfs list --names 2>/dev/null)}"); compadd -a names }
            _reelfs() {
                local context state line
                local -a commands
                commands=(

            """
        for command in visible { text += "        '\(command.name):\(quoted(command.summary))'\n" }
        text += "    )\n    _arguments -C \\\n"
        for flag in CommandTable.global { text += "        \(spec(flag)) \\\n" }
        text += """
                    '--version[show the version]' \\
                    '1:command:->command' \\
                    '*::argument:->argument'
                case $state in
                    command) _describe command commands ;;
                    argument)
                        case $words[1] in

            """
        for command in visible {
            text += "                \(command.name))\n"
            if command.subcommands.isEmpty {
                text += arguments(command, "                    ")
            } else {
                text += "                    local -a inner\n                    inner=(\n"
                for inner in command.subcommands { text += "                        '\(inner.name):\(quoted(inner.summary))'\n" }
                text += "                    )\n                    if (( CURRENT == 2 )); then _describe subcommand inner; else\n"
                text += "                        shift words; (( CURRENT-- ))\n                        case $words[1] in\n"
                for inner in command.subcommands {
                    text += "                            \(inner.name))\n" + arguments(inner, "                                ")
                    text += "                                ;;\n"
                }
                text += "                        esac\n                    fi\n"
            }
            text += "                    ;;\n"
        }
        text += "            esac ;;\n    esac\n}\n_reelfs \"$@\"\n"
        return text
    }

    private static let visible = CommandTable.commands.filter { !$0.isHidden }

    private static func arguments(_ command: Command, _ indent: String) -> String {
        let specs = (command.flags + CommandTable.global).filter { !$0.isHidden }.map(spec)
        let kind = command.name == "help" ? .words(visible.map(\.name)) : command.operandKind
        let operands = command.operands.isEmpty ? [] : ["'*:\(quoted(command.operands)):\(action(kind))'"]
        return indent + "_arguments \\\n" + (specs + operands).map { "\(indent)    \($0)" }.joined(separator: " \\\n") + "\n"
    }

    private static func spec(_ flag: Flag) -> String {
        let value = flag.value.map { ":\(quoted($0)):\(action(flag.kind))" } ?? ""
        let repeats = flag.isRepeatable ? "*" : ""
        let tail = "[\(quoted(flag.help))]\(value)"
        guard let short = flag.short else { return "'\(repeats)--\(flag.name)\(flag.value == nil ? "" : "=")\(tail)'" }
        let names = "{\(repeats.isEmpty ? "" : "'*'")-\(short),\(repeats.isEmpty ? "" : "'*'")--\(flag.name)\(flag.value == nil ? "" : "=")}"
        return names + "'\(tail)'"
    }

    private static func action(_ kind: ValueKind) -> String {
        switch kind {
        case .text: ""
        case .file: "_files"
        case .directory: "_files -/"
        case .sourceName: "_reelfs_sources"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    /// Inside single quotes and the brackets of a spec.
    private static func quoted(_ text: String) -> String {
        text.map { character in
            switch character {
            case "'": "'\\''"
            case "[", "]", ":", "\\": "\\\(character)"
            default: String(character)
            }
        }.joined()
    }
}
