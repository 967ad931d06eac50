/// Video usability information of an H.264 sequence parameter set (ISO/IEC 14496-10 §E.1.1).
package struct H264UsabilityInformation: Hashable, Sendable {
    package private(set) var pixelAspect: Ratio?
    package private(set) var colour: ColourDescription?
    package private(set) var frameRate: Ratio?
    package private(set) var hasFixedRate = false
    /// max_num_reorder_frames
    package private(set) var reorderFrames: Int?

    /// What is readable: fields behind damage stay `nil`, since encoders that write broken information write whole pictures.
    init?(_ reader: inout BitReader) {
        if reader.flag() { pixelAspect = UsabilityFields.pixelAspect(&reader) }
        if reader.flag() { reader.skip(1) }  // overscan
        if reader.flag() { colour = UsabilityFields.colour(&reader) }
        if reader.flag() {  // chroma_loc_info_present_flag
            _ = reader.exp()
            _ = reader.exp()
        }
        guard !reader.overran else { return nil }
        if reader.flag() {
            let units = reader.bits(32), scale = reader.bits(32)
            hasFixedRate = reader.flag()
            // A frame is two ticks, whether of fields or not (§E.2.1).
            if !reader.overran { frameRate = Ratio(UInt64(scale), UInt64(units) * 2) }
        }
        let hasNAL = reader.flag()
        if hasNAL { Self.skipReferenceDecoder(&reader) }
        let hasVCL = reader.flag()
        if hasVCL { Self.skipReferenceDecoder(&reader) }
        if hasNAL || hasVCL { reader.skip(1) }  // low_delay_hrd_flag
        reader.skip(1)  // pic_struct_present_flag
        guard reader.flag() else { return }  // bitstream_restriction_flag
        reader.skip(1)
        for _ in 0..<4 { _ = reader.exp() }
        let reorder = reader.exp()
        let buffering = reader.exp()
        if !reader.overran, reorder <= 16, reorder <= buffering { reorderFrames = Int(reorder) }
    }

    /// hrd_parameters() (§E.1.2)
    private static func skipReferenceDecoder(_ reader: inout BitReader) {
        let count = reader.exp(atMost: 31) + 1
        reader.skip(8)
        for _ in 0..<count where !reader.overran {
            _ = reader.exp()
            _ = reader.exp()
            reader.skip(1)
        }
        reader.skip(20)
    }
}
