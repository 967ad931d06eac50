internal import Bytes

/// DTSSpecificBox (ETSI TS 102 114 annex E): MP4's `ddts`.
package struct DTSConfiguration: Hashable, Sendable, DecoderConfiguration {
    package let frame: DTSFrame

    package init(_ frame: DTSFrame) { self.frame = frame }

    /// The sample entry (§E.2.2): core alone, core with extension, extension alone.
    package var entryType: String { frame.hasCore ? (frame.hasExtension ? "dtsh" : "dtsc") : "dtsl" }

    package var boxType: String { "ddts" }

    package var boxPayload: [UInt8] {
        var bytes: [UInt8] = []
        let samples = max(frame.samples ?? 512, 1)
        let bitrate = UInt64(frame.size) * 8 * UInt64(frame.samplingRate) / UInt64(samples)
        bytes.append(bigEndian: frame.samplingRate)
        bytes.append(bigEndian: UInt32(truncatingIfNeeded: min(bitrate, UInt64(UInt32.max))))
        bytes.append(bigEndian: UInt32(truncatingIfNeeded: min(bitrate, UInt64(UInt32.max))))
        bytes.append(frame.depth)
        var writer = BitWriter()
        writer.put(samples <= 512 ? 0 : samples <= 1024 ? 1 : samples <= 2048 ? 2 : 3, 2)
        writer.put(frame.hasCore && !frame.hasExtension ? 1 : 0, 5)  // StreamConstruction: 1 core only, 0 not stated
        writer.put(frame.hasCore && frame.hasLowFrequency)
        writer.put(frame.hasCore ? frame.channelArrangement : 31, 6)  // CoreLayout, 31: see ChannelLayout
        writer.put(min(frame.coreSize, 0x3FFF), 14)
        writer.put(0, 1)  // StereoDownmix
        writer.put(0, 3)  // RepresentationType
        writer.put(channelLayout, 16)
        writer.put(0, 8)  // MultiAssetFlag, LBRDurationMod, ReservedBoxPresent, reserved
        return bytes + writer.bytes
    }

    /// nuActivityMask of the core's channels (§7.5.2, table 7-10): 1 C, 2 L R, 4 Ls Rs, 8 LFE, 0x10 Cs. Arrangements
    /// beyond five channels, which no encoder makes of a core, count as five.
    private var channelLayout: UInt16 {
        let masks: [UInt16] = [1, 2, 2, 2, 2, 3, 0x12, 0x13, 6, 7]
        let arrangement = Int(frame.channelArrangement)
        return (arrangement < masks.count ? masks[arrangement] : 7) | (frame.hasLowFrequency ? 8 : 0)
    }
}
