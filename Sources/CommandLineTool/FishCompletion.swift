/// `completions/reelfs.fish`.
enum FishCompletion {
    static func text() -> String {
        var text = """
            # fish completion for reelfs; made by: reelfs _generate
            function __reelfs_sources
                reelfs list --names 2>/dev/null
            end
            complete -c reelfs -f

            """
        for flag in CommandTable.global { text += line("", flag) }
        text += "complete -c reelfs -n __fish_use_subcommand -l version -s V -d 'show the version'\n"
        for command in visible {
            text += "complete -c reelfs -n __fish_use_subcommand -a \(command.name) -d '\(quoted(command.summary))'\n"
            let seen = "__fish_seen_subcommand_from \(command.name)"
            if command.subcommands.isEmpty {
                text += body(command, " -n '\(seen)'")
            } else {
                let names = command.subcommands.map(\.name).joined(separator: " ")
                for inner in command.subcommands {
                    text +=
                        "complete -c reelfs -n '\(seen); and not __fish_seen_subcommand_from \(names)'"
                        + " -a \(inner.name) -d '\(quoted(inner.summary))'\n"
                    text += body(inner, " -n '\(seen); and __fish_seen_subcommand_from \(inner.name)'")
                }
            }
        }
        return text
    }

    private static let visible = CommandTable.commands.filter { !$0.isHidden }

    private static func body(_ command: Command, _ condition: String) -> String {
        var text = ""
        let kind = command.name == "help" ? .words(visible.map(\.name)) : command.operandKind
        if let values = values(kind) { text += "complete -c reelfs\(condition) \(values)\n" }
        for flag in command.flags where !flag.isHidden { text += line(condition, flag) }
        return text
    }

    private static func line(_ condition: String, _ flag: Flag) -> String {
        let short = flag.short.map { " -s \($0)" } ?? ""
        let value = flag.value == nil ? "" : " -r" + (values(flag.kind).map { " " + $0 } ?? "")
        return "complete -c reelfs\(condition) -l \(flag.name)\(short)\(value) -d '\(quoted(flag.help))'\n"
    }

    private static func values(_ kind: ValueKind) -> String? {
        switch kind {
        case .text: nil
        case .file: "-F"
        case .directory: "-a '(__fish_complete_directories)'"
        case .sourceName: "-a '(__reelfs_sources)'"
        case .words(let words): "-a '\(words.joined(separator: " "))'"
        }
    }

    private static func quoted(_ text: String) -> String {
        text.map { $0 == "'" ? "\\'" : $0 == "\\" ? "\\\\" : String($0) }.joined()
    }
}
