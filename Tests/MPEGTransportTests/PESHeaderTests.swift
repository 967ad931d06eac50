import Testing

@testable import MPEGTransport

@Suite("PES headers") struct PESHeaderTests {
    @Test("times of 33 bits, lengths, and headers without times")
    func fields() {
        for time in [0, 1, 0x1_FFFF_FFFF, 0x1_2345_6789] as [UInt64] {
            guard case .header(let header) = PESHeader.parse(StreamWriter.pes(0xE0, pts: time, dts: time ^ 0x5555, [1, 2, 3])) else {
                Issue.record("no header")
                continue
            }
            #expect(header.pts == time && header.dts == time ^ 0x5555 && header.size == 19 && header.payloadSize == 3 && !header.hasBadTimestamp)
        }
        #expect(
            PESHeader.parse(StreamWriter.pes(0xC0, pts: nil, [], stated: false))
                == .header(PESHeader(size: 9, payloadSize: nil, pts: nil, dts: nil, hasBadTimestamp: false, isScrambled: false)))
        #expect(PESHeader.parse([0, 0, 1, 0xBE, 0, 5, 0xFF]) == .other)
        #expect(PESHeader.parse([0, 0, 2]) == .bad)
        #expect(PESHeader.parse([0, 0, 1, 0xE0, 0, 0, 0x00, 0, 0]) == .bad)
    }

    @Test("every cut asks for more, every flipped bit is survived")
    func damage() {
        let good = StreamWriter.pes(0xE0, pts: 5000, dts: 4000, [9, 9])
        for count in 0..<19 { #expect(PESHeader.parse(Array(good.prefix(count))) == .needMore, "cut \(count)") }
        for bit in 0..<19 * 8 {
            var bytes = good
            bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            _ = PESHeader.parse(bytes)
        }
        var bytes = good
        bytes[9] &= 0xFE
        guard case .header(let header) = PESHeader.parse(bytes) else { return #expect(Bool(false)) }
        #expect(header.pts == nil && header.hasBadTimestamp)
    }
}
