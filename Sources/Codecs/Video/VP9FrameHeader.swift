/// What the uncompressed header of a VP9 key frame states (VP9 Bitstream & Decoding Process Specification §6.2).
package struct VP9FrameHeader: Hashable, Sendable {
    package private(set) var profile: UInt8 = 0
    package private(set) var depth: UInt8 = 8
    package private(set) var subsamplingX = true
    package private(set) var subsamplingY = true
    package private(set) var colour = ColourDescription()
    package private(set) var width = 0
    package private(set) var height = 0

    /// - Throws: `.unsupported` for a frame that is no key frame.
    package init(keyFrame bytes: [UInt8]) throws(CodecError) {
        var reader = BitReader(Array(bytes.prefix(32)))
        guard reader.bits(2) == 2 else { throw CodecError(.malformed, "VP9 frame: marker") }
        let low = UInt8(reader.bits(1)), high = UInt8(reader.bits(1))
        profile = high << 1 | low
        if profile == 3 { reader.skip(1) }
        let showsExisting = reader.flag(), isInter = reader.flag()
        guard !showsExisting, !isInter, !reader.overran else { throw CodecError(.unsupported, "VP9 frame: not a key frame") }
        reader.skip(2)  // show_frame, error_resilient_mode
        guard reader.bits(24) == 0x498342 else { throw CodecError(.malformed, "VP9 frame: sync code") }
        readColour(&reader)
        width = Int(reader.bits(16)) + 1
        height = Int(reader.bits(16)) + 1
        guard !reader.overran else { throw CodecError(.truncated, "VP9 frame header") }
    }

    /// color_config() (§6.2.2). color_space says the matrix only.
    private mutating func readColour(_ reader: inout BitReader) {
        if profile >= 2 { depth = reader.flag() ? 12 : 10 }
        let space = Int(reader.bits(3))
        // table of §7.2.2: unknown, BT.601, BT.709, SMPTE 170, SMPTE 240, BT.2020, reserved, RGB
        colour.matrix = [2, 5, 1, 6, 7, 9, 2, 0][space]
        if space == 7 {
            colour.isFullRange = true
            (subsamplingX, subsamplingY) = (false, false)
            if profile & 1 == 1 { reader.skip(1) }
        } else {
            colour.isFullRange = reader.flag()
            guard profile & 1 == 1 else { return }
            subsamplingX = reader.flag()
            subsamplingY = reader.flag()
            reader.skip(1)
        }
    }
}
