/// Makes texts that came from users or origins fit for logs, status answers and extended attributes.
package enum Redaction {
    /// The URL without user information, and with the values of its query hidden (`?token=…`): signed links carry their
    /// signature there. The fragment is dropped.
    package static func url(_ text: String) -> String {
        var rest = text[...]
        if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
        var query: Substring?
        if let mark = rest.firstIndex(of: "?") {
            query = rest[rest.index(after: mark)...]
            rest = rest[..<mark]
        }
        var result = ""
        if let colon = rest.firstIndex(of: ":"), rest[colon...].hasPrefix("://") {
            let authority = rest.index(colon, offsetBy: 3)
            result += rest[..<authority]
            rest = rest[authority...]
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            if let at = rest[..<end].lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        }
        result += rest
        if let query {
            let names = query.split(separator: "&").map { pair in pair.prefix { $0 != "=" } + "=…" }
            result += "?" + names.joined(separator: "&")
        }
        return result
    }

    /// The text on one line: control characters, which could forge log lines or drive a terminal, become `\u{..}`.
    package static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) { result += "\\u{\(String(scalar.value, radix: 16))}" } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
    }
}
