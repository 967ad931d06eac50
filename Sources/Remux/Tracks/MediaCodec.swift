/// What a track is coded in, as far as it matters for an MP4.
package enum MediaCodec: Hashable, Sendable {
    case h264, hevc, av1, vp9, vp8
    /// MPEG-1 and MPEG-2 video.
    case mpegVideo
    /// MPEG-4 part 2, "ASP".
    case mpeg4Visual
    case aac
    /// Layers I to III of MPEG-1 and MPEG-2.
    case mpegAudio
    case ac3, enhancedAC3, dts, opus, flac, alac
    case subRip, subStation, webVTT
    /// WebVTT as WebM has it: the cue's identifier and its settings stand before the text, a line each.
    case webVTTCue
    /// Without a place in MP4, or in this program; by the name people know it by.
    case other(String)

    /// The name people know it by.
    package var name: String {
        switch self {
        case .h264: "H.264"
        case .hevc: "HEVC"
        case .av1: "AV1"
        case .vp9: "VP9"
        case .vp8: "VP8"
        case .mpegVideo: "MPEG-1/2 video"
        case .mpeg4Visual: "MPEG-4 video"
        case .aac: "AAC"
        case .mpegAudio: "MPEG audio"
        case .ac3: "AC-3"
        case .enhancedAC3: "E-AC-3"
        case .dts: "DTS"
        case .opus: "Opus"
        case .flac: "FLAC"
        case .alac: "ALAC"
        case .subRip: "SubRip"
        case .subStation: "SubStation Alpha"
        case .webVTT, .webVTTCue: "WebVTT"
        case .other(let name): name
        }
    }

    /// Whether samples are made of words, not of the track's bytes.
    package var isText: Bool {
        switch self {
        case .subRip, .subStation, .webVTT, .webVTTCue: true
        default: false
        }
    }
}
