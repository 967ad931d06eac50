/// The head of an AC-3 or E-AC-3 sync frame (ETSI TS 102 366 §4.3, §4.4 and annex E §E.1.2).
package struct AC3Frame: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case ac3
        /// strmtyp 0 or 2.
        case independent
        /// strmtyp 1: more channels for the independent substream before it.
        case dependent
    }

    package let kind: Kind
    /// fscod, 3 for the reduced rates of E-AC-3.
    package let rateCode: UInt8
    package let samplingRate: UInt32
    /// bsid
    package let version: UInt8
    /// bsmod; 0 for E-AC-3, which states it behind optional fields.
    package let mode: UInt8
    /// acmod
    package let channelMode: UInt8
    package let hasLowFrequency: Bool
    /// Of the whole frame.
    package let size: Int
    /// 1536 for AC-3, 256 for each block of E-AC-3.
    package let samples: Int
    /// frmsizecod >> 1 of AC-3, which is bit_rate_code of `dac3`.
    package let bitrateCode: UInt8
    package let substream: UInt8
    /// chanmap of a dependent substream, L in the highest bit.
    package let channelMap: UInt16?

    /// Bytes that `init` needs at most.
    package static let headSize = 16

    private static let rates: [UInt32] = [48000, 44100, 32000]
    /// Table 4.13, in kbit/s.
    private static let bitrates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]

    /// From the start of a frame; `nil` unless a valid head stands there.
    package init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(Self.headSize))
        guard head.count >= 8, head[0] == 0x0B, head[1] == 0x77 else { return nil }
        let version = head[5] >> 3
        self.version = version
        var reader = BitReader(head)
        reader.skip(16)
        if version <= 10 {
            reader.skip(16)  // crc1
            rateCode = UInt8(reader.bits(2))
            let sizeCode = Int(reader.bits(6))
            guard rateCode < 3, sizeCode >> 1 < Self.bitrates.count else { return nil }
            reader.skip(5)
            mode = UInt8(reader.bits(3))
            channelMode = UInt8(reader.bits(3))
            if channelMode & 1 != 0, channelMode != 1 { reader.skip(2) }  // cmixlev
            if channelMode & 4 != 0 { reader.skip(2) }  // surmixlev
            if channelMode == 2 { reader.skip(2) }  // dsurmod
            hasLowFrequency = reader.flag()
            // Versions 9 and 10 are half and quarter rates.
            samplingRate = Self.rates[Int(rateCode)] >> UInt32(max(version, 8) - 8)
            let bitrate = Self.bitrates[sizeCode >> 1]
            size =
                switch rateCode {
                case 0: bitrate * 4
                case 1: (bitrate * 960 / 441 + (sizeCode & 1)) * 2
                default: bitrate * 6
                }
            samples = 1536
            kind = .ac3
            bitrateCode = UInt8(sizeCode >> 1)
            (substream, channelMap) = (0, nil)
        } else if version <= 16 {
            let type = reader.bits(2)
            guard type < 3 else { return nil }
            kind = type == 1 ? .dependent : .independent
            substream = UInt8(reader.bits(3))
            size = (Int(reader.bits(11)) + 1) * 2
            rateCode = UInt8(reader.bits(2))
            let blocks = Int(reader.bits(2))
            if rateCode == 3 {
                guard blocks < 3 else { return nil }
                samplingRate = Self.rates[blocks] / 2
                samples = 1536
            } else {
                samplingRate = Self.rates[Int(rateCode)]
                samples = [1, 2, 3, 6][blocks] * 256
            }
            channelMode = UInt8(reader.bits(3))
            hasLowFrequency = reader.flag()
            reader.skip(10)  // bsid, dialnorm
            if reader.flag() { reader.skip(8) }
            if channelMode == 0 {
                reader.skip(5)
                if reader.flag() { reader.skip(8) }
            }
            channelMap = type == 1 && reader.flag() ? UInt16(reader.bits(16)) : nil
            (mode, bitrateCode) = (0, 0)
            guard size >= 8 else { return nil }
        } else {
            return nil
        }
        guard !reader.overran else { return nil }
    }

    package var isEnhanced: Bool { kind != .ac3 }

    /// acmod's channels (table 4.3) and the low-frequency one.
    package var channels: Int { [2, 1, 2, 3, 3, 4, 4, 5][Int(channelMode)] + (hasLowFrequency ? 1 : 0) }
}
