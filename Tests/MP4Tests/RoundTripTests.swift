import TestSupport
import Testing

@testable import MP4

@Suite("Boxes")
struct RoundTripTests {
    /// Written, read, written again; then cut and damaged, which must end in a value or an error.
    private func check<Kind: Box & Equatable>(_ box: Kind, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let bytes = try box.bytes()
        let again = try Kind(bytes: bytes)
        let isSame = again == box
        #expect(isSame, "\(Kind.type)", sourceLocation: sourceLocation)
        #expect(Octets(try again.bytes()) == Octets(bytes), sourceLocation: sourceLocation)
        #expect(box.size == UInt64(bytes.count), sourceLocation: sourceLocation)
        var pieces: [UInt8] = []
        try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in pieces.append(contentsOf: piece) }) { sink in
            try BoxWriter.stream({ box.write(to: &$0) }, into: sink)
        }
        #expect(Octets(pieces) == Octets(bytes), "in pieces", sourceLocation: sourceLocation)
        damaged(bytes) { bad in
            guard let read = try? Kind(bytes: bad) else { return }
            _ = try? read.bytes()
        }
    }

    @Test("File boxes are read as they are written")
    func file() throws {
        try check(FileTypeBox.progressive)
        try check(FileTypeBox.fragmented)
        try check(SegmentTypeBox(FileTypeBox(major: "msdh", minor: 0, compatible: ["msdh", "msix"])))
        try check(
            SegmentIndexBox(
                track: 1, timescale: 90000, earliestPresentation: 0x1_0000_0000, firstOffset: 52,
                references: [.init(size: 0x7FFF_FFFF, duration: 5, access: 0x9000_0000), .init(size: 1, duration: 6, access: 0, isIndex: true)]))
    }

    @Test("Headers are read as they are written, with short and with long times")
    func headers() throws {
        for time in [0, 77, UInt64(UInt32.max) - 1, UInt64(UInt32.max), 1 << 40, .max] {
            try check(MovieHeaderBox(duration: time, nextTrack: 4, created: 3, isLong: time == 1 << 40 || time == UInt64(UInt32.max)))
            try check(MediaHeaderBox(timescale: 48000, duration: time, isLong: time == 1 << 40 || time == UInt64(UInt32.max)))
            try check(TrackHeaderBox(track: 3, duration: time, isLong: time == 1 << 40 || time == UInt64(UInt32.max)))
        }
        try check(HandlerBox(handler: "soun", name: "Ton, 5.1"))
        try check(ExtendedLanguageBox("pt-BR"))
        try check(TrackKindBox(value: "caption"))
        try check(TrackReferenceBox([.init(kind: "chap", tracks: [2])]))
        try check(EditListBox([.init(duration: 7, mediaTime: -1), .init(duration: 9, mediaTime: 1024, rate: 0x8000)]))
        try check(EditListBox([.init(duration: 1 << 33, mediaTime: 1 << 34)], isLong: true))
        try check(ChapterListBox([.init(start: 0, title: ""), .init(start: .max, title: "Ünïcode")]))
        try check(Samples.userData)
    }

    @Test("Sample tables are read as they are written")
    func tables() throws {
        try check(TimeToSampleBox([.init(count: 9, duration: 1), .init(count: 1, duration: .max)]))
        try check(CompositionOffsetBox([.init(count: 9, offset: 1), .init(count: 1, offset: .max)]))
        try check(CompositionOffsetBox([.init(count: 9, offset: -1)], isSigned: true))
        try check(SampleToChunkBox([.init(firstChunk: 1, samplesPerChunk: 2), .init(firstChunk: 5, samplesPerChunk: 1, description: 2)]))
        try check(SampleSizeBox([1, 2, 0, 4]))
        try check(SampleSizeBox(uniform: 417, count: .max))
        try check(SyncSampleBox([1, 250, 500]))
        try check(RollGroupDescriptionBox([-1, 4]))
        try check(SampleToGroupBox([.init(count: 3, entry: 1), .init(count: 3, entry: 0)]))
        try check(try Samples.descriptions())
        try check(try Samples.table())
    }

    @Test("What describes a picture is read as it is written")
    func picture() throws {
        try check(PixelAspectBox(horizontal: 40, vertical: 33))
        try check(ColourBox.coded(primaries: 9, transfer: 16, matrix: 9, isFullRange: true))
        try check(ColourBox.quickTime(primaries: 1, transfer: 1, matrix: 1))
        try check(ColourBox.profile("prof", [1, 2, 3]))
        try check(BitRateBox(bufferSize: 1, maximum: 2, average: 3))
        try check(FieldBox(fields: 2, order: 6))
        try check(
            CleanApertureBox(
                width: .init(1916, 1), height: .init(1080, 1), horizontalOffset: .init(UInt32(bitPattern: -2), 2), verticalOffset: .init(0, 1)))
        let entry = Samples.picture
        #expect(entry.child(ColourBox.self) == .coded(primaries: 9, transfer: 16, matrix: 9, isFullRange: true))
        #expect(entry.child(PixelAspectBox.self) == nil)
    }

    @Test("A movie and its fragments are read as they are written")
    func movie() throws {
        try check(try Samples.track(1))
        try check(try Samples.movie())
        try check(Samples.fragment)
        try check(
            RandomAccessBox([
                TrackRandomAccessBox(track: 1, [.init(time: 5, offset: 1 << 33), .init(time: 9, offset: 1 << 34, fragment: 2, sample: 3)])
            ]))
        let mfra = RandomAccessBox([TrackRandomAccessBox(track: 1, [.init(time: 5, offset: 6)])])
        #expect(RandomAccessBox.size(fromLast: Array(try mfra.bytes().suffix(16))) == UInt32(mfra.size))
    }

    @Test("A whole file's boxes survive any damage")
    func damage() throws {
        let file = try FileTypeBox.progressive.bytes() + Samples.movie().bytes() + Samples.fragment.bytes()
        let rounds = TestTools.isLongRun ? 300_000 : 1500
        damaged(file, cuts: 300, flips: rounds, rounds: rounds) { exercise(file: $0) }
    }
}
