/// A sequence header of AV1 (AV1 Bitstream & Decoding Process Specification §5.5.1).
package struct AV1SequenceHeader: Hashable, Sendable {
    package private(set) var profile: UInt8 = 0
    /// seq_level_idx and seq_tier of the first operating point.
    package private(set) var level: UInt8 = 0
    package private(set) var tier: UInt8 = 0
    package private(set) var width = 0
    package private(set) var height = 0
    package private(set) var depth: UInt8 = 8
    package private(set) var isMonochrome = false
    package private(set) var subsamplingX = true
    package private(set) var subsamplingY = true
    package private(set) var chromaSamplePosition: UInt8 = 0
    package private(set) var colour = ColourDescription()
    /// Frames per second, if equal intervals are stated.
    package private(set) var frameRate: Ratio?

    /// - Parameter payload: the unit behind its header and size.
    package init(payload: [UInt8]) throws(CodecError) {
        var reader = BitReader(payload)
        profile = UInt8(reader.bits(3))
        guard profile <= 2 else { throw CodecError(.malformed, "AV1 sequence header: profile \(profile)") }
        reader.skip(1)  // still_picture
        let isReduced = reader.flag()
        if isReduced { level = UInt8(reader.bits(5)) } else { readOperatingPoints(&reader) }
        let widthBits = Int(reader.bits(4)) + 1, heightBits = Int(reader.bits(4)) + 1
        width = Int(reader.bits(widthBits)) + 1
        height = Int(reader.bits(heightBits)) + 1
        if !isReduced, reader.flag() { reader.skip(7) }  // frame_id_numbers_present_flag
        reader.skip(3)  // 128×128 superblocks, filter intra, intra edge filter
        if !isReduced { skipTools(&reader) }
        reader.skip(3)  // superres, cdef, restoration
        readColour(&reader)
        guard !reader.overran else { throw CodecError(.truncated, "AV1 sequence header") }
    }

    private mutating func readOperatingPoints(_ reader: inout BitReader) {
        var delayBits = 0
        var hasModel = false
        if reader.flag() {  // timing_info_present_flag
            let units = reader.bits(32), scale = reader.bits(32)
            if reader.flag() {
                let ticks = UInt64(reader.exp()) + 1  // uvlc() is coded as ue(v) up to 2³² − 2
                frameRate = Ratio(UInt64(scale), UInt64(units).multipliedReportingOverflow(by: ticks).partialValue)
            }
            hasModel = reader.flag()
            if hasModel {
                delayBits = Int(reader.bits(5)) + 1
                reader.skip(42)
            }
        }
        let hasDelays = reader.flag()
        for index in 0...Int(reader.bits(5)) where !reader.overran {
            reader.skip(12)  // operating_point_idc
            let pointLevel = UInt8(reader.bits(5))
            let pointTier: UInt8 = pointLevel > 7 && reader.flag() ? 1 : 0
            if index == 0 { (level, tier) = (pointLevel, pointTier) }
            if hasModel, reader.flag() { reader.skip(delayBits * 2 + 1) }
            if hasDelays, reader.flag() { reader.skip(4) }
        }
    }

    private func skipTools(_ reader: inout BitReader) {
        reader.skip(4)  // interintra, masked compound, warped motion, dual filter
        let hasOrderHint = reader.flag()
        if hasOrderHint { reader.skip(2) }
        let choosesScreenTools = reader.flag()
        if choosesScreenTools || reader.flag() {  // seq_force_screen_content_tools > 0
            if !reader.flag() { reader.skip(1) }
        }
        if hasOrderHint { reader.skip(3) }
    }

    /// color_config() (§5.5.2)
    private mutating func readColour(_ reader: inout BitReader) {
        if reader.flag() { depth = profile == 2 && reader.flag() ? 12 : 10 }
        isMonochrome = profile != 1 && reader.flag()
        if reader.flag() {
            colour.primaries = reader.byte()
            colour.transfer = reader.byte()
            colour.matrix = reader.byte()
        }
        if isMonochrome {
            colour.isFullRange = reader.flag()
        } else if colour.primaries == 1, colour.transfer == 13, colour.matrix == 0 {
            colour.isFullRange = true
            (subsamplingX, subsamplingY) = (false, false)
        } else {
            colour.isFullRange = reader.flag()
            switch profile {
            case 0: break
            case 1: (subsamplingX, subsamplingY) = (false, false)
            default:
                subsamplingX = depth == 12 ? reader.flag() : true
                subsamplingY = depth == 12 && subsamplingX ? reader.flag() : false
            }
            if subsamplingX, subsamplingY { chromaSamplePosition = UInt8(reader.bits(2)) }
        }
    }
}
