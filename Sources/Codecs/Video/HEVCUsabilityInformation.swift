/// Video usability information of an HEVC sequence parameter set (ISO/IEC 23008-2 §E.2.1), as far as the timing.
package struct HEVCUsabilityInformation: Hashable, Sendable {
    package private(set) var pixelAspect: Ratio?
    package private(set) var colour: ColourDescription?
    /// Each picture is a field.
    package private(set) var isFieldSequence = false
    /// Pictures per second.
    package private(set) var frameRate: Ratio?
    /// min_spatial_segmentation_idc, 0 when unknown.
    package private(set) var minimumSegmentation: UInt16 = 0

    init?(_ reader: inout BitReader) {
        if reader.flag() { pixelAspect = UsabilityFields.pixelAspect(&reader) }
        if reader.flag() { reader.skip(1) }  // overscan
        if reader.flag() { colour = UsabilityFields.colour(&reader) }
        if reader.flag() {  // chroma_loc_info_present_flag
            _ = reader.exp()
            _ = reader.exp()
        }
        reader.skip(1)  // neutral_chroma_indication_flag
        isFieldSequence = reader.flag()
        reader.skip(1)  // frame_field_info_present_flag
        if reader.flag() { for _ in 0..<4 { _ = reader.exp() } }  // default display window
        guard !reader.overran else { return nil }
        if reader.flag() {
            let units = reader.bits(32), scale = reader.bits(32)
            if !reader.overran { frameRate = Ratio(UInt64(scale), UInt64(units)) }
            if reader.flag() { _ = reader.exp() }
            if reader.flag() { return }  // hrd_parameters(), behind which nothing is needed
        }
        guard reader.flag() else { return }  // bitstream_restriction_flag
        reader.skip(3)
        let segmentation = reader.exp()
        if !reader.overran, segmentation <= 4095 { minimumSegmentation = UInt16(segmentation) }
    }
}
