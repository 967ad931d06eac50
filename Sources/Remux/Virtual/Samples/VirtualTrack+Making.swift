internal import Codecs

extension Clock {
    /// One that tells times in ticks of `resolution` nanoseconds exactly, or nearly.
    package static func video(resolution: UInt64) -> Clock {
        // Finer clocks would leave no room for pauses of seconds in fields of 32 bits.
        guard (1000...1_000_000_000).contains(resolution) else { return Clock(rate: resolution > 1000 ? 90_000 : 1_000_000) }
        if 90_000 * resolution % 1_000_000_000 == 0 { return Clock(rate: 90_000) }
        if 1_000_000_000 % resolution == 0, let rate = UInt32(exactly: 1_000_000_000 / resolution) { return Clock(rate: rate) }
        return Clock(rate: 1_000_000)
    }
}

extension VirtualTrack {
    /// The tracks of a plan: the main video, sound, text.
    ///
    /// - Parameters:
    ///   - clock: of pictures.
    ///   - first: nanoseconds of a track's first frame, by the plan's entries.
    ///   - step: nanoseconds between two of a track's first pictures.
    ///   - statesDecoding: the source says when pictures are decoded.
    static func tracks(
        of plan: RemuxPlan, clock: Clock, first: [Int64?], step: [Int64?], statesDecoding: Bool
    ) -> [VirtualTrack] {
        var result: [VirtualTrack] = []
        for index in plan.order {
            let entry = plan.entries[index]
            guard let setup = entry.verdict.setup else { continue }
            if setup.video != nil, !result.isEmpty { continue }
            let number = UInt32(result.count + 1)
            var track: VirtualTrack
            if let video = setup.video {
                let frame = Self.frame(entry.track, video, step[index], clock)
                // Fields may stand for themselves: twice as many, and one more.
                let depth = min(16, max(0, video.reorderDepth))
                let reorder = statesDecoding ? 0 : video.isInterlaced && depth > 0 ? 2 * depth + 1 : depth
                let delay = reorder > 0 ? Int64(reorder) * frame + clock.ticks(nanoseconds: 2_000_000) : 0
                let movie = MovieTrack(entry.track, setup, number: number, clock: clock, delay: delay, isEnabled: true)
                track = VirtualTrack(identifier: entry.track.identifier, codec: entry.track.codec, setup: setup, movie: movie)
                track.reorder = reorder
                track.frame = frame
            } else {
                let own = setup.audio.map { Clock(rate: $0.samplingRate) } ?? Clock(rate: 1000)
                let movie = MovieTrack(entry.track, setup, number: number, clock: own, delay: 0, isEnabled: plan.isEnabled(index))
                track = VirtualTrack(identifier: entry.track.identifier, codec: entry.track.codec, setup: setup, movie: movie)
                if let audio = setup.audio { track.frame = Self.frame(audio) }
            }
            if let time = first[index] { track.begin(at: track.clock.ticks(nanoseconds: time - Int64(entry.track.codecDelay))) }
            result.append(track)
        }
        return result
    }

    private static func frame(_ track: SourceTrack, _ video: VideoSetup, _ step: Int64?, _ clock: Clock) -> Int64 {
        let stated = track.frameDuration.map { clock.ticks(nanoseconds: Int64(clamping: $0)) }
        let coded = video.frameRate.map { Int64(clock.rate) * Int64($0.denominator) / max(1, Int64($0.numerator)) }
        let measured = step.map { clock.ticks(nanoseconds: $0) }
        let plausible = stated.flatMap { stated in measured.map { stated <= 10 * $0 } ?? true ? stated : nil }
        return min(max(1, plausible ?? measured ?? coded ?? Int64(clock.rate) / 25), Int64(clock.rate) * 10)
    }

    private static func frame(_ audio: AudioSetup) -> Int64 {
        switch audio.frameSamples {
        case .fixed(let count): max(1, Int64(count))
        // 20 ms; each frame says its own.
        case .opus: 960
        case .flac: 4096
        }
    }
}
