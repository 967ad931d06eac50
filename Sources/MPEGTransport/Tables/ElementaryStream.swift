/// A stream as the program map describes it.
package struct ElementaryStream: Hashable, Sendable {
    package let pid: UInt16
    package let streamType: UInt8
    /// By the map; AC-3 and E-AC-3 by their frames.
    package internal(set) var codec: TransportCodec
    /// Three letters of ISO 639-2.
    package let language: String?
    /// audio_type: 1 clean effects, 2 for the hearing impaired, 3 commentary for the visually impaired.
    package let audioType: UInt8?
    /// Four characters of the registration descriptor.
    package let registration: String?
    /// channel_config_code of Opus.
    package let opusChannels: UInt8?

    package var isVideo: Bool { codec.isVideo }
    package var isAudio: Bool { codec.isAudio }
    package var isCarried: Bool { codec.isCarried }
}

/// A program map section (ISO/IEC 13818-1 §2.4.4.8): the streams of one program.
package struct ProgramMap: Hashable, Sendable {
    package let program: UInt16
    package let version: UInt8
    let isCurrent: Bool
    package let clockPID: UInt16
    /// Of the program; "HDMV" on Blu-ray.
    package let registration: String?
    package let streams: [ElementaryStream]
    let hasTooMany: Bool

    static let tableID: UInt8 = 0x02

    package var hasVideo: Bool { streams.contains { $0.isVideo } }
    package var hasCarried: Bool { streams.contains { $0.isCarried } }
}
