internal import MP4
internal import Remux

/// Writes a `moov` without samples, then `moof` and `mdat` in turn. A fragment begins at a key frame of the main track.
///
/// The place of `moov` and of the index is left free until all is written: only then are lengths known, whatever the source
/// says of them.
final class FragmentedSink: SampleSink {
    private let output: OutputFile
    private let mainClock: Clock
    private var tracks: [WaitingSamples]
    private var writer: FragmentWriter
    private var index: FragmentIndex
    /// Bytes at the start for `moov` and the index.
    private let room: UInt64
    /// Of samples that wait in memory, and of those, wherever they wait, that have their times.
    private var memoryBytes = 0, timedBytes = 0
    private var spool: SpoolFile?
    private var spooled = 0
    private var hasCut = false

    /// Samples with times that have grown to this are written wherever they end.
    private static let maximumBytes = 16 << 20
    /// A fragment goes on until it is this long, or this large.
    private static let minimumNanoseconds: Int64 = 1_000_000_000
    private static let minimumBytes = 4 << 20
    /// Bytes that are left for descriptions of what changes on the way; they may take the index's room, too.
    private static let descriptionRoom: UInt64 = 2048
    /// What all tracks may hold in memory together; more waits on the disk.
    private let memoryLimit: Int

    /// - Parameters:
    ///   - duration: nanoseconds, as the source states them: room is left for an index of so many seconds.
    ///   - sourceBytes: of the source. Bounds that room, since what is stated may be wrong.
    init(
        _ output: OutputFile, tracks all: [MovieTrack], _ description: MovieDescription, duration: UInt64?, sourceBytes: UInt64,
        memoryLimit: Int = 24 << 20
    ) throws(MediaFileError) {
        self.output = output
        self.memoryLimit = memoryLimit
        mainClock = Clock(rate: all.first?.description.timescale ?? 1000)
        let writers = all.map { FragmentWriter.Track($0.description, shift: UInt64(max(0, $0.delay)) + UInt64($0.skip)) }
        tracks = zip(all, writers).map { WaitingSamples(id: $0.description.id, delay: $0.delay, shift: Int64($1.shift)) }
        writer = FragmentWriter(writers)
        writer.timescale = description.clock.rate
        writer.created = description.created
        writer.userData = description.userData
        index = FragmentIndex(writers)
        let head = try output.representable { [writer] () throws(MP4Error) in try Self.longestHead(writer) }
        // Fragments last a second at least, but for those that are cut for their size.
        let seconds = duration.map { Int(clamping: $0 / 1_000_000_000) }
        let expected = seconds.map { $0 + $0 / 8 } ?? Int(clamping: sourceBytes >> 19)
        let fragments = min(expected, Int(clamping: sourceBytes >> 12)) + 16
        room = UInt64(head.count) + Self.descriptionRoom + FragmentIndex.room(tracks: all.count, fragments: fragments)
        try output.append([UInt8](repeating: 0, count: Int(room)))
    }

    /// No length takes more room than the longest does.
    private static func longestHead(_ writer: FragmentWriter) throws(MP4Error) -> [UInt8] {
        var longest = writer
        longest.duration = .max
        for place in longest.tracks.indices { longest.tracks[place].isTrimmed = true }
        return try longest.initSegment()
    }

    func describe(_ entries: [SampleEntry], current: UInt32, track: Int) -> Bool {
        var next = writer
        next.tracks[track].description.entries = entries
        guard let head = try? Self.longestHead(next), UInt64(head.count) + FreeSpace.minimum <= room else { return false }
        writer = next
        tracks[track].entry = current
        return true
    }

    func add(_ bytes: ArraySlice<UInt8>, track: Int, isSync: Bool) throws(MediaFileError) {
        if track == 0, isSync, !hasCut, isLongEnough {
            // The fragment ends with what is there now, of every track.
            for index in tracks.indices { tracks[index].cut = tracks[index].samples.count }
            hasCut = true
        }
        let place: WaitingSamples.Sample.Place
        if memoryBytes + bytes.count > memoryLimit {
            place = .spool(try putAside(bytes))
        } else {
            memoryBytes += bytes.count
            // A slice would hold on to a whole piece of the source.
            place = .memory(Array(bytes))
        }
        tracks[track].append(WaitingSamples.Sample(place: place, size: bytes.count, isSync: isSync, entry: tracks[track].entry))
    }

