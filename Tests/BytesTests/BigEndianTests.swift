import Bytes
import Testing

@Suite struct BigEndianTests {
    @Test("numbers are read as they are written")
    func roundTrip() {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt8(0xFE))
        bytes.append(bigEndian: UInt16(0x1234))
        bytes.append(bigEndian24: 0xABCDEF)
        bytes.append(bigEndian: Int32(-2))
        bytes.append(bigEndian: UInt64.max - 1)
        bytes.append(bigEndian: Int16(-3))
        var reader = BigEndianReader(bytes)
        #expect(reader.u8() == 0xFE)
        #expect(reader.peek == 0x12)
        #expect(reader.u16() == 0x1234)
        #expect(reader.u24() == 0xABCDEF)
        #expect(reader.i32() == -2)
        #expect(reader.u64() == UInt64.max - 1)
        #expect(reader.i16() == -3)
        #expect(!reader.overran && reader.remaining == 0 && reader.peek == nil)
    }

    @Test("a read past the end answers zero, and nothing is read after it")
    func overrun() {
        var reader = BigEndianReader([1, 2, 3])
        #expect(reader.u32() == 0)
        #expect(reader.overran)
        #expect(reader.u8() == 0)
        #expect(reader.rest().isEmpty)
        var negative = BigEndianReader([1, 2, 3])
        #expect(negative.bytes(-1).isEmpty && negative.overran)
        var huge = BigEndianReader([1, 2, 3])
        huge.skip(.max)
        #expect(huge.overran)
    }

    @Test("a range is cut to the array")
    func clamped() {
        var reader = BigEndianReader([1, 2, 3], range: 1..<9)
        #expect(reader.range(2) == 1..<3)
        #expect(reader.range(1) == nil)
    }

    @Test("four bytes are overwritten in place")
    func put() {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 9]
        bytes.put(bigEndian: 0x0102_0304, at: 1)
        #expect(bytes == [0, 1, 2, 3, 4, 9])
    }
}
