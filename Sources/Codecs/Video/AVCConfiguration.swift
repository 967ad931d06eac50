internal import Bytes

/// AVCDecoderConfigurationRecord (ISO/IEC 14496-15 §5.3.3.1): Matroska's CodecPrivate of V_MPEG4/ISO/AVC and MP4's `avcC`.
package struct AVCConfiguration: Hashable, Sendable, DecoderConfiguration {
    package var profile: UInt8
    package var compatibility: UInt8
    package var level: UInt8
    /// Bytes of a NAL unit's length in the samples: 1, 2 or 4.
    package var lengthSize: Int
    /// Whole NAL units, header byte first.
    package var sequenceSets: [[UInt8]]
    package var pictureSets: [[UInt8]]
    package var sequenceExtensions: [[UInt8]] = []
    /// Chroma format and bit depths, where the profile has them.
    package var format: Format?

    package struct Format: Hashable, Sendable {
        package var chroma: UInt8
        package var lumaDepth: UInt8
        package var chromaDepth: UInt8
    }

    /// From the record's bytes. Bytes behind it are ignored, as is a cut part behind the picture sets, which programs leave out.
    package init(record: [UInt8]) throws(CodecError) {
        var reader = BigEndianReader(record)
        guard reader.u8() == 1 else { throw CodecError(reader.overran ? .truncated : .malformed, "avcC: version") }
        profile = reader.u8()
        compatibility = reader.u8()
        level = reader.u8()
        lengthSize = Int(reader.u8() & 3) + 1
        sequenceSets = Self.sets(&reader, count: Int(reader.u8() & 0x1F))
        pictureSets = Self.sets(&reader, count: Int(reader.u8()))
        guard !reader.overran else { throw CodecError(.truncated, "avcC") }
        guard lengthSize != 3 else { throw CodecError(.malformed, "avcC: lengths of 3 bytes") }
        guard Self.hasFormat(profile), reader.remaining >= 4 else { return }
        format = Format(chroma: reader.u8() & 3, lumaDepth: 8 + (reader.u8() & 7), chromaDepth: 8 + (reader.u8() & 7))
        let extensions = Self.sets(&reader, count: Int(reader.u8()))
        if !reader.overran { sequenceExtensions = extensions }
    }

    /// From parameter sets as MPEG-TS has them in-band, for samples with lengths of 4 bytes.
    package init(sequenceSets: [[UInt8]], pictureSets: [[UInt8]], sequenceExtensions: [[UInt8]] = []) throws(CodecError) {
        guard let first = sequenceSets.first, !pictureSets.isEmpty else { throw CodecError(.malformed, "avcC: a parameter set is missing") }
        let parameters = try H264SequenceParameters(unit: first)
        let largest = (sequenceSets + pictureSets + sequenceExtensions).reduce(0) { max($0, $1.count) }
        guard sequenceSets.count <= 31, pictureSets.count <= 255, sequenceExtensions.count <= 255, largest <= 65535 else {
            throw CodecError(.unsupported, "avcC: too many or too large parameter sets")
        }
        profile = parameters.profile
        compatibility = parameters.constraints
        level = parameters.level
        lengthSize = 4
        self.sequenceSets = sequenceSets
        self.pictureSets = pictureSets
        self.sequenceExtensions = sequenceExtensions
        if Self.hasFormat(profile) {
            format = Format(chroma: parameters.chromaFormat, lumaDepth: parameters.lumaDepth, chromaDepth: parameters.chromaDepth)
        }
    }

    /// From the parameter sets among `bytes` with start codes: an access unit, or a CodecPrivate that is not what it should be.
    /// Sets that repeat are taken once.
    package init(annexB bytes: [UInt8]) throws(CodecError) {
        var found: [UInt8: [[UInt8]]] = [:]
        for range in AnnexB.units(in: bytes) {
            let type = H264NAL.type(bytes[range.lowerBound])
            guard [H264NAL.sequence, H264NAL.picture, H264NAL.sequenceExtension].contains(type), (found[type]?.count ?? 0) < 255 else { continue }
            let unit = Array(bytes[range])
            if !(found[type]?.contains(unit) ?? false) { found[type, default: []].append(unit) }
        }
        try self.init(
            sequenceSets: found[H264NAL.sequence] ?? [], pictureSets: found[H264NAL.picture] ?? [],
            sequenceExtensions: found[H264NAL.sequenceExtension] ?? [])
    }

    /// From a CodecPrivate of V_MPEG4/ISO/AVC, which some programs fill with start codes instead of the record.
    package init(codecPrivate: [UInt8]) throws(CodecError) {
        if AnnexB.hasStartCode(codecPrivate) {
            try self.init(annexB: codecPrivate)
        } else {
            try self.init(record: codecPrivate)
        }
    }

    /// The first sequence parameter set, understood.
    package func parameters() throws(CodecError) -> H264SequenceParameters {
        guard let first = sequenceSets.first else { throw CodecError(.malformed, "avcC: no sequence parameter set") }
        return try H264SequenceParameters(unit: first)
    }

    package var boxType: String { "avcC" }

    package var boxPayload: [UInt8] {
        var bytes: [UInt8] = [1, profile, compatibility, level, 0xFC | UInt8(truncatingIfNeeded: lengthSize - 1)]
        bytes.append(0xE0 | UInt8(truncatingIfNeeded: min(sequenceSets.count, 31)))
        Self.write(sequenceSets.prefix(31), &bytes)
        bytes.append(UInt8(truncatingIfNeeded: min(pictureSets.count, 255)))
        Self.write(pictureSets.prefix(255), &bytes)
        if Self.hasFormat(profile), let format {
            bytes += [0xFC | format.chroma & 3, 0xF8 | (format.lumaDepth &- 8) & 7, 0xF8 | (format.chromaDepth &- 8) & 7]
            bytes.append(UInt8(truncatingIfNeeded: min(sequenceExtensions.count, 255)))
            Self.write(sequenceExtensions.prefix(255), &bytes)
        }
        return bytes
    }

    /// All profiles but Baseline, Main and Extended (§5.3.3.1.2).
    private static func hasFormat(_ profile: UInt8) -> Bool { profile != 66 && profile != 77 && profile != 88 }

    private static func sets(_ reader: inout BigEndianReader, count: Int) -> [[UInt8]] {
        var sets: [[UInt8]] = []
        for _ in 0..<count where !reader.overran { sets.append(reader.bytes(Int(reader.u16()))) }
        return sets
    }

    private static func write(_ sets: some Collection<[UInt8]>, _ bytes: inout [UInt8]) {
        for set in sets {
            bytes.append(bigEndian: UInt16(truncatingIfNeeded: set.count))
            bytes += set
        }
    }
}
