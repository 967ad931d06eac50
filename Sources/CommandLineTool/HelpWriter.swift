/// `--help`, from the table. Lines of at most 80 columns.
enum HelpWriter {
    private static let limit = 80

    static func program() -> String {
        var text = "reelfs: cloud drives and web links as directories\n\nUsage: reelfs COMMAND [FLAGS]\n\nCommands:\n"
        let shown = CommandTable.commands.filter { !$0.isHidden }
        let column = (shown.map(\.name.count).max() ?? 0) + 4
        for command in shown { text += entry("  " + command.name, command.summary, column) }
        text += "\nFlags of all commands:\n" + flags(CommandTable.global + [Flag("version", short: "V", "show the version")])
        text += """

            Start here:
              reelfs demo                          try it, no account needed
              reelfs add URL --user NAME           add a drive
              reelfs mount ~/Reel                  mount what was added
              reelfs help COMMAND                  more about a command

            """
        return text
    }

    /// `nil`: there is no such command.
    static func command(_ path: [String]) -> String? {
        guard let name = path.first, let outer = CommandTable.command(name) else { return nil }
        var command = outer
        if path.count > 1 {
            guard path.count == 2, let inner = outer.subcommands.first(where: { $0.name == path[1] }) else { return nil }
            command = inner
        }
        return text(command, (["reelfs"] + path).joined(separator: " "))
    }

    private static func text(_ command: Command, _ words: String) -> String {
        var text = TextColumns.wrapped("\(words): \(command.summary)", limit: limit) + "\n\n"
        text += "Usage: " + usage(command, words) + "\n"
        for paragraph in command.details { text += "\n" + TextColumns.wrapped(paragraph, limit: limit) + "\n" }
        if !command.subcommands.isEmpty {
            text += "\nSubcommands:\n"
            let column = (command.subcommands.map(\.name.count).max() ?? 0) + 4
            for inner in command.subcommands { text += entry("  " + inner.name, inner.summary, column) }
        }
        let own = command.flags.filter { !$0.isHidden }
        if !own.isEmpty { text += "\nFlags:\n" + flags(own) }
        text += "\nFlags of all commands:\n" + flags(CommandTable.global)
        if let without = command.withoutDaemon { text += "\n" + TextColumns.wrapped("Without a running daemon: \(without)", limit: limit) + "\n" }
        if !command.examples.isEmpty {
            text += "\nExamples:\n"
            for example in command.examples { text += "  \(example.line)\n      \(example.explanation)\n" }
        }
        return text
    }

    static func usage(_ command: Command, _ words: String) -> String {
        if !command.subcommands.isEmpty { return "\(words) SUBCOMMAND [FLAGS]" }
        return words + (command.operands.isEmpty ? "" : " " + command.operands) + " [FLAGS]"
    }

    private static func flags(_ flags: [Flag]) -> String {
        flags.filter { !$0.isHidden }.map { entry("  " + spelled($0), $0.help, 28) }.joined()
    }

    /// `-o, --option OPTION,...`
    static func spelled(_ flag: Flag) -> String {
        (flag.short.map { "-\($0), " } ?? "    ") + "--" + flag.name + (flag.value.map { " " + $0 } ?? "")
    }

    private static func entry(_ left: String, _ right: String, _ column: Int) -> String {
        let indent = String(repeating: " ", count: column)
        let fill = left.count + 2 <= column ? String(repeating: " ", count: column - left.count) : "\n" + indent
        let lines = TextColumns.wrapped(right, limit: limit - column).split(separator: "\n")
        return left + fill + lines.joined(separator: "\n" + indent) + "\n"
    }
}
