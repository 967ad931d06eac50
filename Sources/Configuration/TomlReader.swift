/// Takes typed values out of a document and keeps a list of what does not fit.
struct TomlReader {
    let document: TomlDocument
    let path: String
    private(set) var problems: [ConfigurationProblem] = []
    private var asked: Set<String> = []

    init(document: TomlDocument, path: String) {
        self.document = document
        self.path = path
    }

    mutating func string(_ key: String) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value, !text.unicodeScalars.contains("\0") else {
            report(.invalidValue, key, "not a text")
            return nil
        }
        return text
    }

    mutating func boolean(_ key: String) -> Bool? {
        guard let value = value(key) else { return nil }
        guard case .boolean(let flag) = value else {
            report(.invalidValue, key, "neither true nor false")
            return nil
        }
        return flag
    }

    mutating func number(_ key: String, in range: ClosedRange<UInt32>) -> UInt32? {
        guard let value = value(key) else { return nil }
        guard case .integer(let number) = value, let exact = UInt32(exactly: number), range.contains(exact) else {
            report(.invalidValue, key, "not a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return exact
    }

    mutating func array(_ key: String) -> [TomlValue] {
        guard let value = value(key) else { return [] }
        guard case .array(let items) = value else {
            report(.invalidValue, key, "not a list")
            return []
        }
        return items
    }

    /// The value whatever its kind.
    mutating func value(_ key: String) -> TomlValue? {
        asked.insert(key)
        return document.entries[key]?.value
    }

    mutating func report(_ kind: ConfigurationProblem.Kind, _ key: String, _ message: String, advice: String? = nil) {
        let line = document.entries[key]?.lines.lowerBound ?? 0
        problems.append(ConfigurationProblem(kind, path: path, line: line > 0 ? UInt32(clamping: line) : nil, "\(key): \(message)", advice: advice))
    }

    /// Call last: what nobody asked for is a key that is not known here. It stays in the file.
    mutating func reportUnknownKeys() {
        for key in document.entries.keys.sorted() where !asked.contains(key) { report(.unknownKey, key, "this key is not known") }
    }
}
