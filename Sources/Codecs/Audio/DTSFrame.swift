/// A DTS core frame, and the extension substream behind it or alone (ETSI TS 102 114 §5.3, §7.4).
package struct DTSFrame: Hashable, Sendable {
    /// Core frames are told by 7FFE8001, extension substreams by 64582025.
    package let hasCore: Bool
    package let hasExtension: Bool
    /// Of core and extension.
    package let size: Int
    package let coreSize: Int
    /// Samples per channel; `nil` if only an extension of unknown length is there.
    package let samples: Int?
    package let samplingRate: UInt32
    /// Of the core, low-frequency channel included.
    package let channels: Int
    package let channelArrangement: UInt8
    package let hasLowFrequency: Bool
    package let depth: UInt8

    /// Bytes that `coreSize` needs.
    package static let headSize = 16

    private static let rates: [UInt32] = [0, 8000, 16000, 32000, 0, 0, 11025, 22050, 44100, 0, 0, 12000, 24000, 48000, 96000, 192_000]
    private static let channelCounts = [1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 6, 6, 7, 8, 8]
    private static let extensionSync: [UInt8] = [0x64, 0x58, 0x20, 0x25]

    /// From the start of a frame, as 16-bit big-endian words (Matroska, MPEG-TS); `nil` unless a valid head stands there. What
    /// follows a core frame counts to it if it is an extension substream.
    package init?(_ bytes: [UInt8]) {
        if bytes.starts(with: Self.extensionSync) {
            guard let substream = Self.extensionSubstream(bytes, at: 0) else { return nil }
            hasCore = false
            hasExtension = true
            size = substream.size
            coreSize = 0
            samples = substream.samples
            samplingRate = substream.samplingRate ?? 48000
            (channels, channelArrangement, hasLowFrequency, depth) = (2, 2, false, 24)
            return
        }
        var reader = BitReader(Array(bytes.prefix(Self.headSize)))
        guard reader.bits(32) == 0x7FFE_8001 else { return nil }
        reader.skip(6)  // FTYPE, SHORT
        let hasChecksum = reader.flag()
        let blocks = Int(reader.bits(7)) + 1
        let stated = Int(reader.bits(14)) + 1
        channelArrangement = UInt8(reader.bits(6))
        samplingRate = Self.rates[Int(reader.bits(4))]
        reader.skip(5 + 1 + 1 + 1 + 1 + 1 + 3 + 1 + 1)  // RATE … ASPF
        hasLowFrequency = [1, 2].contains(reader.bits(2))
        reader.skip(1)  // HFLAG
        if hasChecksum { reader.skip(16) }
        reader.skip(1 + 4 + 2)  // FILTS, VERNUM, CHIST
        let resolution = Int(reader.bits(3))
        // §5.3.1: at least 6 blocks of 32 samples and 96 bytes.
        guard !reader.overran, blocks >= 6, stated >= 96, samplingRate > 0, channelArrangement < 16 else { return nil }
        depth = [16, 16, 20, 20, 24, 24, 24, 24][resolution]
        hasCore = true
        samples = blocks * 32
        coreSize = stated
        channels = Self.channelCounts[Int(channelArrangement)] + (hasLowFrequency ? 1 : 0)
        // The extension begins at the next multiple of four bytes.
        let next = (stated + 3) & ~3
        if let substream = Self.extensionSubstream(bytes, at: next) {
            hasExtension = true
            size = next + substream.size
        } else {
            hasExtension = false
            size = stated
        }
    }

    /// The head of DTS_ExtSS (§7.4.1): sizes, and time if its static fields are there.
    private static func extensionSubstream(_ bytes: [UInt8], at start: Int) -> (size: Int, samples: Int?, samplingRate: UInt32?)? {
        guard start < bytes.count, bytes[start...].starts(with: extensionSync) else { return nil }
        var reader = BitReader(Array(bytes[start...].prefix(40)))
        reader.skip(42)  // SYNCEXTSSH, UserDefinedBits, nExtSSIndex
        let isLong = reader.flag()
        let headerSize = Int(reader.bits(isLong ? 12 : 8)) + 1
        let size = Int(reader.bits(isLong ? 20 : 16)) + 1
        guard !reader.overran, headerSize < size else { return nil }
        guard reader.flag() else { return (size, nil, nil) }  // bStaticFieldsPresent
        let clocks: [UInt32] = [32000, 44100, 48000, 0]
        let clock = clocks[Int(reader.bits(2))]
        let samples = 512 * (Int(reader.bits(3)) + 1)
        return reader.overran || clock == 0 ? (size, nil, nil) : (size, samples, clock)
    }
}
