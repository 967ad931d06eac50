/// AAC in LOAS/LATM (ISO/IEC 14496-3 §1.7): AudioSyncStream with AudioMuxElement(1), one program and one layer, as MPEG-TS
/// carries it. It remembers the configuration between frames.
package struct LATMStream: Sendable {
    /// Known after the first frame that states it.
    package private(set) var configuration: AudioSpecificConfig?
    private var subframes = 1
    private var lengthType: UInt32 = 0
    private var fixedBits = 0

    package init() {}

    /// Bytes of the frame that starts here, its three bytes of header included; `nil` unless a header stands there.
    package static func frameSize(_ bytes: some Collection<UInt8>) -> Int? {
        let head = Array(bytes.prefix(3))
        guard head.count == 3, head[0] == 0x56, head[1] & 0xE0 == 0xE0 else { return nil }
        return 3 + (Int(head[1] & 0x1F) << 8 | Int(head[2]))
    }

    /// The AAC frames in one LOAS frame, header included. Empty as long as no configuration has come.
    package mutating func frames(in bytes: [UInt8]) throws(CodecError) -> [[UInt8]] {
        guard let size = Self.frameSize(bytes) else { throw CodecError(.malformed, "LOAS: no sync word") }
        guard size <= bytes.count else { throw CodecError(.truncated, "LOAS frame") }
        let content = Array(bytes[3..<size])
        var reader = BitReader(content)
        if !reader.flag() { try readConfiguration(&reader, content) }
        guard configuration != nil else { return [] }
        var frames: [[UInt8]] = []
        for _ in 0..<subframes {
            let bits = lengthType == 0 ? Self.payloadBits(&reader) : fixedBits
            guard bits <= reader.remaining, !reader.overran else { throw CodecError(.truncated, "LATM payload") }
            var frame: [UInt8] = []
            frame.reserveCapacity(bits / 8)
            for _ in 0..<bits / 8 { frame.append(reader.byte()) }
            reader.skip(bits % 8)
            frames.append(frame)
        }
        return frames
    }

    /// StreamMuxConfig() (§1.7.3)
    private mutating func readConfiguration(_ reader: inout BitReader, _ content: [UInt8]) throws(CodecError) {
        let version = reader.flag()
        if version, reader.flag() { throw CodecError(.unsupported, "LATM: audioMuxVersionA 1") }
        if version { _ = Self.value(&reader) }
        let isSameFraming = reader.flag()
        let count = Int(reader.bits(6)) + 1
        let programs = reader.bits(4), layers = reader.bits(3)
        guard isSameFraming, programs == 0, layers == 0 else { throw CodecError(.unsupported, "LATM: several programs or layers") }
        let bits = version ? Int(Self.value(&reader)) : nil
        let found = try AudioSpecificConfig(&reader, in: content, bitCount: bits)
        lengthType = reader.bits(3)
        switch lengthType {
        case 0: reader.skip(8)  // latmBufferFullness
        case 1: fixedBits = (Int(reader.bits(9)) + 20) * 8
        default: throw CodecError(.unsupported, "LATM: frame length type \(lengthType)")
        }
        if reader.flag() {  // otherDataPresent
            if version {
                _ = Self.value(&reader)
            } else {
                var more = true
                while more, !reader.overran {
                    more = reader.flag()
                    reader.skip(8)
                }
            }
        }
        if reader.flag() { reader.skip(8) }  // crcCheckSum
        guard !reader.overran else { throw CodecError(.truncated, "LATM configuration") }
        subframes = count
        configuration = found
    }

    /// LatmGetValue()
    private static func value(_ reader: inout BitReader) -> UInt32 {
        let count = Int(reader.bits(2)) + 1
        return reader.bits(count * 8)
    }

    /// PayloadLengthInfo() of frame length type 0
    private static func payloadBits(_ reader: inout BitReader) -> Int {
        var bytes = 0
        while !reader.overran {
            let part = Int(reader.byte())
            bytes += part
            if part != 255 { break }
        }
        return bytes * 8
    }
}
