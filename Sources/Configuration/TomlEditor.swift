/// Changes top-level keys in the text of a TOML file and leaves everything else as it stands: comments, order, keys of others. Only a comment
/// behind a changed value, or inside a changed list, goes with it.
enum TomlEditor {
    /// - Parameter changes: the new value of each key; `nil` removes it. Keys that are not named stay.
    /// - Returns: text that parses to exactly the wanted values; when editing in place cannot give that, the whole file written anew.
    static func edited(_ text: String, changes: [(key: String, value: TomlValue?)]) -> String {
        guard let before = try? TomlDocument(parsing: text) else { return rewritten([:], changes) }
        let old = before.entries.mapValues(\.value)
        var wanted = old
        for change in changes { wanted[change.key] = change.value }
        let result = inPlace(text, before, changes.filter { old[$0.key] != $0.value })
        if let after = try? TomlDocument(parsing: result), after.entries.mapValues(\.value) == wanted { return result }
        return rewritten(old, changes)
    }

    private static func inPlace(_ text: String, _ before: TomlDocument, _ changes: [(key: String, value: TomlValue?)]) -> String {
        // By scalars: "\r\n" is one Character, which no separator would split.
        var lines: [String?] = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        var added: [String] = []
        for change in changes {
            if let place = before.entries[change.key]?.lines, place.lowerBound > 0, place.upperBound <= lines.count {
                for number in place { lines[number - 1] = nil }
                if let value = change.value { lines[place.lowerBound - 1] = TomlWriter.line(change.key, value) }
            } else if let value = change.value {
                added.append(TomlWriter.line(change.key, value))
            }
        }
        // New keys go before the first table, which would swallow them, else to the end.
        let header = lines.firstIndex(where: isHeader)
        var kept: [String] = []
        for (index, line) in lines.enumerated() {
            if index == header { kept += added }
            if let line { kept.append(line) }
        }
        if header == nil {
            while kept.last?.isEmpty == true { kept.removeLast() }
            kept += added
        }
        if kept.last?.isEmpty != true { kept.append("") }
        return kept.joined(separator: "\n")
    }

    /// Whether the line looks like `[table]`. (Lines inside a list can, too; then the check of the result fails and all is written anew.)
    private static func isHeader(_ line: String?) -> Bool {
        guard let line else { return false }
        return line.first { $0 != " " && $0 != "\t" } == "["
    }

    private static func rewritten(_ old: [String: TomlValue], _ changes: [(key: String, value: TomlValue?)]) -> String {
        var lines: [String] = []
        let changed = Set(changes.map(\.key))
        for change in changes { if let value = change.value { lines.append(TomlWriter.line(change.key, value)) } }
        for (key, value) in old.sorted(by: { $0.key < $1.key }) where !changed.contains(key) { lines.append(TomlWriter.line(key, value)) }
        return lines.map { $0 + "\n" }.joined()
    }
}
