/// Decoding times of a region's pictures, from its own presentation times and those of a few pictures behind it: the same
/// whatever was read before.
///
/// Decoding begins at the earliest presentation among the first `reorder + 1` pictures and ends where the next region's
/// begins. Between, pictures are decoded in equal steps if that keeps each decoding before its presentation; else at the
/// sorted presentation times. Presentation is `delay` later than in the source, which an edit takes back.
enum RegionVideoTimes {
    /// - Parameters:
    ///   - shown: media times of presentation in decoding order, not empty.
    ///   - ahead: of up to `reorder + 1` pictures behind them.
    ///   - delay: at least what reordering needs.
    ///   - frame: ticks of a picture, above 0.
    static func times(_ shown: [Int64], ahead: [Int64], reorder: Int, delay: Int64, frame: Int64) -> SampleTimes {
        let plain = shown.map { $0 - delay }, behind = ahead.prefix(reorder + 1).map { $0 - delay }
        let start = max(0, (plain.prefix(reorder + 1) + behind.prefix(max(0, reorder + 1 - plain.count))).min() ?? 0)
        let end = max(start, behind.min() ?? (plain.max() ?? 0) + max(1, frame))
        let step = (end - start) / Int64(max(1, shown.count))
        // No count of pictures and no step makes the product larger than `end - start`.
        if shown.indices.allSatisfy({ shown[$0] - start >= Int64($0) * step }) {
            return make(shown, shown.indices.map { start + Int64($0) * step }, last: step)
        }
        let decoding = sorted(shown, plain, behind, start: start, end: end)
        return make(shown, decoding, last: end - (decoding.last ?? start))
    }

    private static func sorted(_ shown: [Int64], _ plain: [Int64], _ behind: [Int64], start: Int64, end: Int64) -> [Int64] {
        let order = (plain + behind).sorted()
        var earliest = Int64.max
        var result = [Int64](repeating: start, count: shown.count)
        for index in shown.indices.reversed() {
            earliest = min(earliest, shown[index])
            result[index] = max(start, min(order[index], earliest, end))
        }
        return result
    }

    /// - Parameter decoding: never decreases.
    private static func make(_ shown: [Int64], _ decoding: [Int64], last: Int64) -> SampleTimes {
        var times = SampleTimes(decode: UInt64(max(0, decoding.first ?? 0)), durations: [], offsets: [])
        times.durations.reserveCapacity(shown.count)
        times.offsets.reserveCapacity(shown.count)
        for index in shown.indices {
            times.durations.append(UInt32(clamping: index + 1 < decoding.count ? decoding[index + 1] - decoding[index] : last))
            // A picture from before those that were decoded long ago is shown as soon as it can be.
            times.offsets.append(Int32(clamping: max(0, shown[index] - decoding[index])))
        }
        if times.offsets.allSatisfy({ $0 == 0 }) { times.offsets = [] }
        return times
    }

    /// Of pictures whose decoding times the source states.
    ///
    /// - Parameter next: where the decoding of the picture behind the region is.
    static func stated(_ samples: [VirtualSample], next: Int64?, frame: Int64) -> SampleTimes {
        var decoding: [Int64] = [], shown: [Int64] = []
        for sample in samples {
            let time = max(sample.decode ?? sample.time ?? 0, decoding.last ?? 0)
            decoding.append(time)
            shown.append(max(sample.time ?? time, time))
        }
        let last = next.map { max(0, $0 - (decoding.last ?? 0)) } ?? frame
        return make(shown, decoding, last: last <= 1000 * max(1, frame) ? last : frame)
    }
}
