/// A sequence parameter set of H.264 (ISO/IEC 14496-10 §7.3.2.1.1).
package struct H264SequenceParameters: Hashable, Sendable {
    package private(set) var profile: UInt8 = 0
    /// constraint_set0_flag (0x80) … constraint_set5_flag (0x04).
    package private(set) var constraints: UInt8 = 0
    package private(set) var level: UInt8 = 0
    package private(set) var identifier = 0
    /// 0 grey, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    package private(set) var chromaFormat: UInt8 = 1
    package private(set) var lumaDepth: UInt8 = 8
    package private(set) var chromaDepth: UInt8 = 8
    /// separate_colour_plane_flag: slice headers name their plane.
    package private(set) var hasSeparatePlanes = false
    /// Bits of frame_num in slice headers.
    package private(set) var frameNumberBits = 4
    package private(set) var orderCountType = 0
    package private(set) var referenceFrames = 0
    /// Pixels shown, after cropping.
    package private(set) var width = 0
    package private(set) var height = 0
    /// Whether pictures may be fields or have field macroblocks: not frame_mbs_only_flag.
    package private(set) var isInterlaced = false
    /// `nil` when absent, or when its part before the timing is damaged.
    package private(set) var usability: H264UsabilityInformation?
    private var macroblocks = 0

    /// - Parameter unit: the NAL unit with its header byte.
    package init(unit: [UInt8]) throws(CodecError) {
        guard let first = unit.first, H264NAL.type(first) == H264NAL.sequence else {
            throw CodecError(.malformed, "H.264 sequence parameter set: other NAL unit type")
        }
        var reader = BitReader(RBSP.payload(of: unit, headerSize: 1))
        profile = reader.byte()
        constraints = reader.byte()
        level = reader.byte()
        identifier = reader.exp(atMost: 31)
        if Self.hasChromaFormat(profile) { readFormat(&reader) }
        frameNumberBits = 4 + reader.exp(atMost: 12)
        readOrderCount(&reader)
        referenceFrames = reader.exp(atMost: 16)
        reader.skip(1)  // gaps_in_frame_num_value_allowed_flag
        try readSize(&reader)
        let hasUsability = reader.flag()
        guard !reader.overran else { throw CodecError(.truncated, "H.264 sequence parameter set") }
        if hasUsability { usability = H264UsabilityInformation(&reader) }
    }

    /// The profiles whose sets state chroma format and bit depth.
    package static func hasChromaFormat(_ profile: UInt8) -> Bool {
        [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile)
    }

    private mutating func readFormat(_ reader: inout BitReader) {
        chromaFormat = UInt8(reader.exp(atMost: 3))
        if chromaFormat == 3 { hasSeparatePlanes = reader.flag() }
        lumaDepth = UInt8(8 + reader.exp(atMost: 6))
        chromaDepth = UInt8(8 + reader.exp(atMost: 6))
        reader.skip(1)  // qpprime_y_zero_transform_bypass_flag
        guard reader.flag() else { return }  // seq_scaling_matrix_present_flag
        for list in 0..<(chromaFormat == 3 ? 12 : 8) where reader.flag() {
            skipScalingList(&reader, count: list < 6 ? 16 : 64)
        }
    }

    /// §7.3.2.1.1.1
    private func skipScalingList(_ reader: inout BitReader, count: Int) {
        var last: Int32 = 8, next: Int32 = 8
        for _ in 0..<count where !reader.overran {
            if next != 0 { next = (last &+ reader.signedExp() &+ 256) & 255 }
            if next != 0 { last = next }
        }
    }

    private mutating func readOrderCount(_ reader: inout BitReader) {
        orderCountType = reader.exp(atMost: 2)
        if orderCountType == 0 {
            _ = reader.exp(atMost: 12)
        } else if orderCountType == 1 {
            reader.skip(1)
            _ = reader.signedExp()
            _ = reader.signedExp()
            for _ in 0..<reader.exp(atMost: 255) where !reader.overran { _ = reader.signedExp() }
        }
    }

    private mutating func readSize(_ reader: inout BitReader) throws(CodecError) {
        let across = Int(reader.exp()) + 1
        let down = Int(reader.exp()) + 1
        isInterlaced = !reader.flag()
        if isInterlaced { reader.skip(1) }  // mb_adaptive_frame_field_flag
        reader.skip(1)  // direct_8x8_inference_flag
        var crop = [0, 0, 0, 0]
        if reader.flag() { crop = (0..<4).map { _ in Int(reader.exp()) } }
        guard !reader.overran else { throw CodecError(.truncated, "H.264 sequence parameter set: size") }
        // 65535 pixels is what an MP4 sample entry can state; level 6.2 allows 16,880.
        guard across <= 4095, down <= 4095 else { throw CodecError(.malformed, "H.264 sequence parameter set: \(across)×\(down) macroblocks") }
        let fields = isInterlaced ? 2 : 1
        let unitX = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
        let unitY = (chromaFormat == 1 ? 2 : 1) * fields
        width = across * 16 - (crop[0] + crop[1]) * unitX
        height = down * 16 * fields - (crop[2] + crop[3]) * unitY
        macroblocks = across * down * fields
        guard width > 0, height > 0, height <= 65535 else { throw CodecError(.malformed, "H.264 sequence parameter set: \(width)×\(height) pixels") }
    }

    /// Frames per second, if stated.
    package var frameRate: Ratio? { usability?.frameRate }

    /// How many pictures may precede one in decoding order and follow it in output order: the stated max_num_reorder_frames,
    /// else the most that a decoder must expect (§E.2.1), cut to 4.
    package var reorderDepth: Int {
        if let stated = usability?.reorderFrames { return stated }
        if profile == 66 || orderCountType == 2 { return 0 }
        // Intra profiles, which constraint_set3_flag marks.
        if constraints & 0x10 != 0, [44, 86, 100, 110, 122, 244].contains(profile) { return 0 }
        return min(4, decodedPictureFrames)
    }

    /// MaxDpbFrames (§A.3.1 h): what the level's decoded picture buffer holds of this size.
    package var decodedPictureFrames: Int {
        let isLevel1b = level == 11 && constraints & 0x10 != 0 && [66, 77, 88].contains(profile)
        let room =
            switch isLevel1b ? 9 : level {
            case ...10: 396
            case 11: 900
            case 12, 13, 20: 2376
            case 21: 4752
            case 22, 30: 8100
            case 31: 18000
            case 32: 20480
            case 40, 41: 32768
            case 42: 34816
            case 50: 110_400
            case 51, 52: 184_320
            default: 696_320
            }
        return min(room / max(macroblocks, 1), 16)
    }
}
