/// The schemes that are answered with a user name and a password.
enum AuthenticationScheme: Hashable {
    case basic, digest

    /// The schemes of `WWW-Authenticate` values (RFC 9110 §11.6.1): a value may hold several challenges, and commas both
    /// part challenges and parameters, so a scheme is a token at the start of a part that no `=` follows.
    static func offered(in values: [String]) -> Set<AuthenticationScheme> {
        var found: Set<AuthenticationScheme> = []
        for value in values {
            for part in unquotedParts(value) {
                let word = part.prefix { $0 != " " && $0 != "=" && $0 != "\t" }
                let rest = part.dropFirst(word.count).drop { $0 == " " || $0 == "\t" }
                guard !rest.hasPrefix("=") else { continue }
                switch word.lowercased() {
                case "basic": found.insert(.basic)
                case "digest": found.insert(.digest)
                default: continue
                }
            }
        }
        return found
    }

    /// The value cut at the commas outside quotes, leading blanks dropped.
    private static func unquotedParts(_ value: String) -> [Substring] {
        var parts: [Substring] = []
        var isQuoted = false, isEscaped = false
        var start = value.startIndex
        for index in value.indices {
            let character = value[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                parts.append(value[start..<index])
                start = value.index(after: index)
            }
        }
        parts.append(value[start...])
        return parts.map { $0.drop { $0 == " " || $0 == "\t" } }
    }
}
