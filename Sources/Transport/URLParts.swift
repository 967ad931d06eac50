/// A URL reference cut at its delimiters (RFC 3986 appendix B), nothing decoded. The fragment is dropped.
struct URLParts: Hashable {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?

    /// - Returns: `nil` for a text with control characters, which no part may hold.
    init?(_ text: String) {
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
        var rest = text.utf8[...]
        while rest.first == UInt8(ascii: " ") { rest.removeFirst() }
        while rest.last == UInt8(ascii: " ") { rest.removeLast() }
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let end = rest.firstIndex(where: { !Self.isSchemeByte($0) }), rest[end] == UInt8(ascii: ":"), end > rest.startIndex,
            let first = rest.first, Self.isLetter(first)
        {
            scheme = String(Substring(rest[..<end]))
            rest = rest[rest.index(after: end)...]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            authority = String(Substring(rest[..<end]))
            rest = rest[end...]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(Substring(rest[rest.index(after: mark)...]))
            rest = rest[..<mark]
        }
        path = String(Substring(rest))
    }

    /// The path up to and including its last `/` (RFC 3986 §5.2.3).
    static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return String(path[...slash])
    }

    /// RFC 3986 §5.2.4 on an absolute path: `.` and `..` segments are gone, and none climbs past the root.
    static func removingDots(_ path: String) -> String {
        guard path.utf8.first == UInt8(ascii: "/") else { return path }
        let segments = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [Substring.UTF8View] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            if segment.elementsEqual(".".utf8) {
                if isLast { kept.append(""[...].utf8) }
            } else if segment.elementsEqual("..".utf8) {
                if !kept.isEmpty { kept.removeLast() }
                if isLast { kept.append(""[...].utf8) }
            } else {
                kept.append(segment)
            }
        }
        return "/" + kept.map { String(Substring($0)) }.joined(separator: "/")
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }
}
