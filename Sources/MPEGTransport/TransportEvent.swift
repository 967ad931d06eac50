package import Bytes
package import Codecs

/// What a decoder must know of a track before its first unit.
package enum TransportConfiguration: Hashable, Sendable {
    case avc(AVCConfiguration)
    case hevc(HEVCConfiguration)
    /// MPEG-1 and MPEG-2: its `objectType` says which.
    case mpegVideo(MPEGVideoHeader)
    case aac(AudioSpecificConfig)
    /// Of the first frame.
    case mpegAudio(MPEGAudioHeader)
    case ac3(AC3Configuration)
    case eac3(EAC3Configuration)
    case dts(DTSConfiguration)
    case opus(OpusConfiguration)
}

/// A stream that is told, under a number that stays when maps change its PID.
package struct TransportTrack: Hashable, Sendable {
    /// Index in `TransportWalker.tracks`.
    package let number: Int
    /// As the map in force describes it, or the last one that had it.
    package internal(set) var stream: ElementaryStream
    /// Whether the map in force has it.
    package internal(set) var isPresent = true
    /// The first one; changes come as `TransportEvent.configuration`.
    package internal(set) var configuration: TransportConfiguration?
    /// Encrypted packets that were left out.
    package internal(set) var scrambledPackets: UInt64 = 0
    package internal(set) var units: UInt64 = 0

    package var pid: UInt16 { stream.pid }
    package var codec: TransportCodec { stream.codec }
    package var language: String? { stream.language }
}

/// A picture (both fields of it), or a frame of sound.
package struct TransportUnit: Hashable, Sendable {
    /// Number of the track.
    package var track: Int
    /// 90 kHz, continuous over wraps and jumps, as `TransportClock` makes it. DTS grows from unit to unit of a track.
    package var pts: Int64
    package var dts: Int64
    /// Samples of sound, at the rate of the track's configuration (48 kHz for Opus); 0 for pictures.
    package var samples: Int
    /// Whether decoding can begin here: IDR, recovery point, IRAP, I picture; every frame of sound.
    package var isKeyframe: Bool
    /// Whether the time was counted on from the unit before, and not stated.
    package var isTimeDerived: Bool
    /// Packets are missing inside of it.
    package var isDamaged: Bool
    /// The packet in which the PES begins that the unit begins in. A walk that starts there tells the same unit first.
    package var pesOffset: UInt64
    /// From the packet with its first byte to the end of the one with its last byte.
    package var source: FileRange
    /// Pictures: with start codes (Annex B, or as MPEG-2 has them). Sound: frames without ADTS, LATM and Opus control headers.
    package var bytes: [UInt8]
}

package enum TransportEvent: Hashable, Sendable {
    /// A track came, or its description changed; the whole list is in `TransportWalker.tracks`.
    case track(TransportTrack)
    /// The first or another configuration of a track. It holds from the next unit of the track on.
    case configuration(track: Int, TransportConfiguration)
    case unit(TransportUnit)
    /// The time of the file jumped; the clock moved what follows.
    case jump(offset: UInt64)
}
