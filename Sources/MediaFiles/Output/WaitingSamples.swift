internal import MP4
internal import Remux

/// The samples of a track that are not written yet, in order; the first `timings.count` of them have their times.
struct WaitingSamples {
    struct Sample {
        enum Place {
            case memory([UInt8])
            case spool(UInt64)
        }

        var place: Place
        var size: Int
        var isSync: Bool
        /// The number of its description.
        var entry: UInt32 = 1
    }

    let id: UInt32
    /// Media time less presentation.
    let delay: Int64
    /// What the writer adds to all times.
    let shift: Int64
    private(set) var samples: [Sample] = []
    private(set) var timings: [SampleTiming] = []
    /// How many of `samples` belong to the fragment that is to be written next.
    var cut = 0
    /// The description of those that come.
    var entry: UInt32 = 1
    /// Ticks at the end of the last sample that are not presented.
    var padding: Int64 = 0

    init(id: UInt32, delay: Int64, shift: Int64) {
        self.id = id
        self.delay = delay
        self.shift = shift
    }

    mutating func append(_ sample: Sample) { samples.append(sample) }

    /// - Returns: bytes of the sample whose times these are.
    mutating func append(_ timing: SampleTiming) -> Int {
        timings.append(timing)
        return timings.count <= samples.count ? samples[timings.count - 1].size : 0
    }

    /// How many of the first samples have one and the same description.
    func alike(atMost count: Int) -> Int {
        guard let first = samples.first?.entry else { return 0 }
        return samples.prefix(count).firstIndex { $0.entry != first } ?? min(count, samples.count)
    }

    /// Takes out the first samples, which have their times.
    mutating func take(_ count: Int) -> (samples: [Sample], timed: [TimedSample]) {
        let taken = Array(samples.prefix(count))
        let times = zip(taken, timings).map { timed($1, $0) }
        samples.removeFirst(count)
        timings.removeFirst(count)
        cut = max(cut - count, 0)
        return (taken, times)
    }

    private func timed(_ timing: SampleTiming, _ sample: Sample) -> TimedSample {
        // Decoding times cannot be negative: a picture from before the film's start, behind others, is shown at the start.
        let decode = max(timing.decode - delay, -shift)
        return TimedSample(
            size: UInt32(clamping: sample.size), decodeTime: decode,
            presentationTime: max(timing.decode - delay + timing.composition, decode), duration: UInt32(clamping: timing.duration),
            isSync: sample.isSync, description: sample.entry)
    }
}
