/// One command of the tool as data: parser, help, manual and completions all come from it.
struct Command: Sendable {
    var name: String
    /// What it does, in a few words: the line in the list of commands.
    var summary: String
    /// The words after the name in the usage line, flags apart: `URL|-`, `[NAME...]`.
    var operands: String = ""
    var operandCount: ClosedRange<Int> = 0...0
    var operandKind: ValueKind = .text
    var flags: [Flag] = []
    /// Paragraphs.
    var details: [String] = []
    var examples: [Example] = []
    /// What it can do when no daemon runs.
    var withoutDaemon: String?
    var subcommands: [Command] = []
    var isHidden = false
}

struct Flag: Sendable {
    /// Without dashes; also the key of its value after parsing.
    var name: String
    var short: Character?
    /// The name of its value; `nil`: the flag takes none.
    var value: String?
    var kind: ValueKind = .text
    var isRepeatable = false
    var isHidden = false
    var help: String

    init(
        _ name: String, short: Character? = nil, value: String? = nil, kind: ValueKind = .text, isRepeatable: Bool = false, isHidden: Bool = false,
        _ help: String
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.kind = kind
        self.isRepeatable = isRepeatable
        self.isHidden = isHidden
        self.help = help
    }
}

/// What a value is: for completion.
enum ValueKind: Hashable, Sendable {
    case text, file, directory, sourceName
    case words([String])
}

struct Example: Sendable {
    var line: String
    var explanation: String

    init(_ line: String, _ explanation: String) {
        self.line = line
        self.explanation = explanation
    }
}
