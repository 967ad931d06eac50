/// AV1CodecConfigurationRecord (AV1 Codec ISO Media File Format Binding §2.3): Matroska's CodecPrivate of V_AV1 and MP4's `av1C`.
package struct AV1Configuration: Hashable, Sendable, DecoderConfiguration {
    package var profile: UInt8
    package var level: UInt8
    package var tier: UInt8
    package var depth: UInt8
    package var isMonochrome: Bool
    package var subsamplingX: Bool
    package var subsamplingY: Bool
    package var chromaSamplePosition: UInt8
    /// initial_presentation_delay_minus_one with its present bit: the record's low 5 bits.
    private var delay: UInt8 = 0
    /// Units in the low-overhead format, the sequence header first; may be empty.
    package var units: [UInt8]

    /// From the record's bytes.
    package init(record: [UInt8]) throws(CodecError) {
        guard record.count >= 4 else { throw CodecError(.truncated, "av1C") }
        guard record[0] == 0x81 else { throw CodecError(.malformed, "av1C: marker and version") }
        profile = record[1] >> 5
        level = record[1] & 31
        tier = record[2] >> 7
        depth = record[2] & 0x40 == 0 ? 8 : record[2] & 0x20 == 0 ? 10 : 12
        isMonochrome = record[2] & 0x10 != 0
        subsamplingX = record[2] & 8 != 0
        subsamplingY = record[2] & 4 != 0
        chromaSamplePosition = record[2] & 3
        delay = record[3] & 31
        units = Array(record.dropFirst(4))
    }

    /// From the first key frame's temporal unit, or from units that were stored without the record's head.
    package init(temporalUnit bytes: [UInt8]) throws(CodecError) {
        guard let unit = AV1Unit.units(in: bytes)?.first(where: { $0.type == AV1Unit.sequenceHeader }) else {
            throw CodecError(.malformed, "AV1: no sequence header")
        }
        let header = try AV1SequenceHeader(payload: Array(bytes[unit.payload]))
        profile = header.profile
        level = header.level
        tier = header.tier
        depth = header.depth
        isMonochrome = header.isMonochrome
        subsamplingX = header.subsamplingX
        subsamplingY = header.subsamplingY
        chromaSamplePosition = header.chromaSamplePosition
        units = Array(bytes[unit.range])
    }

    /// The sequence header among `units`, understood; `nil` if there is none that can be.
    package var sequenceHeader: AV1SequenceHeader? {
        guard let unit = AV1Unit.units(in: units)?.first(where: { $0.type == AV1Unit.sequenceHeader }) else { return nil }
        return try? AV1SequenceHeader(payload: Array(units[unit.payload]))
    }

    package var boxType: String { "av1C" }

    package var boxPayload: [UInt8] {
        var writer = BitWriter()
        writer.put(0x81, 8)
        writer.put(profile, 3)
        writer.put(level, 5)
        writer.put(tier, 1)
        writer.put(depth > 8)
        writer.put(depth > 10)
        writer.put(isMonochrome)
        writer.put(subsamplingX)
        writer.put(subsamplingY)
        writer.put(chromaSamplePosition, 2)
        writer.put(delay, 8)
        return writer.bytes + units
    }
}
