/// Matroska's codec IDs (RFC 9559 §27.7, the codec mapping of Matroska).
enum MatroskaCodecs {
    static func codec(_ id: String) -> MediaCodec {
        if let codec = exact[id] { return codec }
        if id.hasPrefix("A_AAC/") { return .aac }
        if let name = unplaced.first(where: { id.hasPrefix($0.prefix) })?.name { return .other(name) }
        return .other(id)
    }

    private static let exact: [String: MediaCodec] = [
        "V_MPEG4/ISO/AVC": .h264, "V_MPEGH/ISO/HEVC": .hevc, "V_AV1": .av1, "V_VP9": .vp9, "V_VP8": .vp8, "V_MPEG1": .mpegVideo,
        "V_MPEG2": .mpegVideo, "V_MPEG4/ISO/ASP": .mpeg4Visual, "V_MPEG4/ISO/SP": .mpeg4Visual, "V_MPEG4/ISO/AP": .mpeg4Visual, "A_AAC": .aac,
        "A_MPEG/L1": .mpegAudio, "A_MPEG/L2": .mpegAudio, "A_MPEG/L3": .mpegAudio, "A_AC3": .ac3, "A_AC3/BSID9": .ac3, "A_AC3/BSID10": .ac3,
        "A_EAC3": .enhancedAC3, "A_DTS": .dts, "A_DTS/EXPRESS": .dts, "A_DTS/LOSSLESS": .dts, "A_OPUS": .opus, "A_FLAC": .flac, "A_ALAC": .alac,
        "S_TEXT/UTF8": .subRip, "S_TEXT/ASCII": .subRip, "S_TEXT/ASS": .subStation, "S_TEXT/SSA": .subStation, "S_ASS": .subStation,
        "S_SSA": .subStation, "S_TEXT/WEBVTT": .webVTT, "D_WEBVTT/SUBTITLES": .webVTTCue, "D_WEBVTT/CAPTIONS": .webVTTCue,
    ]

    private static let unplaced: [(prefix: String, name: String)] = [
        ("A_VORBIS", "Vorbis"), ("A_TRUEHD", "TrueHD"), ("A_MLP", "MLP"), ("A_PCM/", "PCM"), ("A_TTA", "True Audio"), ("A_WAVPACK", "WavPack"),
        ("A_REAL/", "RealAudio"), ("A_QUICKTIME", "QuickTime audio"), ("A_MS/ACM", "audio of Windows codecs"), ("A_MPC", "Musepack"),
        ("A_ATRAC", "ATRAC"), ("V_REAL/", "RealVideo"), ("V_THEORA", "Theora"), ("V_MS/VFW", "video of Windows codecs"), ("V_PRORES", "ProRes"),
        ("V_FFV1", "FFV1"), ("V_UNCOMPRESSED", "uncompressed video"), ("V_QUICKTIME", "QuickTime video"), ("V_MJPEG", "Motion JPEG"),
        ("V_DIRAC", "Dirac"), ("V_MPEG4/MS", "MS MPEG-4"), ("V_AVS", "AVS video"), ("S_HDMV/PGS", "PGS (subtitles as pictures)"),
        ("S_HDMV/TEXTST", "HDMV text subtitles"), ("S_VOBSUB", "VobSub (subtitles as pictures)"), ("S_IMAGE/", "subtitles as pictures"),
        ("S_DVBSUB", "DVB subtitles (pictures)"), ("S_KATE", "Kate"), ("S_TEXT/USF", "Universal Subtitle Format"), ("B_VOBBTN", "DVD buttons"),
    ]
}
