internal import Codecs

/// Subtitles as samples without gaps: what is shown, and empty samples between (3GPP TS 26.245 §5.17). What is shown at the
/// same time shares a sample.
package struct TextTimeline: Sendable {
    /// A sample, with its bytes.
    package struct Sample: Hashable, Sendable {
        package var start: Int64
        package var duration: Int64
        package var text: String

        /// As `tx3g` has it.
        package var payload: [UInt8] { text.isEmpty ? TimedTextSample.empty : TimedTextSample.payload(text) }
    }

    private struct Cue {
        var start: Int64
        /// `.max`: it stays until the next one.
        var end: Int64
        var text: String
    }

    /// The newest: what comes next may show that its time is wrong.
    private var newest: Cue?
    /// Shown at `reached`.
    private var shown: [Cue] = []
    /// Samples go up to here.
    private var reached: Int64

    /// A time so much later than that of the next subtitle is a mistake. Ticks.
    private let tolerance: Int64 = 10_000
    /// More at once no screen shows.
    private static let maximumShown = 32

    /// - Parameter start: the media time at which the track begins, in ticks of a millisecond.
    package init(start: Int64 = 0) { reached = start }

    /// A subtitle that is shown from `start` on, in the order of their starts.
    ///
    /// - Parameter duration: `nil` when it stays until the next one.
    package mutating func push(start: Int64, duration: Int64?, text: String) -> [Sample] {
        var end = Int64.max
        if let duration, duration > 0 { end = start.addingReportingOverflow(duration).overflow ? .max : start + duration }
        guard end > reached else { return [] }
        defer { newest = Cue(start: start, end: end, text: text) }
        guard let before = newest, before.start - tolerance <= start else { return [] }
        return show(before)
    }

    /// The picture is at `time`: what ended well before it need not wait for the next subtitle.
    ///
    /// - Returns: samples up to the end of what was shown.
    package mutating func pass(_ time: Int64) -> [Sample] {
        let limit = time.subtractingReportingOverflow(Self.lateness)
        guard !limit.overflow, let cue = newest, cue.end <= limit.partialValue else { return [] }
        newest = nil
        var result = show(cue)
        // One without an end is shown until the next one.
        if let end = shown.map(\.end).max(), end <= limit.partialValue { result += advance(to: end) }
        return result
    }

    /// How far behind the picture a subtitle may stand in the source, in ticks, without losing its place.
    private static let lateness: Int64 = 2000

    package mutating func finish() -> [Sample] {
        var result: [Sample] = []
        if let newest { result += show(newest) }
        newest = nil
        // Without an end it stays as long as one reads a line.
        for index in shown.indices where shown[index].end == .max { shown[index].end = max(shown[index].start, reached) + 5000 }
        guard let end = shown.map(\.end).max() else { return result }
        result += advance(to: end)
        // Players show the last sample until the film ends.
        result.append(Sample(start: reached, duration: 1, text: ""))
        return result
    }

    private mutating func show(_ cue: Cue) -> [Sample] {
        let result = advance(to: cue.start)
        if cue.start >= reached { shown.removeAll { $0.end == .max && $0.start < cue.start } }
        if shown.count < Self.maximumShown { shown.append(cue) }
        return result
    }

    /// Samples up to `time`, one for each change of what is shown.
    private mutating func advance(to time: Int64) -> [Sample] {
        var result: [Sample] = []
        while reached < time {
            shown.removeAll { $0.end <= reached }
            let next = min(time, shown.map(\.end).min() ?? time)
            let text = shown.map(\.text).filter { !$0.isEmpty }.joined(separator: "\n")
            result.append(Sample(start: reached, duration: next - reached, text: text))
            reached = next
        }
        shown.removeAll { $0.end <= reached }
        return result
    }
}
