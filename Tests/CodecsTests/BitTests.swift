import Codecs
import Testing

@Suite struct BitTests {
    @Test("bits are read as they are written")
    func roundTrip() {
        var generator = SeededGenerator(seed: 11)
        let numbers = (0..<500).map { _ in
            (value: UInt32.random(in: 0...UInt32.max, using: &generator), count: Int.random(in: 0...32, using: &generator))
        }
        var writer = BitWriter()
        for number in numbers { writer.put(number.value, number.count) }
        var reader = BitReader(writer.bytes)
        for number in numbers {
            let expected = number.count == 0 ? 0 : number.value & (UInt32.max >> UInt32(32 - number.count))
            #expect(reader.bits(number.count) == expected)
        }
        #expect(!reader.overran && reader.remaining < 8)
    }

    @Test("Exp-Golomb codes of table 9-2", arguments: [("8", 0), ("4", 1), ("6", 2), ("20", 3), ("38", 6), ("10", 7)] as [(String, UInt32)])
    func exponential(code: String, value: UInt32) {
        var reader = BitReader(hex(code + (code.count == 1 ? "0" : "")))
        #expect(reader.exp() == value)
    }

    @Test("the largest code, and one that is too long")
    func largest() {
        var writer = BitWriter()
        writer.put(1, 32)
        writer.put(UInt32.max, 31)
        var reader = BitReader(writer.bytes)
        #expect(reader.exp() == UInt32.max - 1 && !reader.overran)
        var long = BitReader([0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0])
        #expect(long.exp() == 0 && long.overran)
    }

    @Test("signed codes alternate")
    func signed() {
        var reader = BitReader(hex("A642 8E20"))  // 1 010 011 00100 00101 00011 1 …
        #expect((0..<5).map { _ in reader.signedExp() } == [0, 1, -1, 2, -2])
    }

    @Test("a read past the end answers zero and stays so")
    func overrun() {
        var reader = BitReader([0xFF])
        #expect(reader.bits(9) == 0 && reader.overran)
        #expect(reader.bits(1) == 0 && reader.exp() == 0 && reader.remaining == 0)
        var skipping = BitReader([0xFF])
        skipping.skip(.max)
        #expect(skipping.overran)
    }

    @Test("alignment goes to the next border, and nowhere from one")
    func alignment() {
        var reader = BitReader([0xFF, 0x0F])
        reader.align()
        #expect(reader.position == 0)
        reader.skip(1)
        reader.align()
        #expect(reader.position == 8)
        var writer = BitWriter()
        writer.align()
        writer.put(1, 1)
        writer.align()
        writer.put(0xAB, 8)
        #expect(writer.bytes == [0x80, 0xAB])
    }
}
