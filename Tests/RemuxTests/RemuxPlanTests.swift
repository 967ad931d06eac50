import Testing

@testable import Remux

@Suite("What an MP4 carries")
struct RemuxPlanTests {
    fileprivate func track(_ kind: SourceTrack.Kind, _ codec: MediaCodec, _ change: (inout SourceTrack) -> Void = { _ in }) -> SourceTrack {
        var track = SourceTrack(identifier: 1, kind: kind, codec: codec, codecID: "")
        if codec == .vp8 {
            var shape = VideoShape()
            (shape.width, shape.height) = (320, 180)
            track.video = shape
        }
        if codec == .aac { track.privateData = [0x11, 0x90] }
        change(&track)
        return track
    }

    private func plan(_ tracks: [SourceTrack], wantsSubtitles: Bool = true) -> RemuxPlan {
        RemuxPlan(tracks, firstFrames: tracks.map { _ in nil }, searched: 64 << 20, wantsSubtitles: wantsSubtitles)
    }

    @Test("video comes first, the default one before others, then audio, then subtitles")
    func order() {
        let plan = plan([
            track(.subtitle, .subRip), track(.audio, .aac), track(.video, .vp8) { $0.isDefault = false }, track(.video, .vp8), track(.audio, .aac),
        ])
        #expect(plan.refusal == nil)
        #expect(plan.order == [3, 2, 1, 4, 0])
    }

    @Test("one track of a kind is enabled, and the first when none is marked; subtitles only when marked")
    func enabled() {
        let plan = plan([
            track(.video, .vp8) { $0.isDefault = false }, track(.audio, .aac) { $0.isDefault = false }, track(.audio, .aac), track(.audio, .aac),
            track(.subtitle, .subRip) { $0.isDefault = false }, track(.subtitle, .webVTT),
        ])
        #expect((0..<6).map { plan.isEnabled($0) } == [true, false, true, false, false, true])
    }

    @Test("an audio track without a place is left out as long as another goes")
    func leftOut() {
        let plan = plan([
            track(.video, .vp8), track(.audio, .other("Vorbis")), track(.audio, .aac), track(.subtitle, .other("PGS (subtitles as pictures)")),
        ])
        #expect(plan.refusal == nil)
        #expect(plan.order == [0, 2])
        guard case .left(.codec("Vorbis")) = plan.entries[1].verdict else {
            Issue.record("\(plan.entries[1].verdict)")
            return
        }
    }

    @Test("a film whose only video or only audio has no place is refused")
    func refused() {
        #expect(plan([track(.video, .other("RealVideo")), track(.audio, .aac)]).refusal == .noVideo(["MP4 has no place for RealVideo"]))
        #expect(plan([track(.video, .vp8), track(.audio, .other("Vorbis"))]).refusal == .noAudio(["MP4 has no place for Vorbis"]))
        #expect(plan([track(.subtitle, .subRip)]).refusal == .nothingPlayable)
        #expect(plan([]).refusal == .nothingPlayable)
    }

    @Test("encryption is told as such")
    func encrypted() {
        #expect(plan([track(.video, .h264) { $0.obstacle = .encrypted("AES") }, track(.audio, .aac)]).refusal == .encrypted("AES"))
    }

    @Test("sound or pictures alone are no fault")
    func alone() {
        #expect(plan([track(.audio, .aac)]).refusal == nil)
        #expect(plan([track(.video, .vp8)]).refusal == nil)
    }

    @Test("a track that needs a frame and has none is left out, with what was searched")
    func noFrame() {
        let plan = plan([track(.video, .vp8), track(.audio, .ac3), track(.audio, .aac)])
        #expect(plan.order == [0, 2])
        guard case .left(let reason) = plan.entries[1].verdict else {
            Issue.record("carried without a frame")
            return
        }
        #expect(reason.description == "no frame was found in the first 64 MiB")
    }

    @Test("a track of a transport stream without a frame is said to have none, not to be damaged", arguments: [64 << 20, nil] as [UInt64?])
    func noFrameInTransportStream(searched: UInt64?) {
        let tracks = [track(.video, .vp8), track(.audio, .aac) { ($0.privateData, $0.hasStartCodes) = (nil, true) }]
        let plan = RemuxPlan(tracks, firstFrames: [[1], nil], searched: searched)
        guard case .left(let reason) = plan.entries[1].verdict else {
            Issue.record("carried without a frame")
            return
        }
        #expect(reason == (searched.map { .noFrame(searched: $0) } ?? .empty))
    }

    @Test("a damaged configuration is named")
    func damaged() {
        let plan = plan([track(.video, .h264) { $0.privateData = [1, 2] }])
        guard case .noVideo(let reasons)? = plan.refusal else {
            Issue.record("\(String(describing: plan.refusal))")
            return
        }
        #expect(reasons.first?.hasPrefix("its decoder configuration is unusable") ?? false)
    }

    @Test("subtitles stay out when nobody wants them")
    func withoutSubtitles() { #expect(plan([track(.video, .vp8), track(.subtitle, .subRip)], wantsSubtitles: false).order == [0]) }
}

extension RemuxPlanTests {
    @Test("a track that has no frame in the whole file does not go in, whatever it says of itself")
    func empty() {
        let tracks = [track(.video, .vp8), track(.audio, .aac)]
        #expect(RemuxPlan(tracks, firstFrames: [nil, [1]], searched: nil).refusal == .noVideo(["there is no frame of it in the file"]))
        let silent = RemuxPlan(tracks, firstFrames: [[1], nil], searched: nil)
        #expect(silent.refusal == nil)
        let nothing = RemuxPlan([track(.audio, .aac), track(.subtitle, .subRip)], firstFrames: [nil, [0x41]], searched: nil)
        #expect(nothing.refusal == .noAudio(["there is no frame of it in the file"]))
        #expect(silent.order == [0])
    }

    @Test("the words of a WebM cue stand behind its identifier and settings")
    func webVTTCue() { #expect(MediaCodec.webVTTCue.plainText(Array("id\nalign:start\nOne <b>line</b>\nTwo".utf8)) == "One line\nTwo") }
}
