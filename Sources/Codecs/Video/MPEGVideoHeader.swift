/// The sequence header of MPEG-1 and MPEG-2 video, with the extensions behind it (ISO/IEC 11172-2 §2.4.2.3, ISO/IEC 13818-2
/// §6.2.2).
package struct MPEGVideoHeader: Hashable, Sendable {
    package private(set) var width = 0
    package private(set) var height = 0
    package private(set) var frameRate: Ratio?
    /// `nil` when unknown, as for MPEG-1.
    package private(set) var pixelAspect: Ratio?
    package private(set) var isMPEG2 = false
    package private(set) var isProgressive = true
    /// Whether B pictures may occur.
    package private(set) var isLowDelay = false
    package private(set) var colour: ColourDescription?
    /// The headers themselves, for the decoder: from the sequence header to before the first group or picture.
    package let bytes: [UInt8]
    private var aspect: UInt32 = 0

    /// - Parameter elementary: bytes of the stream, with a sequence header somewhere in them.
    package init(elementary: [UInt8]) throws(CodecError) {
        let codes = Self.startCodes(in: elementary)
        guard let first = codes.firstIndex(where: { $0.code == 0xB3 }) else { throw CodecError(.malformed, "MPEG video: no sequence header") }
        let stop = codes[first...].dropFirst().first { ![0xB5, 0xB2].contains($0.code) }
        let end = stop?.offset ?? elementary.count
        bytes = Array(elementary[codes[first].offset..<end])
        var reader = BitReader(Array(elementary[(codes[first].offset + 4)..<end]))
        let sizes = (reader.bits(12), reader.bits(12))
        aspect = reader.bits(4)
        let rate = Int(reader.bits(4))
        reader.skip(30)  // bit_rate, marker, vbv_buffer_size, constrained_parameters_flag
        if reader.flag() { reader.skip(512) }
        if reader.flag() { reader.skip(512) }
        guard !reader.overran else { throw CodecError(.truncated, "MPEG video: sequence header") }
        (width, height) = (Int(sizes.0), Int(sizes.1))
        // table 6-4
        let rates: [(UInt64, UInt64)] = [(24000, 1001), (24, 1), (25, 1), (30000, 1001), (30, 1), (50, 1), (60000, 1001), (60, 1)]
        if rate >= 1, rate <= rates.count { frameRate = Ratio(rates[rate - 1].0, rates[rate - 1].1) }
        for code in codes[first...].dropFirst() where code.offset < end && code.code == 0xB5 {
            readExtension(Array(elementary[(code.offset + 4)..<end]))
        }
        guard width > 0, height > 0 else { throw CodecError(.malformed, "MPEG video: \(width)×\(height) pixels") }
        pixelAspect = displayAspect()
    }

    private mutating func readExtension(_ bytes: [UInt8]) {
        var reader = BitReader(bytes)
        switch reader.bits(4) {
        case 1:  // sequence_extension()
            reader.skip(8)
            let progressive = reader.flag()
            reader.skip(2)
            let across = Int(reader.bits(2)), down = Int(reader.bits(2))
            reader.skip(21)
            let lowDelay = reader.flag()
            let top = UInt64(reader.bits(2)) + 1, bottom = UInt64(reader.bits(5)) + 1
            guard !reader.overran else { return }
            isMPEG2 = true
            (isProgressive, isLowDelay) = (progressive, lowDelay)
            width |= across << 12
            height |= down << 12
            if let rate = frameRate { frameRate = Ratio(UInt64(rate.numerator) * top, UInt64(rate.denominator) * bottom) }
        case 2:  // sequence_display_extension()
            reader.skip(3)
            guard reader.flag() else { return }
            let stated = ColourDescription(primaries: reader.byte(), transfer: reader.byte(), matrix: reader.byte())
            if !reader.overran { colour = stated }
        default: break
        }
    }

    /// aspect_ratio_information of MPEG-2 (table 6-3): 1 square pixels, else the shape of the whole picture.
    private func displayAspect() -> Ratio? {
        let (w, h) = (UInt64(width), UInt64(height))
        return switch (isMPEG2, aspect) {
        case (_, 1): Ratio(1, 1)
        case (true, 2): Ratio(4 * h, 3 * w)
        case (true, 3): Ratio(16 * h, 9 * w)
        case (true, 4): Ratio(221 * h, 100 * w)
        default: nil
        }
    }

    /// objectTypeIndication of `esds`: MPEG-2 Main profile or MPEG-1.
    package var objectType: ElementaryStreamDescriptor.ObjectType { isMPEG2 ? .mpeg2MainVideo : .mpeg1Video }

    /// How many pictures may precede one in decoding order and follow it in output order: a B picture's second reference.
    package var reorderDepth: Int { isLowDelay ? 0 : 1 }

    /// Whether the picture in `bytes` (the first, if there are several) is an I picture; `nil` without a picture header.
    package static func isIntraPicture(_ bytes: [UInt8]) -> Bool? {
        guard let code = startCodes(in: bytes).first(where: { $0.code == 0 }), bytes.count >= code.offset + 6 else { return nil }
        return bytes[code.offset + 5] >> 3 & 7 == 1
    }

    private static func startCodes(in bytes: [UInt8]) -> [(offset: Int, code: UInt8)] {
        var found: [(Int, UInt8)] = []
        var index = 0
        while index + 3 < bytes.count {
            if bytes[index + 2] > 1 {
                index += 3
            } else if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
                found.append((index, bytes[index + 3]))
                index += 4
            } else {
                index += 1
            }
        }
        return found
    }
}
