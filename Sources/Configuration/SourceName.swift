/// The name of a source: a directory in a mount and the name of its file. It cannot be wrong: no `/`, no control characters, not hidden, at
/// most 200 bytes of UTF-8 (a file name of 255 must also hold `.toml.bak`). Chinese, emoji and spaces inside are fine.
package struct SourceName: Hashable, Sendable {
    package static let maximumBytes = 200

    package let text: String

    /// `nil`: empty, too long, begins with `.` or `-`, begins or ends with a space, or holds `/` or characters that cannot be seen.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumBytes, let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            first != ".", first != "-", first != " ", last != " ", text.unicodeScalars.allSatisfy(Self.isAllowed)
        else { return nil }
        self.text = text
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "/" { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
            return scalar == "\u{200D}"  // joins emoji
        default: return true
        }
    }

    /// A name for a source that was given none: of a WebDAV drive or a directory the host, of a file or list its name without extension. When
    /// another has it already, `-2`, `-3`… is added.
    package static func derived(from url: String, type: SourceType?, taken: Set<SourceName>) -> SourceName {
        let parts = SourceLocation.split(url)
        var candidates: [String] = []
        if type != .webdav, let segment = parts.lastSegment {
            candidates.append(segment.withoutExtension)
        }
        candidates.append(parts.host)
        let base = candidates.lazy.compactMap { SourceName(shortened($0)) }.first?.text ?? "source"
        var number = 1
        while true {
            let text = number == 1 ? base : "\(base)-\(number)"
            if let name = SourceName(text), !taken.contains(name) { return name }
            number += 1
        }
    }

    /// At most 180 bytes, cut between characters, so that `-2` still fits.
    private static func shortened(_ text: String) -> String {
        var result = text
        while result.utf8.count > maximumBytes - 20 { result.removeLast() }
        return result
    }
}

extension SourceName: Comparable {
    package static func < (left: SourceName, right: SourceName) -> Bool { left.text < right.text }
}

extension SourceName: CustomStringConvertible {
    package var description: String { text }
}

extension SourceName: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let name = SourceName(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a source name"))
        }
        self = name
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension String {
    /// `film` of `film.mkv`; a name that is only an extension stays.
    fileprivate var withoutExtension: String {
        guard let dot = lastIndex(of: "."), dot != startIndex else { return self }
        return String(self[..<dot])
    }
}
