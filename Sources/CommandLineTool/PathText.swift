/// Paths as texts; nothing here looks at the disk.
enum PathText {
    /// Absolute, without `.`, `..`, doubled or trailing `/`.
    static func absolute(_ path: String, in directory: String) -> String {
        var parts: [Substring] = []
        let whole = path.hasPrefix("/") ? path : directory + "/" + path
        // By UTF-8, not by characters: a combining mark after `/` would hide it.
        for part in whole.unicodeScalars.split(separator: "/").map({ Substring($0) }) {
            if part == "." { continue }
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Whether the word is meant as a path of this machine: `/…`, `./…`, `../…`.
    static func isLocalPath(_ word: String) -> Bool {
        word.hasPrefix("/") || word.hasPrefix("./") || word.hasPrefix("../")
    }
}
