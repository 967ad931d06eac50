internal import Bytes

/// The identification header of Opus (RFC 7845 §5.1): Matroska's CodecPrivate of A_OPUS, and MP4's `dOps` (Encapsulation of
/// Opus in ISO Base Media File Format §4.3.2), whose numbers are big-endian.
package struct OpusConfiguration: Hashable, Sendable, DecoderConfiguration {
    package var channels: UInt8
    /// Samples of 48 kHz to drop at the start.
    package var preSkip: UInt16
    /// Of the input before coding, for people.
    package var inputRate: UInt32
    package var gain: Int16
    /// Mapping family; not 0: `mapping` holds stream count, coupled count and one index for each channel.
    package var family: UInt8
    package var mapping: [UInt8]

    /// From OpusHead; bytes behind it are ignored.
    package init(head: [UInt8]) throws(CodecError) {
        guard head.count >= 19 else { throw CodecError(.truncated, "OpusHead") }
        guard head.starts(with: Array("OpusHead".utf8)), head[8] & 0xF0 == 0 else { throw CodecError(.malformed, "OpusHead: mark or version") }
        channels = head[9]
        preSkip = UInt16(head[10]) | UInt16(head[11]) << 8
        inputRate = (0..<4).reduce(0) { $0 | UInt32(head[12 + $1]) << UInt32($1 * 8) }
        gain = Int16(bitPattern: UInt16(head[16]) | UInt16(head[17]) << 8)
        family = head[18]
        mapping = family == 0 ? [] : Array(head[19...].prefix(2 + Int(channels)))
        try check()
    }

    /// From the payload of a `dOps` box.
    package init(payload: [UInt8]) throws(CodecError) {
        var reader = BigEndianReader(payload)
        guard reader.u8() == 0 else { throw CodecError(.unsupported, "dOps: version") }
        channels = reader.u8()
        preSkip = reader.u16()
        inputRate = reader.u32()
        gain = reader.i16()
        family = reader.u8()
        mapping = family == 0 ? [] : reader.bytes(2 + Int(channels))
        guard !reader.overran else { throw CodecError(.truncated, "dOps") }
        try check()
    }

    /// For MPEG-TS, whose descriptor states a number of channels only (ETSI TS 103 190-2's `channel_config_code` 1…8): one or two
    /// channels, else the Vorbis order of RFC 7845 §5.1.1.2. `nil` for other numbers.
    package init?(channels: UInt8, preSkip: UInt16 = 0) {
        let surround: [UInt8: [UInt8]] = [
            3: [2, 1, 0, 2, 1], 4: [2, 2, 0, 1, 2, 3], 5: [3, 2, 0, 4, 1, 2, 3], 6: [4, 2, 0, 4, 1, 2, 3, 5],
            7: [4, 3, 0, 4, 1, 2, 3, 5, 6], 8: [5, 3, 0, 6, 1, 2, 3, 4, 5, 7],
        ]
        guard (1...8).contains(channels) else { return nil }
        self.channels = channels
        self.preSkip = preSkip
        inputRate = 48000
        gain = 0
        family = channels > 2 ? 1 : 0
        mapping = surround[channels] ?? []
    }

    private func check() throws(CodecError) {
        guard channels > 0 else { throw CodecError(.malformed, "Opus: no channels") }
        guard family == 0 else {
            guard mapping.count == 2 + Int(channels) else { throw CodecError(.truncated, "Opus: channel mapping") }
            return
        }
        guard channels <= 2 else { throw CodecError(.malformed, "Opus: \(channels) channels in mapping family 0") }
    }

    package var boxType: String { "dOps" }

    package var boxPayload: [UInt8] {
        var bytes: [UInt8] = [0, channels]
        bytes.append(bigEndian: preSkip)
        bytes.append(bigEndian: inputRate)
        bytes.append(bigEndian: gain)
        return bytes + [family] + mapping
    }
}
