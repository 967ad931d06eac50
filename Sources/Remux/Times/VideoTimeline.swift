/// Makes decoding times for pictures that come in decoding order and know when they are shown.
///
/// The i-th picture is decoded when the i-th picture of all is shown, put off by no more than what keeps each picture's
/// decoding before its presentation. Presentation lies on the media time `delay` later than in the source, which an edit list
/// takes back (ISO/IEC 14496-12 §8.6.6): so presentation is exact, whatever the delay is. Decoding times never decrease and
/// never exceed presentation. Presentation is exact for any order of at most `window` pictures.
///
/// A picture's decoding time needs those behind it; its duration needs the next decoding time.
package struct VideoTimeline: Sendable {
    /// No codec here lets a picture wait for more than 16 others.
    package static let window = 16

    /// Ticks.
    package let delay: Int64
    private let lastDuration: Int64
    /// Presentation of pictures without a decoding time yet, in decoding order, and the same sorted.
    private var waiting: [Int64] = []
    private var sorted: [Int64] = []
    private var previous: (decode: Int64, presentation: Int64)?
    private var floor = Int64.min

    /// - Parameters:
    ///   - delay: at least the longest time by which a picture is shown before one that was decoded earlier.
    ///   - frameDuration: how long the last picture is shown. Above 0.
    package init(delay: Int64, frameDuration: Int64) {
        self.delay = delay
        lastDuration = max(frameDuration, 1)
    }

    /// - Returns: the times of an earlier picture, as soon as they are known.
    package mutating func push(_ presentation: Int64) -> SampleTiming? {
        waiting.append(presentation)
        let place = sorted.lastIndex { $0 <= presentation }.map { $0 + 1 } ?? 0
        sorted.insert(presentation, at: place)
        return waiting.count > Self.window ? take() : nil
    }

    /// The times of all pictures that are left.
    package mutating func finish() -> [SampleTiming] {
        var result: [SampleTiming] = []
        while !waiting.isEmpty {
            if let timing = take() { result.append(timing) }
        }
        if let previous {
            // The last picture in decoding order may not be the last that is shown.
            result.append(timing(previous, until: previous.decode + lastDuration))
        }
        previous = nil
        return result
    }

    private mutating func take() -> SampleTiming? {
        let earliest = (waiting.min() ?? 0) + delay
        let decode = max(min(sorted.removeFirst(), earliest), floor)
        // A picture from before those that were decoded long ago is shown as soon as it can be.
        let presentation = max(waiting.removeFirst() + delay, decode)
        floor = decode
        defer { previous = (decode, presentation) }
        return previous.map { timing($0, until: decode) }
    }

    private func timing(_ sample: (decode: Int64, presentation: Int64), until next: Int64) -> SampleTiming {
        SampleTiming(decode: sample.decode, composition: sample.presentation - sample.decode, duration: max(next - sample.decode, 0))
    }
}
