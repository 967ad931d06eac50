internal import Matroska

/// Regions of a Matroska file by its Cues: which regions there are, where, and when each begins.
struct CuePlan: Sendable {
    /// A place where the main track can be entered.
    struct Sync: Hashable, Sendable {
        var point: RegionEntryPoint
        /// Nanoseconds.
        var time: Int64
        /// Cues that a check is worth for are real ones; the first entry is the first Cluster.
        var cluster: UInt64? { if case .cue(let cluster, _) = point { cluster } else { nil } }
    }

    let table: RegionTable
    let syncs: [Sync]
    /// Nanoseconds at which each region begins, and the film ends.
    let videoStarts: [Int64]
    let otherStarts: [Int64]

    /// Sound begins this much later in the index than it does. ffmpeg looks for sound at the keyframe's decoding time, which is
    /// earlier than its presentation; told an index with true times it searches the region it has loaded, finds nothing early
    /// enough, and takes an old sample.
    static let lateness: Int64 = 20_000_000

    /// - Parameters:
    ///   - first: where the first Cluster is, and when the main track begins, in nanoseconds.
    ///   - duration: nanoseconds, as the file says.
    ///   - frame: nanoseconds of a picture.
    init(
        size: VirtualSize, cues: [Cue], info: SegmentInfo, main: UInt64, first: (offset: UInt64, time: Int64), segmentEnd: UInt64,
        duration: UInt64?, frame: Int64, tracks: Int
    ) {
        let candidates = cues.filter { $0.track == main }.map {
            Sync(
                point: .cue(cluster: $0.clusterPosition, relative: $0.relativePosition),
                time: info.nanoseconds(Int64(clamping: $0.time)))
        }.filter { $0.point.nominal < min(segmentEnd, size.source) && $0.point.nominal >= $0.cluster ?? 0 }
            .sorted { ($0.point.nominal, $0.time) < ($1.point.nominal, $1.time) }
        let bytes = size.source
        // A film whose length is not stated lasts as long as its cues.
        let length = duration.flatMap { $0 > 0 ? Int64(clamping: $0) : nil } ?? candidates.last?.time ?? 0
        let frames = Double(length) / Double(max(1, frame))
        let perFrame = frames > 0 ? Double(bytes) / frames : 0
        let limit = VirtualHeader.maximumRegions(tracks: tracks)
        var least = Self.leastInterval(bytes: bytes, nanoseconds: length)
        least = max(least, (bytes + bytes / 4) / UInt64(limit) + 1)
        let part = max(2 << 20, min(UInt64(32 * perFrame), 1 << 30))
        while true {
            let syncs = Self.choose(candidates, first: Sync(point: .start(first.offset), time: first.time), least: least, end: bytes)
            let regions = Self.regions(syncs, part: max(part, least), end: bytes)
            if regions.count <= limit || least > bytes {
                table = RegionTable(size: size, regions: regions, entries: syncs.map(\.point))
                self.syncs = syncs
                (videoStarts, otherStarts) = Self.starts(regions, syncs, end: max(length, syncs.last?.time ?? 0), bytes: bytes)
                return
            }
            least *= 2
        }
    }

    /// Four seconds of the source: then a seek fetches and decodes little even where a player takes two regions for it.
    private static func leastInterval(bytes: UInt64, nanoseconds: Int64) -> UInt64 {
        guard nanoseconds > 0 else { return 1 << 20 }
        return min(max(UInt64(min(4e9 * Double(bytes) / Double(nanoseconds), 1e12)), 256 << 10), 1 << 20)
    }

    private static func choose(_ candidates: [Sync], first: Sync, least: UInt64, end: UInt64) -> [Sync] {
        var kept = [first]
        for sync in candidates {
            guard let last = kept.last, sync.point.nominal >= last.point.nominal, sync.point.nominal - last.point.nominal >= least,
                sync.time > last.time
            else { continue }
            kept.append(sync)
        }
        if kept.count > 1, let last = kept.last, end - min(end, last.point.nominal) < least / 2 { kept.removeLast() }
        return kept
    }

    private static func regions(_ syncs: [Sync], part: UInt64, end: UInt64) -> [RegionTable.Region] {
        var result: [RegionTable.Region] = []
        for (interval, sync) in syncs.enumerated() {
            let start = sync.point.nominal
            let length = max(start, interval + 1 < syncs.count ? syncs[interval + 1].point.nominal : end) - start
            for index in 0..<max(1, length / part) {
                result.append(.init(nominal: start + index * part, interval: interval, part: Int(index)))
            }
        }
        return result
    }

    /// The first region of an interval has all of its pictures' time, the others begin where the next interval does: no player
    /// is led to a region without a keyframe. Sound is spread by bytes.
    private static func starts(_ regions: [RegionTable.Region], _ syncs: [Sync], end: Int64, bytes: UInt64) -> ([Int64], [Int64]) {
        var video: [Int64] = [], other: [Int64] = []
        for (index, region) in regions.enumerated() {
            let sync = syncs[region.interval]
            let isLast = region.interval + 1 == syncs.count
            let nextTime = isLast ? end : syncs[region.interval + 1].time
            let nextPlace = isLast ? bytes : syncs[region.interval + 1].point.nominal
            video.append(region.part == 0 ? sync.time : nextTime)
            let length = Double(max(1, nextPlace - sync.point.nominal))
            let share = Double(region.nominal - sync.point.nominal) / length
            let time = sync.time + Int64(Double(max(0, nextTime - sync.time)) * share)
            other.append(index == 0 ? time : min(time + lateness, max(end, time)))
        }
        return (video + [end], other + [end])
    }
}
