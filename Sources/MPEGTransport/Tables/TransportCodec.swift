/// What an elementary stream carries, by its stream_type (ISO/IEC 13818-1 table 2-34) and its descriptors.
package enum TransportCodec: Hashable, Sendable {
    case h264, hevc, mpeg1Video, mpeg2Video
    /// AAC behind ADTS headers, and in LATM.
    case aac, latm
    /// MP1, MP2 or MP3.
    case mpegAudio
    case ac3, eac3, dts, opus
    /// Known, not carried.
    case trueHD, mpeg4Visual, vc1, pgs, dvbSubtitles, teletext
    /// stream_type of something else.
    case other(UInt8)

    package var isVideo: Bool {
        switch self {
        case .h264, .hevc, .mpeg1Video, .mpeg2Video: true
        default: false
        }
    }

    package var isAudio: Bool {
        switch self {
        case .aac, .latm, .mpegAudio, .ac3, .eac3, .dts, .opus: true
        default: false
        }
    }

    /// Whether its frames are told.
    package var isCarried: Bool { isVideo || isAudio }

    /// - Parameter program: registration of the program: with "HDMV" (Blu-ray) the private types 0x80…0xA2 have its meaning.
    init(streamType: UInt8, _ stream: Descriptors, program: String?) {
        let isDisc = program == "HDMV" || stream.registration == "HDMV"
        self =
            switch streamType {
            case 0x01: .mpeg1Video
            case 0x02: .mpeg2Video
            case 0x03, 0x04: .mpegAudio
            case 0x0F: .aac
            case 0x11: .latm
            case 0x10: .mpeg4Visual
            case 0x1B: .h264
            case 0x24: .hevc
            case 0x81: .ac3
            case 0x87: .eac3
            case 0x84 where isDisc, 0xA1 where isDisc: .eac3
            // Elsewhere 0x82 is a subtitle of cable networks, which register themselves.
            case 0x82 where isDisc || stream.registration?.hasPrefix("DTS") == true || program == nil && stream.registration == nil: .dts
            case 0x85 where isDisc, 0x86 where isDisc, 0xA2 where isDisc: .dts
            case 0x8A: .dts
            case 0x83 where isDisc: .trueHD
            case 0x90 where isDisc: .pgs
            case 0xEA: .vc1
            default: Self.registered(stream) ?? (streamType == 0x06 ? Self.described(stream) : nil) ?? .other(streamType)
            }
    }

    private static func registered(_ stream: Descriptors) -> TransportCodec? {
        switch stream.registration {
        case "AC-3": .ac3
        case "EAC3": .eac3
        case "DTS1", "DTS2", "DTS3": .dts
        case "Opus": .opus
        case "HEVC": .hevc
        case "VC-1": .vc1
        case "mlpa": .trueHD
        default: nil
        }
    }

    /// Private data (0x06) of DVB, told by descriptors (ETSI EN 300 468 table 12, annex D).
    private static func described(_ stream: Descriptors) -> TransportCodec? {
        if stream.tags.contains(0x6A) { return .ac3 }
        if stream.tags.contains(0x7A) { return .eac3 }
        if stream.tags.contains(0x7B) { return .dts }
        if stream.tags.contains(0x7C) { return .latm }
        if stream.tags.contains(0x59) { return .dvbSubtitles }
        if stream.tags.contains(0x56) || stream.tags.contains(0x46) { return .teletext }
        return nil
    }
}

extension TransportCodec: CustomStringConvertible {
    package var description: String {
        switch self {
        case .h264: "H.264"
        case .hevc: "HEVC"
        case .mpeg1Video: "MPEG-1 video"
        case .mpeg2Video: "MPEG-2 video"
        case .aac: "AAC"
        case .latm: "AAC in LATM"
        case .mpegAudio: "MPEG audio"
        case .ac3: "AC-3"
        case .eac3: "E-AC-3"
        case .dts: "DTS"
        case .opus: "Opus"
        case .trueHD: "TrueHD"
        case .mpeg4Visual: "MPEG-4 part 2 video"
        case .vc1: "VC-1"
        case .pgs: "PGS subtitles"
        case .dvbSubtitles: "DVB subtitles"
        case .teletext: "teletext"
        case .other(let type): "stream type \(type)"
        }
    }
}
