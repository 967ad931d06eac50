package import Codecs

/// All that an MP4 must say of a track before its samples.
package struct TrackSetup: Sendable {
    package enum Media: Sendable {
        case video(VideoSetup)
        case audio(AudioSetup)
        case text
    }

    /// Type of the sample entry: `avc1`, `mp4a`, `tx3g` (ISO/IEC 14496-12 §8.5.2).
    package var entryType: String
    /// Boxes inside of it, in order: the decoder's configuration first.
    package var configurations: [any DecoderConfiguration]
    package var media: Media
    package var framing: SampleFraming

    init(_ entryType: String, _ configurations: [any DecoderConfiguration], _ media: Media, framing: SampleFraming = .asIs) {
        self.entryType = entryType
        self.configurations = configurations
        self.media = media
        self.framing = framing
    }

    /// For the samples behind a change of the track's coding.
    ///
    /// - Parameter frame: the first one behind the change.
    /// - Returns: `nil` if they cannot go on in the same track.
    package func changed(to track: SourceTrack, frame: [UInt8]) -> TrackSetup? {
        guard let next = RemuxPlan.verdict(track, frame, nil, true).setup, next.entryType == entryType else { return nil }
        return next
    }

    package var video: VideoSetup? {
        if case .video(let setup) = media { setup } else { nil }
    }

    package var audio: AudioSetup? {
        if case .audio(let setup) = media { setup } else { nil }
    }
}

package struct VideoSetup: Sendable {
    /// Pixels of the coded picture.
    package var width: Int, height: Int
    package var pixelAspect: Ratio?
    package var rotation = DisplayRotation.none
    package var colour: ColourDescription?
    package var isInterlaced = false
    /// Pictures that may precede one in decoding order and follow it in output order.
    package var reorderDepth = 0
    /// As the codec's headers say.
    package var frameRate: Ratio?
}

package struct AudioSetup: Sendable {
    /// Hz, and the clock of the track: of the coded core, or what Opus always decodes to.
    package var samplingRate: UInt32
    package var channels: Int
    /// Bits of a decoded sample; 16 for lossy codecs, where it means nothing.
    package var depth = 16
    /// How many samples each frame decodes to.
    package var frameSamples: FrameSamples
    /// Samples that a player drops at the start.
    package var preSkip = 0
}

/// How many audio samples a frame decodes to.
package enum FrameSamples: Hashable, Sendable {
    case fixed(Int)
    /// Each frame says it.
    case opus, flac

    /// `nil` when the frame is damaged.
    package func count(_ frame: some Collection<UInt8>) -> Int? {
        switch self {
        case .fixed(let count): count
        case .opus: OpusPacket.samples(frame)
        case .flac: FLACConfiguration.samples(frame: frame)
        }
    }
}
