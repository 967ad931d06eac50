/// Regions of equal size, for sources without an index, and when each begins, told from a few known times.
struct GridPlan: Sendable {
    let table: RegionTable
    /// Nanoseconds at which regions begin, and the film ends.
    let starts: [Int64]
    let otherStarts: [Int64]
    /// Nanoseconds.
    let end: UInt64

    /// A place in the source and the time of what is there, in nanoseconds.
    struct Point: Hashable, Sendable {
        var offset: UInt64
        var time: Int64
    }

    /// Bytes of a region: frames do not end where regions do, so that some of a region's bytes may be its neighbours'. The
    /// reserve has to take them: it is that of `frames` average frames, and as large as the largest picture that was seen, up to a
    /// MiB.
    static func window(size: VirtualSize, first: UInt64, frameBytes: UInt64, frames: UInt64, largestPicture: UInt64, tracks: Int) -> UInt64 {
        let length = size.source - min(first, size.source)
        let limit = UInt64(VirtualHeader.maximumRegions(tracks: tracks))
        let picture = size.bytes(reserving: min(largestPicture, 1 << 20))
        let window = max(2 << 20, min(frames * frameBytes, 256 << 20), picture)
        return max(min(window, 512 << 20), length / limit + 1)
    }

    /// Where regions begin; the last one takes the rest.
    static func places(size: VirtualSize, first: UInt64, window: UInt64) -> [UInt64] {
        let first = min(first, size.source)
        return (0..<max(1, (size.source - first) / window)).map { first + $0 * window }
    }

    /// - Parameter points: in the order of their offsets; those that lead back in time are left out.
    init(size: VirtualSize, places: [UInt64], window: UInt64, points: [Point], end: UInt64) {
        table = RegionTable(
            size: size, regions: places.enumerated().map { .init(nominal: $1, interval: $0, part: 0) },
            entries: places.enumerated().map { $0 == 0 ? .start($1) : .grid($1) })
        let last = Int64(clamping: end)
        var known: [Point] = []
        for point in points {
            let isBehind = known.last.map { point.time >= $0.time && point.offset > $0.offset } ?? true
            if isBehind, point.time <= last { known.append(point) }
        }
        if known.isEmpty { known.append(Point(offset: places.first ?? 0, time: 0)) }
        known.append(Point(offset: max(size.source, (known.last?.offset ?? 0) + 1), time: max(last, known.last?.time ?? 0)))
        // Half a region late: where a player is led to a region whose first frame is later than what it seeks, it takes an old
        // frame of another region. Too late costs some decoding only.
        var times: [Int64] = []
        for (index, place) in places.enumerated() {
            let time = index == 0 ? known[0].time : Self.time(at: place + window / 2, known)
            times.append(max(time, times.last ?? 0))
        }
        starts = times + [max(last, times.last ?? 0)]
        otherStarts = times.enumerated().map { $0 == 0 ? $1 : $1 + CuePlan.lateness } + [max(last, (times.last ?? 0) + CuePlan.lateness)]
        self.end = end
    }

    private static func time(at offset: UInt64, _ known: [Point]) -> Int64 {
        guard let above = known.firstIndex(where: { $0.offset >= offset }) else { return known.last?.time ?? 0 }
        guard above > 0 else { return known[0].time }
        let low = known[above - 1], high = known[above]
        let share = Double(offset - low.offset) / Double(max(1, high.offset - low.offset))
        return low.time + Int64(Double(high.time - low.time) * share)
    }
}
