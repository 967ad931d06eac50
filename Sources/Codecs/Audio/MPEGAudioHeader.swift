/// The header of an MPEG audio frame: MP1, MP2, MP3 (ISO/IEC 11172-3 §2.4.1.3, ISO/IEC 13818-3 §2.4.2.3, and MPEG-2.5).
package struct MPEGAudioHeader: Hashable, Sendable {
    /// 1, 2 or 3.
    package let layer: Int
    /// MPEG-1; else MPEG-2 or 2.5 with half or a quarter of the rates.
    package let isMPEG1: Bool
    package let samplingRate: UInt32
    package let channels: Int
    /// kbit/s
    package let bitrate: Int
    /// Of the whole frame.
    package let frameSize: Int
    /// Samples per channel.
    package let samples: Int

    /// Bytes that `init` needs.
    package static let size = 4

    /// kbit/s of index 1…14 (table 2.4.2.3): MPEG-1 layers I, II, III, MPEG-2 layer I, MPEG-2 layers II and III.
    private static let bitrates = [
        [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]

    /// From the start of a frame; `nil` unless a valid header stands there. Free format, whose frames state no size, is none.
    package init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(Self.size))
        guard head.count == 4, head[0] == 0xFF, head[1] & 0xE0 == 0xE0 else { return nil }
        let version = head[1] >> 3 & 3, layerCode = Int(head[1] >> 1 & 3)
        let bitrateIndex = Int(head[2] >> 4), rateIndex = Int(head[2] >> 2 & 3)
        guard version != 1, layerCode != 0, (1...14).contains(bitrateIndex), rateIndex < 3 else { return nil }
        layer = 4 - layerCode
        isMPEG1 = version == 3
        samplingRate = [44100, 48000, 32000][rateIndex] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
        bitrate = Self.bitrates[isMPEG1 ? layer - 1 : layer == 1 ? 3 : 4][bitrateIndex - 1]
        channels = head[3] >> 6 == 3 ? 1 : 2
        let padding = Int(head[2] >> 1 & 1)
        samples = layer == 1 ? 384 : layer == 3 && !isMPEG1 ? 576 : 1152
        let slots = samples / 8 * bitrate * 1000 / Int(samplingRate)
        frameSize = layer == 1 ? (slots / 4 + padding) * 4 : slots + padding
    }

    /// objectTypeIndication of `esds`.
    package var objectType: ElementaryStreamDescriptor.ObjectType { isMPEG1 ? .mpeg1Audio : .mpeg2Audio }
}
