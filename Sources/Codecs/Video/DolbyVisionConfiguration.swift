internal import Bytes

/// DOVIDecoderConfigurationRecord (Dolby Vision Streams within the ISO Base Media File Format, §3.2): Matroska's
/// BlockAddIDExtraData of types `dvcC` and `dvvC`, and the MP4 boxes of these names.
package struct DolbyVisionConfiguration: Hashable, Sendable, DecoderConfiguration {
    package let profile: UInt8
    package let level: UInt8
    package let hasEnhancementLayer: Bool
    /// 0: the base layer is not to be shown without Dolby Vision.
    package let compatibility: UInt8
    /// The record as it came: the reserved bits are kept.
    private let record: [UInt8]

    package init(record: [UInt8]) throws(CodecError) {
        guard record.count >= 5 else { throw CodecError(.truncated, "Dolby Vision configuration") }
        var reader = BitReader(record)
        let major = reader.byte()
        guard (1...2).contains(major) else { throw CodecError(.unsupported, "Dolby Vision configuration: version \(major)") }
        reader.skip(8)
        profile = UInt8(reader.bits(7))
        level = UInt8(reader.bits(6))
        reader.skip(1)  // rpu_present_flag
        hasEnhancementLayer = reader.flag()
        reader.skip(1)  // bl_present_flag
        compatibility = UInt8(reader.bits(4))
        self.record = record
    }

    /// §3.1: the name follows the profile.
    package var boxType: String { profile > 10 ? "dvwC" : profile > 7 ? "dvvC" : "dvcC" }

    /// 24 bytes.
    package var boxPayload: [UInt8] { Array((record + [UInt8](repeating: 0, count: 24)).prefix(24)) }
}
