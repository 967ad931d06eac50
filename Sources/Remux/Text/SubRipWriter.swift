/// Writes subtitles as a SubRip file: numbered cues, times with milliseconds after a comma, a blank line between.
package struct SubRipWriter: Sendable {
    private var number = 0

    package init() {}

    /// One cue; nothing for a text without words.
    ///
    /// - Parameters: times in milliseconds; negative ones become 0.
    package mutating func cue(start: Int64, end: Int64, text: String) -> String {
        // A blank line would end the cue.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
        guard !lines.isEmpty, end > start else { return "" }
        number += 1
        return "\(number)\n\(Self.time(start)) --> \(Self.time(end))\n\(lines.joined(separator: "\n"))\n\n"
    }

    private static func time(_ milliseconds: Int64) -> String {
        let value = max(milliseconds, 0)
        func padded(_ number: Int64, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return "\(padded(value / 3_600_000, 2)):\(padded(value / 60_000 % 60, 2)):\(padded(value / 1000 % 60, 2)),\(padded(value % 1000, 3))"
    }
}
