internal import Bytes
internal import MP4
internal import Remux

/// What `reelfs remux` is asked for.
package struct RemuxRequest: Hashable, Sendable {
    package enum Layout: Hashable, Sendable {
        /// Samples first, `moov` behind them.
        case progressive
        /// `moov` first.
        case fastStart
        /// `moof` by `moof`.
        case fragmented
    }

    package var input: String
    package var output: String
    package var layout: Layout
    package var wantsSubtitles: Bool
    /// Text subtitles also as files beside the output.
    package var writesSubRip: Bool
    /// Existing files are replaced.
    package var replaces: Bool

    package init(
        input: String, output: String, layout: Layout = .progressive, wantsSubtitles: Bool = true, writesSubRip: Bool = false, replaces: Bool = false
    ) {
        self.input = input
        self.output = output
        self.layout = layout
        self.wantsSubtitles = wantsSubtitles
        self.writesSubRip = writesSubRip
        self.replaces = replaces
    }
}

package struct RemuxReport: Hashable, Sendable, Codable {
    package var film: FilmReport
    package var output: String
    package var bytes: UInt64
    /// Subtitle files beside the output.
    package var sidecars: [String]
}

/// `reelfs remux`: a film into an MP4, frame by frame. Memory holds some megabytes and the tables of samples.
package enum Remuxer {
    /// Blocks until the output is whole, or throws and leaves nothing behind.
    ///
    /// - Parameter onProgress: bytes of the input that are done, bytes in all.
    package static func run(
        _ request: RemuxRequest, isCancelled: () -> Bool, onProgress: (UInt64, UInt64) -> Void
    ) throws(MediaFileError) -> RemuxReport {
        let input = try InputFile(path: request.input)
        guard !input.isSame(as: request.output) else {
            throw MediaFileError(.exists, path: request.output, "it is the film itself; name another file")
        }
        // What cannot be written is told before anything is read.
        let output = try OutputFile(path: request.output, replaces: request.replaces)
        let probe = try HeadProbe(try Film.open(input), isCancelled: isCancelled)
        let reader = try Film.open(input)
        guard reader.tracks.count == probe.times.count else {
            throw MediaFileError(.unreadable, path: request.input, "it changed while it was read")
        }
        let plan = RemuxPlan(
            reader.tracks, firstFrames: probe.firstFrames, searched: probe.searched, wantsSubtitles: request.wantsSubtitles)
        if let refusal = plan.refusal {
            if case .encrypted = refusal { throw MediaFileError(.encrypted, path: request.input, "\(refusal)") }
            throw MediaFileError(.refused, path: request.input, "\(refusal)")
        }
        var sidecars = SubRipFiles(
            stem: FileName.stem(request.output), tracks: reader.tracks,
            chosen: request.writesSubRip ? reader.tracks.indices.filter { reader.tracks[$0].codec.isText && reader.tracks[$0].obstacle == nil } : [])
        for path in sidecars.paths { try OutputFile.check(path: path, replaces: request.replaces) }

        let base = Self.base(plan, probe, reader)
        var tracks = TrackWriters(plan, probe: probe, reader: reader, base: base)
        let description = try Self.description(reader, input, base: base)
        let sink: any SampleSink =
            switch request.layout {
            case .progressive: try ProgressiveSink(output, tracks: tracks.movieTracks, description, movesFront: false)
            case .fastStart: try ProgressiveSink(output, tracks: tracks.movieTracks, description, movesFront: true)
            case .fragmented:
                try FragmentedSink(
                    output, tracks: tracks.movieTracks, description, duration: reader.details.duration, sourceBytes: input.size)
            }
        var reported: UInt64 = 0
        while let frame = try reader.next() {
            try tracks.take(frame, sink)
            if let time = frame.time, reader.tracks[frame.track].codec.isText {
                sidecars.take(
                    track: frame.track, start: reader.clock.nanoseconds(time - base) / 1_000_000,
                    duration: frame.duration.map { reader.clock.nanoseconds($0) / 1_000_000 }, frame: frame.bytes)
            }
            guard reader.position > reported + 4 << 20 else { continue }
            reported = reader.position
            onProgress(reported, input.size)
            if isCancelled() { throw MediaFileError(.cancelled, path: request.output, "stopped; nothing was left behind") }
        }
        guard tracks.hasMedia else {
            throw MediaFileError(.refused, path: request.input, "nothing of what it announces can be played: no frame is whole")
        }
        try tracks.finish(sink)
        try sink.finish(isCancelled: isCancelled)
        let bytes = output.size
        try output.sync()
        let texts = try sidecars.write(replaces: request.replaces)
        try SubRipFiles.finish([output] + texts)
        onProgress(input.size, input.size)
        var film = FilmReport(path: request.input, bytes: input.size, reader: reader, plan: plan, isComplete: true)
        film.leaveOut(silent: tracks.silent)
        film.describe(changes: tracks.changes)
        return RemuxReport(film: film, output: request.output, bytes: bytes, sidecars: texts.map(\.path))
    }

    /// The time on the film's clock that becomes the movie's start: the earliest picture or sound of those that go in.
    private static func base(_ plan: RemuxPlan, _ probe: HeadProbe, _ reader: any FilmReader) -> Int64 {
        var earliest: Int64?
        for index in plan.order {
            guard let setup = plan.entries[index].verdict.setup, var first = probe.times[index].min() else { continue }
            if let audio = setup.audio {
                let skip = Clock(rate: audio.samplingRate).nanoseconds(Int64(audio.preSkip))
                first += reader.clock.time(nanoseconds: skip)
            }
            if setup.video != nil || setup.audio != nil { earliest = min(earliest ?? first, first) }
        }
        return earliest ?? 0
    }

    private static func description(_ reader: any FilmReader, _ input: InputFile, base: Int64) throws(MediaFileError) -> MovieDescription {
        let details = reader.details
        let shift = reader.clock.nanoseconds(base)
        var cover: [UInt8]?
        if let place = details.cover { cover = try input.read(FileRange(offset: place.offset, count: place.size, fileSize: input.size)) }
        return MovieDescription(
            clock: reader.clock.videoClock, created: details.created, title: details.title,
            chapters: details.chapters.map { (UInt64(max(0, min(Int64(clamping: $0.start), 1 << 57) - shift)), $0.title) }, cover: cover)
    }
}
