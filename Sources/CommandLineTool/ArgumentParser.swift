/// What the words of a command line mean.
struct ParsedCommand: Sendable {
    /// The command itself; for `cache list` the inner one.
    var command: Command
    /// `["cache", "list"]`.
    var path: [String]
    /// Values by the flag's name; a flag without value has `""`.
    var values: [String: [String]] = [:]
    var operands: [String] = []

    func has(_ flag: String) -> Bool { values[flag] != nil }
    /// The last one given.
    func value(_ flag: String) -> String? { values[flag]?.last }
    func all(_ flag: String) -> [String] { values[flag] ?? [] }
}

/// Reads command lines by the table. Flags may stand anywhere after the program's name; `--` ends them; `-` alone is an operand.
enum ArgumentParser {
    enum Outcome {
        case run(ParsedCommand)
        /// Help for the command at this path; empty: for the program.
        case help([String])
        case version
    }

    static func parse(_ words: [String]) throws(CommandFailure) -> Outcome {
        var rest = words[...]
        var values: [String: [String]] = [:]
        // Flags before the command: only global ones.
        while let word = rest.first, word.hasPrefix("-"), word != "-" {
            if word == "--version" || word == "-V" { return .version }
            rest = rest.dropFirst()
            if try take(word, &rest, CommandTable.global, &values, of: []) { return .help([]) }
        }
        guard let name = rest.popFirst() else { return .help([]) }
        guard var command = CommandTable.command(name) else { throw unknownCommand(name, among: CommandTable.commands, of: []) }
        var path = [name]
        if name == "help" { return .help(rest.filter { !$0.hasPrefix("-") }) }

        var operands: [String] = []
        var flagsEnded = false
        while let word = rest.popFirst() {
            if !flagsEnded, word == "--" {
                flagsEnded = true
            } else if !flagsEnded, word.hasPrefix("-"), word != "-" {
                // Before the inner command its flags are known, too: the inner ones are all of one kind.
                let flags = command.flags + command.subcommands.flatMap(\.flags) + CommandTable.global
                if try take(word, &rest, flags, &values, of: path) { return .help(path) }
            } else if !command.subcommands.isEmpty {
                guard let inner = command.subcommands.first(where: { $0.name == word }) else {
                    throw unknownCommand(word, among: command.subcommands, of: path)
                }
                command = inner
                path.append(word)
            } else {
                operands.append(word)
            }
        }
        guard command.subcommands.isEmpty else {
            throw .usage("\(path.joined(separator: " ")) needs a subcommand", advice: command.subcommands.map(\.name).joined(separator: ", "))
        }
        let known = Set((command.flags + CommandTable.global).map(\.name))
        if let stray = values.keys.filter({ !known.contains($0) }).min() {
            throw .usage("\(path.joined(separator: " ")) takes no --\(stray)", advice: seeHelp(path))
        }
        guard operands.count >= command.operandCount.lowerBound else { throw .usage("\(needed(command)) is missing", advice: seeHelp(path)) }
        guard operands.count <= command.operandCount.upperBound else {
            throw .usage("there is a word too many: \(operands.last ?? "")", advice: seeHelp(path))
        }
        return .run(ParsedCommand(command: command, path: path, values: values, operands: operands))
    }

    /// The operands without those that may be left out.
    private static func needed(_ command: Command) -> String {
        command.operands.split(separator: " ").filter { !$0.hasPrefix("[") }.joined(separator: " ")
    }

    /// Takes the flags of one word, and the next word when a flag needs it as its value.
    /// - Returns: whether help was asked for.
    private static func take(
        _ word: String, _ rest: inout ArraySlice<String>, _ flags: [Flag], _ values: inout [String: [String]], of path: [String]
    )
        throws(CommandFailure) -> Bool
    {
        if word.hasPrefix("--") {
            let body = word.dropFirst(2)
            let equals = body.firstIndex(of: "=")
            let name = String(body[..<(equals ?? body.endIndex)])
            guard let flag = flags.first(where: { $0.name == name }) else {
                let near = nearest(name, flags.filter { !$0.isHidden }.map(\.name))
                throw .usage("there is no flag --\(name)", advice: near.map { "did you mean --\($0)?" } ?? seeHelp(path))
            }
            return try store(flag, shown: "--\(name)", attached: equals.map { String(body[body.index(after: $0)...]) }, &rest, &values)
        }
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let flag = flags.first(where: { $0.short == letter }) else { throw .usage("there is no flag -\(letter)", advice: seeHelp(path)) }
            let attached = flag.value != nil && !letters.isEmpty ? String(letters) : nil
            if try store(flag, shown: "-\(letter)", attached: attached, &rest, &values) { return true }
            if attached != nil { break }
        }
        return false
    }

    private static func store(
        _ flag: Flag, shown: String, attached: String?, _ rest: inout ArraySlice<String>, _ values: inout [String: [String]]
    )
        throws(CommandFailure) -> Bool
    {
        if flag.name == "help" { return true }
        guard let placeholder = flag.value else {
            if attached != nil { throw .usage("\(shown) takes no value") }
            values[flag.name] = [""]
            return false
        }
        guard let value = attached ?? rest.popFirst() else { throw .usage("\(shown) needs a value", advice: "\(shown) \(placeholder)") }
        if values[flag.name] != nil, !flag.isRepeatable { throw .usage("\(shown) is given twice") }
        values[flag.name, default: []].append(value)
        return false
    }

    private static func unknownCommand(_ name: String, among commands: [Command], of path: [String]) -> CommandFailure {
        let near = nearest(name, commands.filter { !$0.isHidden }.map(\.name))
        let whole = (path + [name]).joined(separator: " ")
        return .usage("there is no command \(whole)", advice: near.map { "did you mean \((path + [$0]).joined(separator: " "))?" } ?? seeHelp(path))
    }

    private static func seeHelp(_ path: [String]) -> String { "see: " + (["reelfs"] + path + ["--help"]).joined(separator: " ") }

    /// The one word that differs in at most two letters.
    private static func nearest(_ word: String, _ candidates: [String]) -> String? {
        guard word.count <= 40 else { return nil }
        return candidates.map { ($0, distance(Array(word), Array($0))) }.filter { $0.1 <= min(2, word.count / 2) }.min { $0.1 < $1.1 }?.0
    }

    /// Levenshtein's.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(diagonal + (a == b ? 0 : 1), above + 1, row[j] + 1)
                diagonal = above
            }
        }
        return row[right.count]
    }
}
