/// Text for man(7).
enum Roff {
    /// Nothing in it is a request or an escape; `-` is the one that can be copied.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "~": result += "\\(ti"
            case "^": result += "\\(ha"
            case "`": result += "\\(ga"
            case "…": result += "..."
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") ? "\\&" + result : result
    }

    /// Words between backquotes in bold.
    static func paragraph(_ text: String) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().map { $0.offset % 2 == 1 ? "\\fB\(escaped(String($0.element)))\\fR" : escaped(String($0.element)) }.joined()
    }

    static func flag(_ flag: Flag) -> String {
        let names = (flag.short.map { "\\fB\\-\($0)\\fR, " } ?? "") + "\\fB\\-\\-\(escaped(flag.name))\\fR"
        return ".TP\n" + names + (flag.value.map { " \\fI\(escaped($0))\\fR" } ?? "") + "\n" + paragraph(flag.help) + "\n"
    }

    static func example(_ example: Example) -> String { ".TP\n\\fB\(escaped(example.line))\\fR\n\(paragraph(example.explanation))\n" }
}
