internal import MP4
internal import Remux

/// Turns frames into samples with times, for all tracks that are carried.
struct TrackWriters {
    private struct Track {
        var setup: TrackSetup
        var codec: MediaCodec
        var timeline: TrackTimeline?
        var text = TextTimeline()
        /// Of the film's tracks.
        var index: Int
        /// Ticks of the last frame that are not presented.
        var padding: Int64 = 0
        /// Frames of picture or sound that became samples.
        var samples: UInt64 = 0
        /// A track of text has said something; until then nothing of it is written.
        var hasText = false
        var descriptions: SampleDescriptions
    }

    /// In the MP4's order.
    let movieTracks: [MovieTrack]
    private var tracks: [Track] = []
    /// From the film's tracks to the movie's.
    private var places: [Int?]
    private let source: FilmClock
    private let base: Int64

    /// Up to this time of the main track, in milliseconds, subtitles were told that it passed.
    private var passed: Int64 = 0

    /// Text has no clock of its own.
    private static let textClock = Clock(rate: 1000)

    init(_ plan: RemuxPlan, probe: HeadProbe, reader: any FilmReader, base: Int64) {
        source = reader.clock
        self.base = base
        places = Array(repeating: nil, count: plan.entries.count)
        var movieTracks: [MovieTrack] = []
        for index in plan.order {
            let entry = plan.entries[index]
            guard let setup = entry.verdict.setup else { continue }
            let timeline = TrackTimeline(
                setup, track: entry.track, source: reader.clock, step: probe.step(index), disorder: probe.disorder(index))
            places[index] = tracks.count
            tracks.append(
                Track(setup: setup, codec: entry.track.codec, timeline: timeline, index: index, descriptions: SampleDescriptions(SampleEntry(setup))))
            movieTracks.append(
                MovieTrack(
                    entry.track, setup, number: UInt32(tracks.count), clock: timeline?.clock ?? Self.textClock, delay: timeline?.delay ?? 0,
                    isEnabled: plan.isEnabled(index)))
        }
        self.movieTracks = movieTracks
    }

    /// A frame of the film; those of tracks that are left out are passed over.
    mutating func take(_ frame: MediaFrame, _ sink: any SampleSink) throws(MediaFileError) {
        guard let place = places[frame.track] else { return }
        var frame = frame
        frame.time = frame.time.map { $0 - base }
        if tracks[place].timeline == nil {
            try takeText(frame, place, sink)
            return
        }
        if let change = frame.change { follow(change, frame, place, sink) }
        if tracks[place].setup.framing.mayChange(frame.bytes.prefix(4)) {
            guard let sample = tracks[place].setup.framing.sample(Array(frame.bytes)) else { return }
            try sink.add(sample[...], track: place, isSync: frame.isKeyframe)
        } else {
            guard !frame.bytes.isEmpty else { return }
            try sink.add(frame.bytes, track: place, isSync: frame.isKeyframe)
        }
        tracks[place].samples += 1
        // Only the end of a track can be cut off.
        if tracks[place].setup.audio != nil { tracks[place].padding = Self.padding(frame.padding, tracks[place].timeline?.clock) }
        guard let timing = tracks[place].timeline?.push(frame) else { return }
        try sink.add(timing, track: place)
        if place == 0 { try passTexts(timing, sink) }
    }

    /// From `frame` on the track is coded otherwise.
    private mutating func follow(_ change: SourceTrack, _ frame: MediaFrame, _ place: Int, _ sink: any SampleSink) {
        let next = tracks[place].setup.changed(to: change, frame: Array(frame.bytes))
        let wasTaken = tracks[place].descriptions.take(next.map { SampleEntry($0) }) { sink.describe($0, current: $1, track: place) }
        guard wasTaken, let next else { return }
        tracks[place].setup = next
        tracks[place].timeline?.change(to: next)
    }

    /// Tracks, by their index in the film, whose coding changed on the way.
    var changes: [(index: Int, descriptions: SampleDescriptions)] {
        tracks.filter { $0.descriptions.changes > 0 }.map { ($0.index, $0.descriptions) }
    }

    /// In ticks; none for what no encoder writes.
    private static func padding(_ nanoseconds: Int64, _ clock: Clock?) -> Int64 {
        guard let clock, (1...10_000_000_000).contains(nanoseconds) else { return 0 }
        return clock.ticks(nanoseconds: nanoseconds)
    }

    /// Subtitles that are over by the time of the picture do not wait for the next ones.
    private mutating func passTexts(_ timing: SampleTiming, _ sink: any SampleSink) throws(MediaFileError) {
        guard let timeline = tracks[0].timeline else { return }
        let now = Self.textClock.ticks(timing.decode - timeline.delay, of: timeline.clock)
        guard now >= passed.addingReportingOverflow(250).partialValue else { return }
        passed = now
        for place in tracks.indices where tracks[place].hasText { try write(tracks[place].text.pass(now), place, sink) }
    }

    private mutating func takeText(_ frame: MediaFrame, _ place: Int, _ sink: any SampleSink) throws(MediaFileError) {
        guard let time = frame.time else { return }
        let text = tracks[place].codec.text(of: frame.bytes)
        guard tracks[place].hasText || !text.isEmpty else { return }
        tracks[place].hasText = true
        let samples = tracks[place].text.push(
            start: source.ticks(time, of: Self.textClock), duration: frame.duration.map { source.ticks($0, of: Self.textClock) }, text: text)
        try write(samples, place, sink)
    }

    private func write(_ samples: [TextTimeline.Sample], _ place: Int, _ sink: any SampleSink) throws(MediaFileError) {
        for sample in samples {
            try sink.add(sample.payload[...], track: place, isSync: true)
            try sink.add(SampleTiming(decode: sample.start, composition: 0, duration: sample.duration), track: place)
        }
    }

    /// Whether there was a frame of picture or sound at all.
    var hasMedia: Bool { tracks.contains { $0.samples > 0 } }

    /// Tracks of text, by their index in the film, that said nothing so far: they are not in the movie.
    var silent: [Int] { tracks.filter { $0.timeline == nil && !$0.hasText }.map(\.index) }

    mutating func finish(_ sink: any SampleSink) throws(MediaFileError) {
        for place in tracks.indices {
            if let timings = tracks[place].timeline?.finish() {
                for timing in timings { try sink.add(timing, track: place) }
                if tracks[place].padding > 0 { sink.trim(tracks[place].padding, track: place) }
            } else {
                try write(tracks[place].text.finish(), place, sink)
            }
        }
    }
}
