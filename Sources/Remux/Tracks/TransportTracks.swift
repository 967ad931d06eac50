internal import Codecs
package import MPEGTransport

extension SourceTrack {
    /// A track of a transport stream whose frames are told.
    package init(_ track: TransportTrack) {
        self.init(track.stream)
        hasStartCodes = true
        if let configuration = track.configuration { take(configuration) }
        if track.units == 0, track.scrambledPackets > 0 { obstacle = .encrypted("scrambled packets") }
    }

    /// The same track behind a change of its coding.
    package func described(by configuration: TransportConfiguration) -> SourceTrack {
        var track = self
        track.take(configuration)
        return track
    }

    private mutating func take(_ configuration: TransportConfiguration) {
        switch configuration {
        case .avc(let configuration): privateData = configuration.boxPayload
        case .hevc(let configuration): privateData = configuration.boxPayload
        case .mpegVideo(let header): privateData = header.bytes
        case .aac(let configuration): privateData = configuration.bytes
        case .opus(let configuration):
            var shape = AudioShape()
            (shape.samplingRate, shape.channels) = (48000, Int(configuration.channels))
            audio = shape
        // Their frames say it.
        case .mpegAudio, .ac3, .eac3, .dts: break
        }
    }

    /// A stream as the program map describes it.
    package init(_ stream: ElementaryStream) {
        let (kind, codec) = Self.meaning(stream.codec)
        self.init(
            identifier: UInt64(stream.pid), kind: kind, codec: codec, codecID: "stream type 0x\(String(stream.streamType, radix: 16))")
        language = stream.language
        // ISO/IEC 13818-1 table 2-60.
        isHearingImpaired = stream.audioType == 2
        isCommentary = stream.audioType == 3
    }

    private static func meaning(_ codec: TransportCodec) -> (Kind, MediaCodec) {
        switch codec {
        case .h264: (.video, .h264)
        case .hevc: (.video, .hevc)
        case .mpeg1Video, .mpeg2Video: (.video, .mpegVideo)
        case .aac, .latm: (.audio, .aac)
        case .mpegAudio: (.audio, .mpegAudio)
        case .ac3: (.audio, .ac3)
        case .eac3: (.audio, .enhancedAC3)
        case .dts: (.audio, .dts)
        case .opus: (.audio, .opus)
        case .trueHD: (.audio, .other("TrueHD"))
        case .mpeg4Visual, .vc1: (.video, .other("\(codec)"))
        case .pgs: (.subtitle, .other("PGS (subtitles as pictures)"))
        case .dvbSubtitles: (.subtitle, .other("DVB subtitles (pictures)"))
        case .teletext: (.subtitle, .other("teletext"))
        case .other: (.other, .other("\(codec)"))
        }
    }
}
