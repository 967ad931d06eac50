internal import MP4
internal import Remux

/// Writes one `mdat` with all samples in the order they come, and one `moov`.
final class ProgressiveSink: SampleSink {
    private struct Track {
        var track: MovieTrack
        /// Of the samples that come.
        var entry: UInt32 = 1
        var table = SampleTableBuilder()
        /// Ticks at the end that are not presented.
        var padding: Int64 = 0
        /// Written, and without times yet.
        var waiting: [(offset: UInt64, size: UInt32, isSync: Bool, entry: UInt32)] = []
    }

    private let output: OutputFile
    private var tracks: [Track]
    private let description: MovieDescription
    private let movesFront: Bool
    private let dataStart: UInt64

    /// - Parameter movesFront: the `moov` comes before the samples, which are moved for it at the end.
    init(_ output: OutputFile, tracks: [MovieTrack], _ description: MovieDescription, movesFront: Bool) throws(MediaFileError) {
        self.output = output
        self.tracks = tracks.map { Track(track: $0) }
        self.description = description
        self.movesFront = movesFront
        let start = try output.representable { () throws(MP4Error) in try ProgressiveMovie([]).start() }
        try output.append(start)
        dataStart = output.size
    }

    func add(_ bytes: ArraySlice<UInt8>, track: Int, isSync: Bool) throws(MediaFileError) {
        tracks[track].waiting.append((output.size - dataStart, UInt32(clamping: bytes.count), isSync, tracks[track].entry))
        try output.append(bytes)
    }

    func describe(_ entries: [SampleEntry], current: UInt32, track: Int) -> Bool {
        tracks[track].track.description.entries = entries
        tracks[track].entry = current
        return true
    }

    func add(_ timing: SampleTiming, track: Int) throws(MediaFileError) {
        let sample = tracks[track].waiting.removeFirst()
        // What is heard behind the skipped samples is what the sample's own time means here.
        let shift = Int64(tracks[track].track.skip) - tracks[track].track.delay
        let timed = TimedSample(
            size: sample.size, decodeTime: timing.decode + shift, presentationTime: timing.decode + timing.composition + shift,
            duration: UInt32(clamping: timing.duration), isSync: sample.isSync, description: sample.entry)
        try output.representable { () throws(MP4Error) in try tracks[track].table.append(timed, at: sample.offset) }
    }

    func trim(_ ticks: Int64, track: Int) { tracks[track].padding = ticks }

    func finish(isCancelled: () -> Bool) throws(MediaFileError) {
        let dataSize = output.size - dataStart
        // A track without a single sample says nothing, and some players stumble over it.
        var movie = ProgressiveMovie(
            tracks.filter { $0.table.count > 0 }.map { track in
                ProgressiveMovie.Track(
                    track.track.description, samples: track.table, skip: track.track.skip,
                    end: track.padding > 0 ? track.table.endOfPresentation - track.padding : nil)
            })
        tracks = []
        movie.timescale = description.clock.rate
        movie.created = description.created
        movie.userData = description.userData
        if movesFront {
            let head: [UInt8]
            do { head = try movie.head(dataSize: dataSize) } catch { throw output.refused(error as? MP4Error) }
            try output.makeRoom(at: dataStart, UInt64(head.count) - dataStart, isCancelled: isCancelled)
            try output.replace(head, at: 0)
        } else {
            try output.append(try output.representable { () throws(MP4Error) in try movie.movieBehindData().bytes() })
            try output.replace(MediaData.reservedHeader(dataSize: dataSize), at: dataStart - UInt64(MediaData.reservedHeaderSize))
        }
    }
}

extension OutputFile {
    /// Runs `body`, turning what MP4 cannot hold into an error of this file.
    @discardableResult
    func representable<Result>(_ body: () throws(MP4Error) -> Result) throws(MediaFileError) -> Result {
        do throws(MP4Error) { return try body() } catch { throw refused(error) }
    }

    func refused(_ error: MP4Error?) -> MediaFileError {
        let detail = error.map { " (\($0.detail))" } ?? ""
        return MediaFileError(
            .refused, path: path, "an MP4 cannot hold the film: a time, a size or a count is beyond what its tables have room for\(detail)")
    }
}
