/// A video parameter set of HEVC (ISO/IEC 23008-2 §7.3.2.1).
package struct HEVCVideoParameters: Hashable, Sendable {
    package let identifier: Int
    package let temporalLayers: Int
    package let profile: HEVCProfileTierLevel
    /// Pictures per second, if stated.
    package private(set) var frameRate: Ratio?

    /// - Parameter unit: the NAL unit with its header of two bytes.
    package init(unit: [UInt8]) throws(CodecError) {
        guard let first = unit.first, HEVCNAL.type(first) == HEVCNAL.video else {
            throw CodecError(.malformed, "HEVC video parameter set: other NAL unit type")
        }
        var reader = BitReader(RBSP.payload(of: unit, headerSize: 2))
        identifier = Int(reader.bits(4))
        reader.skip(8)  // base layer flags, vps_max_layers_minus1
        let subLayers = Int(reader.bits(3))
        temporalLayers = subLayers + 1
        reader.skip(17)  // vps_temporal_id_nesting_flag, vps_reserved_0xffff_16bits
        profile = HEVCProfileTierLevel(&reader, subLayers: subLayers)
        guard !reader.overran else { throw CodecError(.truncated, "HEVC video parameter set") }
        guard subLayers < 7 else { throw CodecError(.malformed, "HEVC video parameter set: \(subLayers + 1) sub-layers") }
        for _ in (reader.flag() ? 0 : subLayers)...subLayers { for _ in 0..<3 { _ = reader.exp() } }
        let layers = Int(reader.bits(6)) + 1
        let (included, overflow) = reader.exp(atMost: 1023).multipliedReportingOverflow(by: layers)
        if !overflow { reader.skip(included) }  // layer_id_included_flag
        guard reader.flag() else { return }
        let units = reader.bits(32), scale = reader.bits(32)
        if !reader.overran { frameRate = Ratio(UInt64(scale), UInt64(units)) }
    }
}
