internal import Codecs

/// A region's subtitles as samples without gaps between them.
enum RegionText {
    /// How long one without an end is shown at most, in milliseconds.
    private static let longest: Int64 = 5000

    /// - Parameter samples: texts as `tx3g` has them, on a clock of milliseconds, in the source's order; not empty.
    /// - Returns: the samples to write, and their times: one for each text that is shown, cut where the next one begins, and
    ///   an empty one for each gap.
    static func samples(_ texts: [VirtualSample]) -> ([VirtualSample], SampleTimes) {
        let sorted = joined(texts.enumerated().sorted { ($0.element.time ?? 0, $0.offset) < ($1.element.time ?? 0, $1.offset) }.map(\.element))
        var result: [VirtualSample] = []
        var durations: [UInt32] = []
        let start = max(0, sorted.first?.time ?? 0)
        var reached = start
        for (index, text) in sorted.enumerated() {
            let begin = max(0, text.time ?? 0)
            let next = index + 1 < sorted.count ? max(0, sorted[index + 1].time ?? 0) : nil
            if begin > reached {
                result.append(VirtualSample(content: .bytes(TimedTextSample.empty), isSync: true))
                durations.append(UInt32(clamping: begin - reached))
            }
            let stated = text.duration.flatMap { $0 > 0 ? $0 : nil } ?? min(longest, next.map { $0 - begin } ?? longest)
            let end = min(begin.addingReportingOverflow(stated).overflow ? .max : begin + stated, next ?? .max)
            result.append(text)
            durations.append(UInt32(clamping: end - begin))
            reached = begin + Int64(UInt32(clamping: end - begin))
        }
        return (result, SampleTimes(decode: UInt64(start), durations: durations))
    }

    /// Those that begin at the same time become one, of several lines.
    private static func joined(_ texts: [VirtualSample]) -> [VirtualSample] {
        var result: [VirtualSample] = []
        for text in texts {
            guard let last = result.last, max(0, last.time ?? 0) == max(0, text.time ?? 0), case .bytes(let above) = last.content,
                case .bytes(let below) = text.content, let first = TimedTextSample.text(above), let second = TimedTextSample.text(below)
            else {
                result.append(text)
                continue
            }
            result[result.count - 1].content = .bytes(TimedTextSample.payload(first + "\n" + second))
            result[result.count - 1].duration = max(last.duration ?? 0, text.duration ?? 0)
        }
        return result
    }
}
