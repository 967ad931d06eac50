import Codecs
import Testing

@Suite struct NALTests {
    @Test("units are found between start codes of three and four bytes, without trailing zeros")
    func annexB() {
        let bytes = hex("FF 00000001 6742 000000 000001 68CE 00 000001 000001 65 0000 03 88")
        #expect(AnnexB.units(in: bytes).map { Array(bytes[$0]) } == [hex("6742"), hex("68CE"), hex("6500000388")])
        #expect(AnnexB.lengthPrefixed(bytes) == hex("00000002 6742 00000002 68CE 00000005 6500000388"))
        #expect(AnnexB.units(in: []).isEmpty)
        #expect(AnnexB.units(in: hex("000001")).isEmpty)
        #expect(AnnexB.units(in: hex("01020304")).isEmpty)
    }

    @Test("the fast scan finds what a slow one finds")
    func scanning() {
        for seed in 1...200 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let count = Int.random(in: 0...200, using: &generator)
            let bytes = (0..<count).map { _ in UInt8([0, 0, 0, 1, 1, 2, 3, 255].randomElement(using: &generator) ?? 0) }
            #expect(AnnexB.units(in: bytes) == slowUnits(bytes), "seed \(seed)")
        }
    }

    private func slowUnits(_ bytes: [UInt8]) -> [Range<Int>] {
        var starts: [Int] = []
        var index = 0
        while index + 3 <= bytes.count {
            if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
                starts.append(index)
                index += 3
            } else {
                index += 1
            }
        }
        return starts.indices.compactMap { place in
            let start = starts[place] + 3
            var end = place + 1 < starts.count ? starts[place + 1] : bytes.count
            while end > start, bytes[end - 1] == 0 { end -= 1 }
            return start < end ? start..<end : nil
        }
    }

    @Test("lengths of every size lead from unit to unit", arguments: 1...4)
    func lengths(size: Int) throws {
        let units: [[UInt8]] = [[1, 2, 3], [4], [5, 6]]
        var bytes: [UInt8] = []
        for unit in units { bytes += [UInt8](repeating: 0, count: size - 1) + [UInt8(unit.count)] + unit }
        #expect(LengthPrefixed.units(in: bytes, lengthSize: size)?.map { Array(bytes[$0]) } == units)
        #expect(LengthPrefixed.annexB(bytes, lengthSize: size) == hex("00000001 010203 00000001 04 00000001 0506"))
        let ends = [0, size + 3, 2 * size + 4, bytes.count]
        for cut in 0...bytes.count {
            #expect((LengthPrefixed.units(in: Array(bytes.prefix(cut)), lengthSize: size) != nil) == ends.contains(cut))
        }
    }

    @Test("start codes in place of lengths are noticed, and lengths that look like them are not")
    func disguised() {
        #expect(LengthPrefixed.isReallyAnnexB(hex("00000001 67420102 00000001 68"), lengthSize: 4))
        #expect(LengthPrefixed.isReallyAnnexB(hex("000001 6742010203"), lengthSize: 4))
        #expect(!LengthPrefixed.isReallyAnnexB(hex("00000001 09 00000002 6588"), lengthSize: 4))
        let long: [UInt8] = [0, 0, 1, 0] + [UInt8](repeating: 0x41, count: 256)
        #expect(!LengthPrefixed.isReallyAnnexB(long, lengthSize: 4))
    }

    @Test("emulation prevention goes and comes back")
    func emulation() {
        #expect(RBSP.payload(of: hex("67 000003 01 000003 000003 FF"), headerSize: 1) == hex("0000 01 0000 0000 FF"))
        #expect(RBSP.escaped(hex("000001 000000 0003")) == hex("00000301 000003 00 000303"))
        for seed in 1...100 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let payload = (0..<60).map { _ in UInt8([0, 0, 1, 2, 3, 4].randomElement(using: &generator) ?? 0) }
            #expect(RBSP.payload(of: RBSP.escaped(payload), headerSize: 0) == payload, "seed \(seed)")
            #expect(AnnexB.units(in: [0, 0, 1, 9] + RBSP.escaped(payload) + [9]).count == 1, "seed \(seed)")
        }
    }

    @Test("messages are taken apart, their sizes and types of several bytes too")
    func supplemental() {
        let long = [UInt8](repeating: 7, count: 300)
        let messages = SupplementalInformation.messages(in: hex("06 02 0102 FF05 FF2D") + long + [0x80])
        #expect(messages.map(\.type) == [6, 260])
        #expect(messages.map(\.payload) == [[1, 2], long])
        #expect(SupplementalInformation.messages(in: hex("06 09 0102 80")).isEmpty)
    }

    @Test("H.264 access units to start from: IDR or recovery point")
    func h264Sync() {
        func isSync(_ text: String) -> Bool {
            let bytes = hex(text)
            return H264NAL.isSyncPoint(AnnexB.units(in: bytes), in: bytes)
        }
        #expect(isSync("000001 0910 000001 6588"))
        #expect(isSync("000001 06 06 01 C4 80 000001 4188"))
        #expect(!isSync("000001 0910 000001 4188"))
        #expect(!isSync("000001 06 05 01 C4 80 000001 4188"))
        #expect(H264NAL.startsPicture(hex("6588")) && !H264NAL.startsPicture(hex("6540")) && !H264NAL.startsPicture(hex("0688")))
    }

    @Test("HEVC access units to start from: IRAP")
    func hevcSync() {
        for type in 0..<64 as Range<UInt8> {
            let bytes = hex("000001") + [type << 1, 1, 0x80]
            #expect(HEVCNAL.isSyncPoint(AnnexB.units(in: bytes), in: bytes) == (16...23).contains(type))
        }
        #expect(HEVCNAL.startsPicture(hex("260180")) && !HEVCNAL.startsPicture(hex("260100")) && !HEVCNAL.startsPicture(hex("420180")))
    }
}
