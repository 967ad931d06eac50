/// A sequence parameter set of HEVC (ISO/IEC 23008-2 §7.3.2.2.1), base layer.
package struct HEVCSequenceParameters: Hashable, Sendable {
    package let identifier: Int
    package let videoIdentifier: Int
    package let temporalLayers: Int
    package let isTemporallyNested: Bool
    package let profile: HEVCProfileTierLevel
    /// 0 grey, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    package let chromaFormat: UInt8
    package let lumaDepth: UInt8
    package let chromaDepth: UInt8
    /// Pixels shown, after the conformance window.
    package let width: Int
    package let height: Int
    /// sps_max_num_reorder_pics of the highest sub-layer: how many pictures may precede one in decoding order and follow it in
    /// output order.
    package let reorderDepth: Int
    /// `nil` when absent, or when something before it is damaged.
    package private(set) var usability: HEVCUsabilityInformation?

    /// - Parameter unit: the NAL unit with its header of two bytes.
    package init(unit: [UInt8]) throws(CodecError) {
        guard let first = unit.first, HEVCNAL.type(first) == HEVCNAL.sequence else {
            throw CodecError(.malformed, "HEVC sequence parameter set: other NAL unit type")
        }
        var reader = BitReader(RBSP.payload(of: unit, headerSize: 2))
        videoIdentifier = Int(reader.bits(4))
        let subLayers = Int(reader.bits(3))
        guard subLayers < 7 else { throw CodecError(.malformed, "HEVC sequence parameter set: \(subLayers + 1) sub-layers") }
        temporalLayers = subLayers + 1
        isTemporallyNested = reader.flag()
        profile = HEVCProfileTierLevel(&reader, subLayers: subLayers)
        identifier = reader.exp(atMost: 15)
        chromaFormat = UInt8(reader.exp(atMost: 3))
        let hasSeparatePlanes = chromaFormat == 3 && reader.flag()
        let codedWidth = Int(reader.exp()), codedHeight = Int(reader.exp())
        let window = reader.flag() ? (0..<4).map { _ in Int(reader.exp()) } : [0, 0, 0, 0]
        lumaDepth = UInt8(8 + reader.exp(atMost: 8))
        chromaDepth = UInt8(8 + reader.exp(atMost: 8))
        let orderBits = reader.exp(atMost: 12) + 4
        var reorder = 0
        for _ in (reader.flag() ? 0 : subLayers)...subLayers {
            _ = reader.exp()
            reorder = reader.exp(atMost: 16)
            _ = reader.exp()
        }
        reorderDepth = reorder
        guard !reader.overran else { throw CodecError(.truncated, "HEVC sequence parameter set") }
        let unitX = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1, unitY = chromaFormat == 1 ? 2 : 1
        width = codedWidth - (window[0] + window[1]) * unitX
        height = codedHeight - (window[2] + window[3]) * unitY
        guard (1...65535).contains(width), (1...65535).contains(height) else {
            throw CodecError(.malformed, "HEVC sequence parameter set: \(width)×\(height) pixels")
        }
        usability = Self.usability(&reader, orderBits: orderBits, chromaFormat: hasSeparatePlanes ? 0 : chromaFormat)
    }

    /// Pictures per second, if stated.
    package var frameRate: Ratio? { usability?.frameRate }
    package var isInterlaced: Bool { usability?.isFieldSequence ?? false || profile.isInterlaced }

    private static func usability(_ reader: inout BitReader, orderBits: Int, chromaFormat: UInt8) -> HEVCUsabilityInformation? {
        for _ in 0..<6 { _ = reader.exp() }  // block sizes and hierarchy depths
        if reader.flag(), reader.flag() { skipScalingLists(&reader) }
        reader.skip(2)  // amp_enabled_flag, sample_adaptive_offset_enabled_flag
        if reader.flag() {  // pcm_enabled_flag
            reader.skip(8)
            _ = reader.exp()
            _ = reader.exp()
            reader.skip(1)
        }
        guard skipReferenceSets(&reader) else { return nil }
        if reader.flag() {  // long_term_ref_pics_present_flag
            for _ in 0..<reader.exp(atMost: 32) where !reader.overran { reader.skip(orderBits + 1) }
        }
        reader.skip(2)  // sps_temporal_mvp_enabled_flag, strong_intra_smoothing_enabled_flag
        guard reader.flag(), !reader.overran else { return nil }
        return HEVCUsabilityInformation(&reader)
    }

    /// scaling_list_data() (§7.3.4)
    private static func skipScalingLists(_ reader: inout BitReader) {
        for size in 0..<4 {
            for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) where !reader.overran {
                guard reader.flag() else {
                    _ = reader.exp()
                    continue
                }
                if size > 1 { _ = reader.signedExp() }
                for _ in 0..<min(64, 1 << (4 + size * 2)) where !reader.overran { _ = reader.signedExp() }
            }
        }
    }

    /// st_ref_pic_set() for each of num_short_term_ref_pic_sets (§7.3.7). False if damaged.
    private static func skipReferenceSets(_ reader: inout BitReader) -> Bool {
        var previous = 0  // NumDeltaPocs of the set before
        for index in 0..<reader.exp(atMost: 64) {
            if index > 0, reader.flag() {  // inter_ref_pic_set_prediction_flag
                reader.skip(1)
                _ = reader.exp()
                var count = 0
                for _ in 0...previous where reader.flag() || reader.flag() { count += 1 }
                previous = count
            } else {
                let negative = reader.exp(atMost: 16), positive = reader.exp(atMost: 16)
                for _ in 0..<negative + positive where !reader.overran {
                    _ = reader.exp()
                    reader.skip(1)
                }
                previous = negative + positive
            }
            // 32 is twice what a decoded picture buffer can hold.
            guard !reader.overran, previous <= 32 else { return false }
        }
        return !reader.overran
    }
}
