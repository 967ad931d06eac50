package import Bytes

/// A `Content-Range` value (RFC 9110 §14.4).
package struct ContentRange: Hashable, Sendable {
    /// The bytes that follow; `nil` when the range could not be satisfied (`bytes */1234`).
    package var range: FileRange?
    /// The whole length; `nil` when the origin does not know it (`*`).
    package var total: UInt64?

    /// - Returns: `nil` for another unit, a last position before the first or past the total, or anything else wrong.
    package init?(_ text: String) {
        let words = text.split { $0 == " " || $0 == "\t" }
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let number = Self.number(parts[1]) else { return nil }
            total = number
        }
        if parts[0] == "*" {
            guard total != nil else { return nil }
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last, last < .max,
            total.map({ last < $0 }) ?? true
        else { return nil }
        range = FileRange(offset: first, end: last + 1)
    }

    private static func number(_ text: Substring) -> UInt64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return UInt64(text)
    }
}
