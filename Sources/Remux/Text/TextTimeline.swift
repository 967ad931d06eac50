internal import Codecs

/// Subtitles as samples without gaps: what is shown, and empty samples between (3GPP TS 26.245 §5.17).
package struct TextTimeline: Sendable {
    /// A sample, with its bytes.
    package struct Sample: Hashable, Sendable {
        package var start: Int64
        package var duration: Int64
        package var text: String

        /// As `tx3g` has it.
        package var payload: [UInt8] { text.isEmpty ? TimedTextSample.empty : TimedTextSample.payload(text) }
    }

    private var pending: (start: Int64, end: Int64, text: String)?
    private var reached: Int64

    /// - Parameter start: the media time at which the track begins, in ticks.
    package init(start: Int64 = 0) { reached = start }

    /// A subtitle that is shown from `start` on, in the order of their starts.
    ///
    /// - Parameter duration: `nil` when it stays until the next one.
    package mutating func push(start: Int64, duration: Int64?, text: String) -> [Sample] {
        let start = max(start, pending?.start ?? reached)
        var result: [Sample] = []
        if let before = pending, before.start == start {
            // Two at once: one sample has both, as long as the longer one.
            let end = max(before.end, Self.end(start, duration))
            pending = (start, end, [before.text, text].filter { !$0.isEmpty }.joined(separator: "\n"))
            return result
        }
        result += flush(until: start)
        pending = (start, Self.end(start, duration), text)
        return result
    }

    package mutating func finish() -> [Sample] {
        guard let before = pending else { return [] }
        // Without an end it stays as long as one reads a line.
        return flush(until: before.end == .max ? before.start + 5000 : before.end)
    }

    private mutating func flush(until next: Int64) -> [Sample] {
        guard let before = pending else { return [] }
        pending = nil
        var result: [Sample] = []
        if before.start > reached { result.append(Sample(start: reached, duration: before.start - reached, text: "")) }
        let end = min(before.end, max(next, before.start))
        if end > before.start { result.append(Sample(start: before.start, duration: end - before.start, text: before.text)) }
        reached = max(reached, end)
        return result
    }

    private static func end(_ start: Int64, _ duration: Int64?) -> Int64 {
        guard let duration, duration > 0 else { return .max }
        return start > .max - duration ? .max : start + duration
    }
}
