internal import MP4
internal import Remux

/// Writes a `moov` without samples, then `moof` and `mdat` in turn. A fragment begins at a key frame of the main track.
final class FragmentedSink: SampleSink {
    private struct Track {
        let id: UInt32
        /// Media time less presentation.
        let delay: Int64
        /// What the writer adds to all times.
        let shift: Int64
        /// Not written yet, in order; the first `timings.count` of them have their times.
        var samples: [(bytes: [UInt8], isSync: Bool)] = []
        var timings: [SampleTiming] = []
        /// How many of `samples` belong to the fragment that is to be written next.
        var cut = 0
    }

    private let output: OutputFile
    private let mainClock: Clock
    private var tracks: [Track]
    private var writer: FragmentWriter
    private var index: FragmentIndex
    /// Where the index will stand, and the bytes left for it.
    private let indexStart: UInt64, indexRoom: UInt64
    private var pendingBytes = 0
    private var hasCut = false

    /// A fragment that has grown to this is cut wherever it is.
    private static let maximumBytes = 16 << 20
    /// A fragment goes on until it is this long, or this large.
    private static let minimumNanoseconds: Int64 = 1_000_000_000
    private static let minimumBytes = 4 << 20

    /// - Parameter duration: nanoseconds, as far as they are known beforehand: room is left for an index of so many seconds.
    init(_ output: OutputFile, tracks all: [MovieTrack], _ description: MovieDescription, duration: UInt64?) throws(MediaFileError) {
        self.output = output
        mainClock = Clock(rate: all.first?.description.timescale ?? 1000)
        let writers = all.map { FragmentWriter.Track($0.description, shift: UInt64(max(0, $0.delay)) + UInt64($0.skip)) }
        tracks = zip(all, writers).map { Track(id: $0.description.id, delay: $0.delay, shift: Int64($1.shift)) }
        writer = FragmentWriter(writers)
        writer.timescale = description.clock.rate
        writer.created = description.created
        writer.userData = description.userData
        writer.duration = duration.map { UInt64(max(0, description.clock.ticks(nanoseconds: Int64(clamping: $0)))) }
        index = FragmentIndex(writers)
        let head = try output.representable { [writer] () throws(MP4Error) in try writer.initSegment() }
        try output.append(head)
        indexStart = output.size
        // Fragments last a second at least, but for those that are cut for their size.
        let seconds = duration.map { Int(clamping: $0 / 1_000_000_000) }
        indexRoom = seconds.map { FragmentIndex.room(tracks: all.count, fragments: $0 + $0 / 8 + 16) } ?? 0
        try output.append([UInt8](repeating: 0, count: Int(indexRoom)))
    }

    func add(_ bytes: ArraySlice<UInt8>, track: Int, isSync: Bool) throws(MediaFileError) {
        if track == 0, isSync, !hasCut, isLongEnough {
            // The fragment ends with what is there now, of every track.
            for index in tracks.indices { tracks[index].cut = tracks[index].samples.count }
            hasCut = true
        }
        // A slice would hold on to a whole piece of the source.
        tracks[track].samples.append((Array(bytes), isSync))
        pendingBytes += bytes.count
        if pendingBytes >= Self.maximumBytes {
            for index in tracks.indices { tracks[index].cut = tracks[index].timings.count }
            try writeFragment()
        }
    }

    private var isLongEnough: Bool {
        guard let first = tracks[0].timings.first, let last = tracks[0].timings.last else { return false }
        return pendingBytes >= Self.minimumBytes || mainClock.nanoseconds(last.decode - first.decode) >= Self.minimumNanoseconds
    }

    func add(_ timing: SampleTiming, track: Int) throws(MediaFileError) {
        tracks[track].timings.append(timing)
        if hasCut, track == 0, tracks[0].timings.count >= tracks[0].cut { try writeFragment() }
    }

    /// Writes the samples in front of the cut that have their times.
    private func writeFragment() throws(MediaFileError) {
        hasCut = false
        var parts: [FragmentWriter.Part] = []
        var data: [[(bytes: [UInt8], isSync: Bool)]] = []
        // Pictures last: a player that reads on gets to them with their sound at hand.
        for place in tracks.indices.reversed() {
            let count = min(tracks[place].cut, tracks[place].timings.count)
            tracks[place].cut = 0
            guard count > 0 else { continue }
            let samples = Array(tracks[place].samples.prefix(count))
            let timed = zip(samples, tracks[place].timings).map { Self.timed($1, size: $0.bytes.count, isSync: $0.isSync, tracks[place]) }
            parts.append(.init(track: tracks[place].id, samples: timed))
            data.append(samples)
            tracks[place].samples.removeFirst(count)
            tracks[place].timings.removeFirst(count)
            pendingBytes -= samples.reduce(0) { $0 + $1.bytes.count }
        }
        guard !parts.isEmpty else { return }
        let fragment = try output.representable { () throws(MP4Error) in try writer.fragment(parts) }
        index.append(fragment)
        try output.append(fragment.header)
        for samples in data {
            for sample in samples { try output.append(sample.bytes) }
        }
    }

    private static func timed(_ timing: SampleTiming, size: Int, isSync: Bool, _ track: Track) -> TimedSample {
        // Decoding times cannot be negative: a picture from before the film's start, behind others, is shown at the start.
        let decode = max(timing.decode - track.delay, -track.shift)
        return TimedSample(
            size: UInt32(clamping: size), decodeTime: decode,
            presentationTime: max(timing.decode - track.delay + timing.composition, decode), duration: UInt32(clamping: timing.duration),
            isSync: isSync)
    }

    func finish(isCancelled: () -> Bool) throws(MediaFileError) {
        for place in tracks.indices { tracks[place].cut = tracks[place].samples.count }
        try writeFragment()
        // Where nobody knew how long the film is there is no room for an index in front; players look for one behind, too.
        let last = try output.representable { () throws(MP4Error) in
            try index.randomAccess(firstFragmentAt: indexStart + indexRoom).bytes()
        }
        try output.append(last)
        guard indexRoom > 0 else { return }
        let front = (try? index.bytes(filling: indexRoom, trailing: UInt64(last.count))) ?? FreeSpace.bytes(size: Int(indexRoom)) ?? []
        try output.replace(front, at: indexStart)
    }
}
