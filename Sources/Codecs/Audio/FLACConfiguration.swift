internal import Bytes

/// The metadata of a FLAC stream (RFC 9639 §8): Matroska's CodecPrivate of A_FLAC, and MP4's `dfLa` (Encapsulation of FLAC in
/// ISO Base Media File Format §3.3.2).
package struct FLACConfiguration: Hashable, Sendable, DecoderConfiguration {
    package let minimumBlock: Int
    package let maximumBlock: Int
    package let samplingRate: UInt32
    package let channels: Int
    package let depth: Int
    /// 0 when unknown.
    package let samples: UInt64
    /// STREAMINFO and the other blocks without their headers. Padding and pictures are left out.
    private let blocks: [(type: UInt8, content: [UInt8])]

    /// From a CodecPrivate: "fLaC" and blocks, or blocks alone as in `dfLa` behind version and flags.
    package init(codecPrivate: [UInt8]) throws(CodecError) {
        let mark = Array("fLaC".utf8)
        var reader = BigEndianReader(codecPrivate, range: (codecPrivate.starts(with: mark) ? 4 : 0)..<codecPrivate.count)
        var found: [(type: UInt8, content: [UInt8])] = []
        var isLast = false
        while !isLast, reader.remaining >= 4 {
            let head = reader.u8()
            let content = reader.bytes(Int(reader.u24()))
            guard !reader.overran else { break }
            isLast = head & 0x80 != 0
            // 1 PADDING, 6 PICTURE, 127 invalid
            if ![1, 6, 127].contains(head & 0x7F) { found.append((head & 0x7F, content)) }
        }
        guard let info = found.first, info.type == 0, info.content.count >= 34 else {
            throw CodecError(found.isEmpty ? .truncated : .malformed, "FLAC: no STREAMINFO")
        }
        var bits = BitReader(info.content)
        minimumBlock = Int(bits.bits(16))
        maximumBlock = Int(bits.bits(16))
        bits.skip(48)
        samplingRate = bits.bits(20)
        channels = Int(bits.bits(3)) + 1
        depth = Int(bits.bits(5)) + 1
        samples = UInt64(bits.bits(4)) << 32 | UInt64(bits.bits(32))
        blocks = found
        guard samplingRate > 0, minimumBlock >= 16, maximumBlock >= minimumBlock else { throw CodecError(.malformed, "FLAC: STREAMINFO") }
    }

    package var isFixedBlock: Bool { minimumBlock == maximumBlock }

    package var boxType: String { "dfLa" }

    package var boxPayload: [UInt8] {
        var bytes: [UInt8] = [0, 0, 0, 0]
        for (index, block) in blocks.enumerated() {
            bytes.append(block.type | (index == blocks.count - 1 ? 0x80 : 0))
            bytes.append(bigEndian24: UInt32(truncatingIfNeeded: block.content.count))
            bytes += block.content
        }
        return bytes
    }

    package static func == (left: FLACConfiguration, right: FLACConfiguration) -> Bool { left.boxPayload == right.boxPayload }
    package func hash(into hasher: inout Hasher) { hasher.combine(boxPayload) }

    /// Samples in the frame that starts here (RFC 9639 §9.1); `nil` unless a frame header stands there.
    package static func samples(frame: some Collection<UInt8>) -> Int? {
        let head = Array(frame.prefix(16))
        guard head.count >= 5, head[0] == 0xFF, head[1] & 0xFC == 0xF8 else { return nil }
        let code = Int(head[2] >> 4)
        // The frame or sample number is coded like UTF-8, in up to 7 bytes.
        let ones = (~head[4]).leadingZeroBitCount
        let next = 4 + (ones == 0 ? 1 : ones)
        guard ones != 1, ones != 8 else { return nil }
        switch code {
        case 1: return 192
        case 2...5: return 576 << (code - 2)
        case 6: return next < head.count ? Int(head[next]) + 1 : nil
        case 7: return next + 1 < head.count ? (Int(head[next]) << 8 | Int(head[next + 1])) + 1 : nil
        case 8...15: return 256 << (code - 8)
        default: return nil
        }
    }
}