    private func putAside(_ bytes: ArraySlice<UInt8>) throws(MediaFileError) -> UInt64 {
        let file: SpoolFile
        if let spool { file = spool } else { file = try SpoolFile(beside: output) }
        spool = file
        spooled += 1
        return try file.append(bytes)
    }

    private var isLongEnough: Bool {
        guard let first = tracks[0].timings.first, let last = tracks[0].timings.last else { return false }
        return timedBytes >= Self.minimumBytes || mainClock.nanoseconds(last.decode - first.decode) >= Self.minimumNanoseconds
    }

    func add(_ timing: SampleTiming, track: Int) throws(MediaFileError) {
        timedBytes += tracks[track].append(timing)
        if hasCut, track == 0, tracks[0].timings.count >= tracks[0].cut {
            hasCut = false
            try writeFragment(tracks.map { min($0.cut, $0.timings.count) })
            for place in tracks.indices { tracks[place].cut = 0 }
        } else if timedBytes >= Self.maximumBytes {
            if hasCut { try writeFragment(tracks.map { min($0.cut, $0.timings.count) }) }
            // A main track that ended, or pauses, holds up nothing.
            guard timedBytes >= Self.maximumBytes / 2 else { return }
            hasCut = false
            try writeFragment(tracks.map(\.timings.count))
        }
    }

    func trim(_ ticks: Int64, track: Int) { tracks[track].padding = ticks }

    /// - Parameter counts: how many samples of each track, all of which have their times.
    private func writeFragment(_ counts: [Int]) throws(MediaFileError) {
        var left = counts
        repeat {
            // In a fragment all samples of a track have one description.
            let now = tracks.indices.map { tracks[$0].alike(atMost: left[$0]) }
            guard now.contains(where: { $0 > 0 }) else { return }
            try writeAlike(now)
            left = zip(left, now).map { $0 - $1 }
        } while left.contains { $0 > 0 }
    }

    private func writeAlike(_ counts: [Int]) throws(MediaFileError) {
        var parts: [FragmentWriter.Part] = []
        var data: [[WaitingSamples.Sample]] = []
        // Pictures last: a player that reads on gets to them with their sound at hand.
        for place in tracks.indices.reversed() where counts[place] > 0 {
            let (samples, timed) = tracks[place].take(counts[place])
            parts.append(.init(track: tracks[place].id, samples: timed))
            data.append(samples)
        }
        guard !parts.isEmpty else { return }
        let fragment = try output.representable { () throws(MP4Error) in try writer.fragment(parts) }
        index.append(fragment)
        try output.append(fragment.header)
        for samples in data {
            for sample in samples { try write(sample) }
        }
        if spooled == 0 { spool?.clear() }
    }

    private func write(_ sample: WaitingSamples.Sample) throws(MediaFileError) {
        timedBytes -= sample.size
        switch sample.place {
        case .memory(let bytes):
            memoryBytes -= sample.size
            try output.append(bytes)
        case .spool(let offset):
            spooled -= 1
            if let spool { try output.append(try spool.read(at: offset, sample.size)) }
        }
    }

    func finish(isCancelled: () -> Bool) throws(MediaFileError) {
        try writeFragment(tracks.map(\.timings.count))
        let last = try output.representable { () throws(MP4Error) in try index.randomAccess(firstFragmentAt: room).bytes() }
        try output.append(last)
        try writeHead(trailing: UInt64(last.count))
    }

    /// Writes `moov`, with lengths as they are now known, and the index.
    private func writeHead(trailing: UInt64) throws(MediaFileError) {
        for (place, track) in tracks.enumerated() {
            guard let end = index.end(of: track.id) else { continue }
            writer.tracks[place].end = UInt64(max(0, end - max(0, track.padding)))
            writer.tracks[place].isTrimmed = track.padding > 0
        }
        // A track without a single sample says nothing.
        writer.tracks = writer.tracks.filter { $0.end != nil }
        let movieClock = Clock(rate: writer.timescale)
        writer.duration = writer.tracks.map { track in
            UInt64(max(0, movieClock.ticks(Int64(clamping: track.end ?? 0), of: Clock(rate: track.description.timescale))))
        }.max()
        index.keep(writer.tracks)
        let head = try output.representable { () throws(MP4Error) in try writer.initSegment() }
        let rest = room - UInt64(head.count)
        let front = (try? index.bytes(filling: rest, trailing: trailing)) ?? FreeSpace.bytes(size: Int(rest)) ?? []
        try output.replace(head + front, at: 0)
    }
}
