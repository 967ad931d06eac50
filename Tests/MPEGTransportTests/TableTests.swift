import Testing

@testable import MPEGTransport

@Suite("Tables") struct TableTests {
    private func sections(_ payloads: [(Bool, [UInt8])]) -> [SectionAssembler.Found] {
        var assembler = SectionAssembler()
        return payloads.flatMap { start, bytes in bytes.withUnsafeBytes { assembler.append($0, startsUnit: start) } }
    }

    @Test("the checksum of a known section is zero")
    func checksum() {
        // Check value of CRC-32/MPEG-2.
        #expect(SectionChecksum.of(Array("123456789".utf8)) == 0x0376_E6E7)
        #expect(SectionChecksum.of(StreamWriter.association([(1, 0x1000)])) == 0)
    }

    @Test("sections begin anywhere, follow each other and go over several packets")
    func assembling() {
        let first = StreamWriter.association([(1, 0x100)]), second = StreamWriter.association((0..<40).map { ($0 + 1, 0x200 + $0) })
        let all = first + second
        #expect(sections([(true, [0] + all)]) == [.section(first), .section(second)])
        for cut in 1..<all.count {
            // Without a start in the second packet, and with one: the pointer then says how much still belongs to the first.
            #expect(sections([(true, [0] + all[..<cut]), (false, Array(all[cut...]))]) == [.section(first), .section(second)], "cut \(cut)")
            if all.count - cut < 150 {
                let next = [UInt8(all.count - cut)] + all[cut...] + first
                #expect(sections([(true, [0] + all[..<cut]), (true, next)]) == [.section(first), .section(second), .section(first)], "cut \(cut)")
            }
        }
    }

    @Test("every flipped bit of a section is noticed")
    func flippedBits() {
        let good = StreamWriter.association([(1, 0x100), (2, 0x200)])
        for bit in 0..<good.count * 8 {
            var bytes = good
            bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            let found = sections([(true, [0] + bytes)])
            #expect(!found.contains { if case .section = $0 { true } else { false } }, "bit \(bit)")
        }
    }

    @Test("stream types and descriptors name codec, language and what is not carried")
    func codecs() {
        func codec(_ type: UInt8, _ descriptors: [UInt8] = [], program: [UInt8] = []) -> TransportCodec? {
            let section = StreamWriter.map([.init(pid: 0x50, type: type, descriptors: descriptors)], descriptors: program)
            return ProgramMap(section, limit: 64)?.streams.first?.codec
        }
        func registration(_ text: String) -> [UInt8] { [5, 4] + Array(text.utf8) }
        let plain: [(UInt8, TransportCodec)] = [
            (0x01, .mpeg1Video), (0x02, .mpeg2Video), (0x03, .mpegAudio), (0x04, .mpegAudio), (0x0F, .aac), (0x11, .latm), (0x1B, .h264),
            (0x24, .hevc), (0x81, .ac3), (0x87, .eac3), (0x8A, .dts), (0x06, .other(6)), (0x10, .mpeg4Visual), (0x7E, .other(0x7E)),
        ]
        for (type, expected) in plain { #expect(codec(type) == expected, "type \(type)") }
        #expect(codec(0x06, [0x6A, 1, 0]) == .ac3)
        #expect(codec(0x06, [0x7A, 1, 0]) == .eac3)
        #expect(codec(0x06, [0x7B, 1, 0]) == .dts)
        #expect(codec(0x06, [0x59, 8, 0x65, 0x6E, 0x67, 0x10, 0, 1, 0, 1]) == .dvbSubtitles)
        #expect(codec(0x06, [0x56, 5, 0x65, 0x6E, 0x67, 9, 0]) == .teletext)
        #expect(codec(0x06, registration("AC-3")) == .ac3)
        #expect(codec(0x06, registration("Opus") + [0x7F, 2, 0x80, 2]) == .opus)
        #expect(codec(0x06, registration("HEVC")) == .hevc)
        #expect(codec(0x82, program: registration("HDMV")) == .dts)
        #expect(codec(0x82, program: registration("SCTE")) == .other(0x82))
        #expect(codec(0x83, program: registration("HDMV")) == .trueHD)
        #expect(codec(0x90, program: registration("HDMV")) == .pgs)
        #expect(codec(0x90) == .other(0x90))
        let opus = registration("Opus") + [0x7F, 2, 0x80, 6, 0x0A, 4, 0x46, 0x72, 0x61, 2]
        let map = ProgramMap(StreamWriter.map([.init(pid: 0x50, type: 6, descriptors: opus)]), limit: 64)
        #expect(map?.streams.first?.language == "fra" && map?.streams.first?.audioType == 2 && map?.streams.first?.opusChannels == 6)
    }

    @Test("maps that are cut short or have wrong lengths are refused without a trap")
    func damagedMaps() {
        let good = StreamWriter.map(SampleStream.streams, descriptors: [5, 4, 0x48, 0x44, 0x4D, 0x56])
        for count in 0..<good.count { _ = ProgramMap(Array(good.prefix(count)), limit: 64) }
        for bit in 0..<good.count * 8 {
            var bytes = good
            bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            _ = ProgramMap(bytes, limit: 64)
            _ = ProgramAssociation(bytes)
        }
        #expect(ProgramMap(StreamWriter.map((0..<10).map { .init(pid: 0x100 + $0, type: 2) }), limit: 4)?.streams.count == 4)
    }
}
