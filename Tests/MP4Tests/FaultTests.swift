import TestSupport
import Testing

@testable import MP4

@Suite("Faults in MP4 files")
struct FaultTests {
    private func fault<Kind: Box>(_ kind: Kind.Type, _ bytes: [UInt8], at offset: UInt64 = 0) -> MP4Error? {
        do {
            _ = try Kind(bytes: bytes, fileOffset: offset)
            return nil
        } catch {
            return error
        }
    }

    @Test("A table that announces more than its box holds is refused before memory is taken")
    func counts() throws {
        for type in ["stts", "ctts", "stco", "co64", "stss", "stsc", "stsz", "trun", "elst"] {
            let body = type == "stsz" ? "00000000 00000000 FFFFFFFF" : type == "trun" ? "00000F00 FFFFFFFF" : "00000000 FFFFFFFF"
            let payload = hex(body)
            var root = BoxReader(try BoxWriter.bytes { $0.box(FourCC(type) ?? "free") { $0.bytes(payload) } })
            var box = try #require(try root.child())
            let error = #expect(throws: MP4Error.self) {
                switch type {
                case "stts": _ = try TimeToSampleBox(from: &box)
                case "ctts": _ = try CompositionOffsetBox(from: &box)
                case "stco", "co64": _ = try ChunkOffsetBox(from: &box)
                case "stss": _ = try SyncSampleBox(from: &box)
                case "stsc": _ = try SampleToChunkBox(from: &box)
                case "stsz": _ = try SampleSizeBox(from: &box)
                case "trun": _ = try TrackRunBox(from: &box)
                default: _ = try EditListBox(from: &box)
                }
            }
            #expect(error?.code == .truncated)
        }
    }

    @Test("An error names the path of the box, the entry, and the place in the file")
    func path() throws {
        var bytes = try Samples.movie().bytes()
        // The second track's stss: its samples 1 and 4 become 5 and 4.
        let places = bytes.indices.filter { bytes[$0...].starts(with: Array("stss".utf8)) }
        let place = try #require(places.last)
        bytes[place + 15] = 5
        let error = try #require(fault(MovieBox.self, bytes, at: 1000))
        #expect(error.path == "moov.trak[1].mdia.minf.stbl.stss.entry[1]")
        #expect(error.offset == UInt64(1000 + place + 20))
        #expect(error.code == .malformed)
        #expect("\(error)".contains("stss.entry[1] at \(1000 + place + 20)"))
    }

    @Test("A box that is larger than what is around it is refused")
    func size() {
        #expect(fault(HandlerBox.self, hex("00000030 68646C72 00000000"))?.code == .truncated)
        #expect(fault(HandlerBox.self, hex("00000001 68646C72 00000000 00000004"))?.code == .malformed)
        #expect(fault(HandlerBox.self, hex("00000001 68646C72 FFFFFFFF FFFFFFFF 00"))?.code == .truncated)
        #expect(fault(HandlerBox.self, [])?.code == .truncated)
        #expect(fault(FileTypeBox.self, hex("00000010 6D6F6F76 00000000 00000000"))?.code == .malformed)
    }

    @Test("The header of a box of 32, of 64 bits and up to the end is told from its first bytes")
    func header() throws {
        #expect(try BoxHeader(hex("00000018 6D646174")).size == 24)
        let long = try BoxHeader(hex("00000001 6D646174 00000001 00000010"))
        #expect(long.size == 0x1_0000_0010 && long.headerSize == 16)
        #expect(try BoxHeader(hex("00000000 6D646174")).size == nil)
        #expect(throws: MP4Error.self) { try BoxHeader(hex("00000007 6D646174")) }
        #expect(throws: MP4Error.self) { try BoxHeader(hex("00000001 6D646174 0000")) }
    }

    @Test("A value that its field cannot hold is refused with its place")
    func refusals() throws {
        func refusal(_ box: some Box) -> MP4Error? {
            do {
                _ = try box.bytes()
                return nil
            } catch {
                return error
            }
        }
        let chapters = ChapterListBox((0..<256).map { .init(start: $0, title: "") })
        let error = try #require(refusal(UserDataBox(chapters: chapters)))
        #expect(error.code == .unrepresentable && error.path == "udta.chpl")
        #expect(refusal(ChapterListBox([.init(start: 0, title: String(repeating: "x", count: 256))]))?.path == "chpl.entry[0]")
        #expect(refusal(HandlerBox(handler: "vide", name: "a\0b"))?.code == .unrepresentable)
        #expect(refusal(TrackHeaderBox(track: 1, duration: 0, matrix: [1]))?.code == .unrepresentable)
        let index = SegmentIndexBox(
            track: 1, timescale: 1, earliestPresentation: 0, firstOffset: 0, references: [.init(size: 1 << 31, duration: 0, access: 0)])
        #expect(refusal(index)?.path == "sidx[0].entry[0]")
        var entry = Samples.picture
        entry.compressor = String(repeating: "x", count: 32)
        #expect(refusal(SampleDescriptionBox([.visual(entry)]))?.path == "stsd.avc1")
        #expect(ChapterListBox.fitting([.init(start: 0, title: String(repeating: "ä", count: 200))])?.chapters[0].title.utf8.count == 254)
        #expect(ChapterListBox.fitting(chapters.chapters) == nil)
    }

    @Test("A refusal in a stream comes before the first byte")
    func stream() {
        var handed = 0
        #expect(throws: MP4Error.self) {
            try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in handed += piece.count }) { sink in
                try BoxWriter.stream({ HandlerBox(handler: "vide", name: "a\0b").write(to: &$0) }, into: sink)
            }
        }
        #expect(handed == 0)
    }
}
