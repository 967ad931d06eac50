internal import Codecs
internal import Remux

/// Gives the samples of a video or audio track their times.
struct TrackTimeline {
    private enum Kind {
        case video(VideoTimeline)
        case audio(AudioTimeline, FrameSamples)
    }

    /// The track's own.
    let clock: Clock
    /// Media time less presentation in the source: what an edit list takes back.
    let delay: Int64
    private var kind: Kind
    private let source: FilmClock
    private let frameDuration: Int64
    /// Pictures: the last time. Sound: the length of the last frame. For what does not say it itself.
    private var last: Int64?
    /// Of sound, as it is coded now.
    private var rate: Clock

    /// `nil` for tracks of text.
    init?(_ setup: TrackSetup, track: SourceTrack, source: FilmClock, step: Int64?, disorder: Int64) {
        self.source = source
        if let video = setup.video {
            let clock = source.videoClock
            self.clock = clock
            rate = clock
            let stated = track.frameDuration.map { clock.ticks(nanoseconds: Int64(clamping: $0)) }
            let coded = video.frameRate.map { Int64(clock.rate) * Int64($0.denominator) / Int64($0.numerator) }
            let measured = step.map { source.ticks($0, of: clock) }
            let plausible = stated.flatMap { stated in measured.map { stated <= 10 * $0 } ?? true ? stated : nil }
            let duration = min(max(1, plausible ?? measured ?? coded ?? Int64(clock.rate) / 25), Int64(clock.rate) * 10)
            frameDuration = duration
            delay = max(source.ticks(disorder, of: clock), Int64(video.reorderDepth) * duration)
            kind = .video(VideoTimeline(delay: delay, frameDuration: frameDuration))
        } else if let audio = setup.audio {
            clock = Clock(rate: audio.samplingRate)
            rate = clock
            frameDuration = 1024
            delay = 0
            kind = .audio(AudioTimeline(tolerance: clock.ticks(nanoseconds: source.resolution) + 2), audio.frameSamples)
        } else {
            return nil
        }
    }

    /// What follows is coded otherwise; the track's clock stays.
    mutating func change(to setup: TrackSetup) {
        guard let audio = setup.audio, case .audio(let timeline, _) = kind else { return }
        kind = .audio(timeline, audio.frameSamples)
        rate = Clock(rate: audio.samplingRate)
    }

    /// - Returns: the times of an earlier sample, as soon as they are known: they come in the order of the samples.
    mutating func push(_ frame: MediaFrame) -> SampleTiming? {
        switch kind {
        case .video(var timeline):
            let time = frame.time.map { source.ticks($0, of: clock) } ?? (last ?? 0) + frameDuration
            last = time
            defer { kind = .video(timeline) }
            return timeline.push(time)
        case .audio(var timeline, let samples):
            let duration = samples.count(frame.bytes).map { clock.ticks(Int64($0), of: rate) } ?? last ?? frameDuration
            last = duration
            defer { kind = .audio(timeline, samples) }
            return timeline.push(time: frame.time.map { source.ticks($0, of: clock) }, duration: duration)
        }
    }

    mutating func finish() -> [SampleTiming] {
        switch kind {
        case .video(var timeline): return timeline.finish()
        case .audio(var timeline, _): return timeline.finish().map { [$0] } ?? []
        }
    }
}
