package import Codecs

/// A track of a film, in terms that all containers share.
package struct SourceTrack: Sendable {
    package enum Kind: Hashable, Sendable { case video, audio, subtitle, other }

    /// Matroska's TrackNumber, or the PID.
    package var identifier: UInt64
    package var kind: Kind
    package var codec: MediaCodec
    /// As the container writes it: `V_MPEG4/ISO/AVC`, `stream type 0x1b`.
    package var codecID: String
    /// What stands beside the frames for the decoder, decoded.
    package var privateData: [UInt8]?

    /// NAL units of its frames stand behind start codes, whatever `privateData` says.
    package var hasStartCodes = false

    /// BCP 47 or ISO 639-2; `nil` when nothing is said.
    package var language: String?
    package var name: String?
    package var isDefault = true, isForced = false, isHearingImpaired = false, isCommentary = false

    /// Nanoseconds of a frame, where the container says it.
    package var frameDuration: UInt64?
    /// Nanoseconds that a decoder drops at the start of the track.
    package var codecDelay: UInt64 = 0
    package var video: VideoShape?
    package var audio: AudioShape?
    /// Dolby Vision's configuration record.
    package var dolbyVision: [UInt8]?
    /// Why its frames cannot be had at all: encryption, an unknown compression.
    package var obstacle: Obstacle?

    package enum Obstacle: Hashable, Sendable {
        case encrypted(String)
        case unreadable(String)
    }

    package init(identifier: UInt64, kind: Kind, codec: MediaCodec, codecID: String) {
        self.identifier = identifier
        self.kind = kind
        self.codec = codec
        self.codecID = codecID
    }
}

/// How a picture is shown, as the container says.
package struct VideoShape: Hashable, Sendable {
    /// Pixels of the coded picture; 0 when the codec's headers have to tell.
    package var width = 0, height = 0
    package var pixelAspect: Ratio?
    package var rotation = DisplayRotation.none
    package var colour: ColourDescription?
    package var mastering: MasteringDisplay?
    package var light: ContentLight?

    package init() {}
}

/// How sound is played, as the container says.
package struct AudioShape: Hashable, Sendable {
    /// Hz, of the coded core.
    package var samplingRate: UInt32 = 0
    package var channels = 0
    package var depth: Int?

    package init() {}
}
