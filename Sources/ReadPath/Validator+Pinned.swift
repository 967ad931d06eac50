internal import Bytes
internal import SourceAPI

extension Validator {
    /// As it is pinned in the cache: a line for each part. An entity tag has no line break: whoever parsed the reply's
    /// header split lines before.
    var pinnedText: String {
        var lines: [String] = []
        if let entityTag { lines.append("tag " + entityTag) }
        if let modified { lines.append("modified \(modified.seconds)") }
        return lines.isEmpty ? "none" : lines.joined(separator: "\n")
    }

    init(pinnedText: String) {
        var entityTag: String?, modified: UnixTime?
        for line in pinnedText.split(separator: "\n") {
            if line.hasPrefix("tag ") { entityTag = String(line.dropFirst(4)) }
            if line.hasPrefix("modified "), let seconds = Int64(line.dropFirst(9)) { modified = UnixTime(seconds: seconds) }
        }
        self.init(entityTag: entityTag, modified: modified)
    }
}
