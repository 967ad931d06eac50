internal import Bytes

/// HEVCDecoderConfigurationRecord (ISO/IEC 14496-15 §8.3.3.1): Matroska's CodecPrivate of V_MPEGH/ISO/HEVC and MP4's `hvcC`.
package struct HEVCConfiguration: Hashable, Sendable, DecoderConfiguration {
    package struct UnitArray: Hashable, Sendable {
        /// All units of this type are here, none in the samples.
        package var isComplete: Bool
        package var type: UInt8
        /// Whole NAL units, header first.
        package var units: [[UInt8]]

        package init(isComplete: Bool, type: UInt8, units: [[UInt8]]) {
            self.isComplete = isComplete
            self.type = type
            self.units = units
        }
    }

    package var profile: HEVCProfileTierLevel
    /// min_spatial_segmentation_idc, 0 when unknown.
    package var minimumSegmentation: UInt16
    /// 0 unknown or mixed, 1 slices, 2 tiles, 3 wavefronts.
    package var parallelism: UInt8
    package var chromaFormat: UInt8
    package var lumaDepth: UInt8
    package var chromaDepth: UInt8
    /// Frames per 256 s, 0 when unknown.
    package var averageFrameRate: UInt16
    /// constantFrameRate, numTemporalLayers, temporalIdNested: 2, 3 and 1 bits.
    package var temporalLayers: UInt8
    package var constantFrameRate: UInt8
    package var isTemporallyNested: Bool
    /// Bytes of a NAL unit's length in the samples: 1, 2 or 4.
    package var lengthSize: Int
    package var arrays: [UnitArray]

    /// From the record's bytes; bytes behind it are ignored.
    package init(record: [UInt8]) throws(CodecError) {
        var reader = BigEndianReader(record)
        let version = reader.u8()
        // 0 stands in files that old encoders made before the record was final.
        guard version <= 1, !reader.overran else { throw CodecError(reader.overran ? .truncated : .malformed, "hvcC: version") }
        profile = HEVCProfileTierLevel(profile: reader.u8(), compatibility: reader.u32(), constraints: reader.u48(), level: reader.u8())
        minimumSegmentation = reader.u16() & 0xFFF
        parallelism = reader.u8() & 3
        chromaFormat = reader.u8() & 3
        lumaDepth = 8 + (reader.u8() & 7)
        chromaDepth = 8 + (reader.u8() & 7)
        averageFrameRate = reader.u16()
        let layers = reader.u8()
        constantFrameRate = layers >> 6
        temporalLayers = layers >> 3 & 7
        isTemporallyNested = layers & 4 != 0
        lengthSize = Int(layers & 3) + 1
        arrays = []
        for _ in 0..<reader.u8() where !reader.overran {
            let head = reader.u8()
            var units: [[UInt8]] = []
            for _ in 0..<reader.u16() where !reader.overran { units.append(reader.bytes(Int(reader.u16()))) }
            arrays.append(UnitArray(isComplete: head & 0x80 != 0, type: head & 0x3F, units: units))
        }
        guard !reader.overran else { throw CodecError(.truncated, "hvcC") }
        guard lengthSize != 3 else { throw CodecError(.malformed, "hvcC: lengths of 3 bytes") }
    }

    /// From parameter sets as MPEG-TS has them in-band, for samples with lengths of 4 bytes. Profile, tier and level are those
    /// of the first sequence parameter set.
    package init(videoSets: [[UInt8]], sequenceSets: [[UInt8]], pictureSets: [[UInt8]], areComplete: Bool = false) throws(CodecError) {
        guard let first = sequenceSets.first, !videoSets.isEmpty, !pictureSets.isEmpty else {
            throw CodecError(.malformed, "hvcC: a parameter set is missing")
        }
        let parameters = try HEVCSequenceParameters(unit: first)
        let sets = [videoSets, sequenceSets, pictureSets]
        guard sets.allSatisfy({ $0.count <= 65535 && $0.allSatisfy { $0.count <= 65535 } }) else {
            throw CodecError(.unsupported, "hvcC: too many or too large parameter sets")
        }
        // The record has three bits for each depth.
        guard parameters.lumaDepth <= 15, parameters.chromaDepth <= 15 else {
            throw CodecError(.unsupported, "hvcC: \(parameters.lumaDepth) bits per sample")
        }
        profile = parameters.profile
        minimumSegmentation = parameters.usability?.minimumSegmentation ?? 0
        parallelism = 0
        chromaFormat = parameters.chromaFormat
        lumaDepth = parameters.lumaDepth
        chromaDepth = parameters.chromaDepth
        averageFrameRate = 0
        constantFrameRate = 0
        temporalLayers = UInt8(parameters.temporalLayers)
        isTemporallyNested = parameters.isTemporallyNested
        lengthSize = 4
        arrays = zip([HEVCNAL.video, HEVCNAL.sequence, HEVCNAL.picture], sets).map {
            UnitArray(isComplete: areComplete, type: $0, units: $1)
        }
    }

    /// From the parameter sets among `bytes` with start codes. Sets that repeat are taken once.
    package init(annexB bytes: [UInt8]) throws(CodecError) {
        var found: [UInt8: [[UInt8]]] = [:]
        for range in AnnexB.units(in: bytes) {
            let type = HEVCNAL.type(bytes[range.lowerBound])
            guard [HEVCNAL.video, HEVCNAL.sequence, HEVCNAL.picture].contains(type), (found[type]?.count ?? 0) < 255 else { continue }
            let unit = Array(bytes[range])
            if !(found[type]?.contains(unit) ?? false) { found[type, default: []].append(unit) }
        }
        try self.init(
            videoSets: found[HEVCNAL.video] ?? [], sequenceSets: found[HEVCNAL.sequence] ?? [], pictureSets: found[HEVCNAL.picture] ?? [])
    }

    /// From a CodecPrivate of V_MPEGH/ISO/HEVC, which some programs fill with start codes instead of the record.
    package init(codecPrivate: [UInt8]) throws(CodecError) {
        // A record begins with its version, 1 or an early 0; behind the latter stands a profile, which no start code has.
        if AnnexB.hasStartCode(codecPrivate) {
            try self.init(annexB: codecPrivate)
        } else {
            try self.init(record: codecPrivate)
        }
    }

    package func units(ofType type: UInt8) -> [[UInt8]] { arrays.filter { $0.type == type }.flatMap(\.units) }

    /// The first sequence parameter set, understood.
    package func parameters() throws(CodecError) -> HEVCSequenceParameters {
        guard let first = units(ofType: HEVCNAL.sequence).first else { throw CodecError(.malformed, "hvcC: no sequence parameter set") }
        return try HEVCSequenceParameters(unit: first)
    }

    package var boxType: String { "hvcC" }

    package var boxPayload: [UInt8] {
        var bytes: [UInt8] = [1, profile.profile]
        bytes.append(bigEndian: profile.compatibility)
        bytes.append(bigEndian: UInt16(truncatingIfNeeded: profile.constraints >> 32))
        bytes.append(bigEndian: UInt32(truncatingIfNeeded: profile.constraints))
        bytes.append(profile.level)
        bytes.append(bigEndian: 0xF000 | minimumSegmentation & 0xFFF)
        bytes += [0xFC | parallelism & 3, 0xFC | chromaFormat & 3, 0xF8 | (lumaDepth &- 8) & 7, 0xF8 | (chromaDepth &- 8) & 7]
        bytes.append(bigEndian: averageFrameRate)
        bytes.append(
            (constantFrameRate & 3) << 6 | (temporalLayers & 7) << 3 | (isTemporallyNested ? 4 : 0)
                | UInt8(truncatingIfNeeded: lengthSize &- 1) & 3)
        bytes.append(UInt8(truncatingIfNeeded: min(arrays.count, 255)))
        for array in arrays.prefix(255) {
            bytes.append((array.isComplete ? 0x80 : 0) | array.type & 0x3F)
            bytes.append(bigEndian: UInt16(truncatingIfNeeded: min(array.units.count, 65535)))
            for unit in array.units.prefix(65535) {
                bytes.append(bigEndian: UInt16(truncatingIfNeeded: unit.count))
                bytes += unit.prefix(65535)
            }
        }
        return bytes
    }
}
