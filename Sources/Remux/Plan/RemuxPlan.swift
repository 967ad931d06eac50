internal import Codecs

/// What the MP4 of a film will carry: a verdict for each track, and whether there will be an MP4 at all.
package struct RemuxPlan: Sendable {
    package struct Entry: Sendable {
        package var track: SourceTrack
        package var verdict: TrackVerdict

        package init(track: SourceTrack, verdict: TrackVerdict) {
            self.track = track
            self.verdict = verdict
        }
    }

    /// In the source's order.
    package var entries: [Entry]
    /// Indices into `entries` of what is carried, in the MP4's order: the main video, other video, audio, subtitles.
    package var order: [Int]
    /// Why there is no MP4.
    package var refusal: RemuxRefusal?

    /// - Parameters:
    ///   - firstFrames: the first frame of each track, by index; `nil` for tracks of which none was found.
    ///   - searched: bytes of the file in which frames were looked for; `nil`: all of it.
    package init(_ tracks: [SourceTrack], firstFrames: [[UInt8]?], searched: UInt64?, wantsSubtitles: Bool = true) {
        entries = tracks.indices.map { index in
            let frame = index < firstFrames.count ? firstFrames[index] : nil
            return Entry(track: tracks[index], verdict: Self.verdict(tracks[index], frame, searched, wantsSubtitles))
        }
        order = Self.order(entries)
        refusal = RemuxRefusal(entries)
    }

    static func verdict(_ track: SourceTrack, _ frame: [UInt8]?, _ searched: UInt64?, _ wantsSubtitles: Bool) -> TrackVerdict {
        if track.kind == .other { return .left(.kind) }
        switch track.obstacle {
        case .encrypted(let how): return .left(.encrypted(how))
        case .unreadable(let what): return .left(.unreadable(what))
        case nil: break
        }
        if case .other(let name) = track.codec { return .left(.codec(name)) }
        do {
            let setup: TrackSetup?
            switch track.kind {
            case .video: setup = try TrackSetup.video(track, frame: frame)
            case .audio: setup = try TrackSetup.audio(track, frame: frame)
            case .subtitle:
                guard track.codec.isText else { return .left(.codec(track.codec.name)) }
                guard wantsSubtitles else { return .left(.onRequest) }
                setup = TrackSetup("tx3g", [], .text)
            case .other: setup = nil
            }
            if frame == nil, searched == nil, track.kind != .subtitle { return .left(.empty) }
            guard let setup else { return .left(.noFrame(searched: searched ?? 0)) }
            return try check(setup)
        } catch {
            // A transport stream's tracks say nothing of themselves before their first frame.
            if track.hasStartCodes, (track.privateData ?? []).isEmpty, frame == nil {
                return .left(searched.map { .noFrame(searched: $0) } ?? .empty)
            }
            return .left(error.code == .unsupported ? .codec(error.detail) : .configuration("\(error)"))
        }
    }

    /// What a sample entry cannot hold (ISO/IEC 14496-12 §12.1.3, §12.2.3).
    private static func check(_ setup: TrackSetup) throws(CodecError) -> TrackVerdict {
        if let video = setup.video {
            guard video.width > 0, video.height > 0 else { throw CodecError(.malformed, "the picture's size is not stated") }
            guard video.width <= 65535, video.height <= 65535 else { throw CodecError(.unsupported, "\(video.width)×\(video.height) pixels") }
        }
        if let audio = setup.audio {
            guard audio.samplingRate > 0, audio.channels > 0 else { throw CodecError(.malformed, "rate or channels are not stated") }
        }
        return .carried(setup)
    }

    private static func order(_ entries: [Entry]) -> [Int] {
        func carried(_ kind: SourceTrack.Kind) -> [Int] {
            entries.indices.filter { entries[$0].track.kind == kind && entries[$0].verdict.setup != nil }
        }
        var video = carried(.video)
        // The main video: the first that is marked as default, else the first.
        if let main = video.first(where: { entries[$0].track.isDefault }), let place = video.firstIndex(of: main) {
            video.remove(at: place)
            video.insert(main, at: 0)
        }
        return video + carried(.audio) + carried(.subtitle)
    }

    /// Whether a player shows or plays the track unasked. One track of each kind is: that of the source, or the first; of
    /// subtitles only one that the source marks as default or forced.
    package func isEnabled(_ index: Int) -> Bool {
        let kind = entries[index].track.kind
        let same = order.filter { entries[$0].track.kind == kind }
        let chosen = same.first { entries[$0].track.isDefault }
        return kind == .subtitle ? index == chosen : index == (chosen ?? same.first)
    }
}
