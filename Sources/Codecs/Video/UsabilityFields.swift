/// Fields that H.264 and HEVC write alike (ISO/IEC 14496-10 §E.1.1, ISO/IEC 23008-2 §E.2.1).
enum UsabilityFields {
    /// After aspect_ratio_info_present_flag.
    static func pixelAspect(_ reader: inout BitReader) -> Ratio? {
        let indicator = reader.byte()
        guard indicator == 255 else { return PixelAspect.named(indicator) }
        let width = reader.bits(16), height = reader.bits(16)
        return Ratio(UInt64(width), UInt64(height))
    }

    /// After video_signal_type_present_flag.
    static func colour(_ reader: inout BitReader) -> ColourDescription {
        reader.skip(3)  // video_format
        var colour = ColourDescription(isFullRange: reader.flag())
        if reader.flag() {
            colour.primaries = reader.byte()
            colour.transfer = reader.byte()
            colour.matrix = reader.byte()
        }
        return colour
    }
}
