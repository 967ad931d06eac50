internal import Synchronization

/// Bytes per second of counters that only grow, over the last few seconds.
final class RateMeter: Sendable {
    private struct Sample: Sendable {
        let at: ContinuousClock.Instant
        let values: [String: UInt64]
    }

    /// Samples kept: the rate is that between the oldest and the newest.
    private static let window = 4
    private let samples = Mutex<[Sample]>([])

    /// To be called about once a second.
    func sample(_ values: [String: UInt64]) {
        samples.withLock { samples in
            samples.append(Sample(at: .now, values: values))
            if samples.count > Self.window { samples.removeFirst() }
        }
    }

    /// 0 for what was not sampled twice.
    func rate(_ name: String) -> UInt64 {
        samples.withLock { samples in
            guard let first = samples.first(where: { $0.values[name] != nil }), let last = samples.last, let from = first.values[name],
                let to = last.values[name], to > from
            else { return 0 }
            let seconds = Double((last.at - first.at) / .milliseconds(1)) / 1000
            return seconds > 0.1 ? UInt64(Double(to - from) / seconds) : 0
        }
    }
}
