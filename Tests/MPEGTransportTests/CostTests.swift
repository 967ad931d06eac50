import Testing

@testable import MPEGTransport

/// What a stream may cost that is made to cost much.
@Suite("Costs") struct CostTests {
    @Test("a picture that never ends, with a PES in each packet, takes time in proportion to its length")
    func marks() throws {
        var writer = StreamWriter()
        writer.putTables(SampleStream.streams)
        writer.put(pes: StreamWriter.pes(0xE0, pts: 90_000, SampleStream.sequence + SampleStream.picture(0, type: 1)), pid: SampleStream.video)
        // user_data() behind zero_byte, over and over.
        let data = [UInt8]((0..<35).map { _ in [0, 0, 0, 1, 0xB2] as [UInt8] }.joined())
        let pes = StreamWriter.pes(0xE0, pts: nil, data, stated: false)
        for _ in 0..<8000 { writer.put(pes: pes, pid: SampleStream.video) }
        let start = ContinuousClock.now
        let (events, walker) = walk(TransportWalker(try readHead(SampleStream.bytes())), writer.bytes, piece: 256 << 10)
        // A third of a second; with a look at every mark for every start code, two minutes.
        #expect(ContinuousClock.now - start < .seconds(15))
        #expect(events.count { if case .unit = $0 { true } else { false } } == 1)
        #expect(walker.damages.count(.tooLarge) == 0)
    }

    @Test("of several PES that begin at one place the last one's time counts")
    func emptyPES() throws {
        var buffer = ElementaryBuffer()
        for time in [1, 2, 3] as [Int64] { buffer.begin(pts: time, dts: nil, offset: UInt64(time)) }
        ([0, 0, 1] as [UInt8]).withUnsafeBytes { buffer.append($0, offset: 9) }
        #expect(buffer.hasMark(at: 0) && !buffer.hasMark(at: 1))
        #expect(buffer.takeMark(at: 0)?.pts == 3)
        #expect(buffer.takeMark(at: 100) == nil)
    }

    @Test("marks are found by their places, and the last one passed stays for the unit it is of")
    func places() throws {
        var buffer = ElementaryBuffer()
        for number in 0..<10 {
            buffer.begin(pts: Int64(number), dts: nil, offset: UInt64(number))
            ([1, 2, 3, 4] as [UInt8]).withUnsafeBytes { buffer.append($0, offset: UInt64(number)) }
        }
        #expect((0..<44).filter { buffer.hasMark(at: $0) } == [0, 4, 8, 12, 16, 20, 24, 28, 32, 36])
        buffer.drop(10)
        #expect((-10..<40).filter { buffer.hasMark(at: $0) } == [-2, 2, 6, 10, 14, 18, 22, 26])
        #expect(buffer.takeMark(at: 1)?.pts == 2)
        #expect(buffer.takeMark(at: 9)?.pts == 4)
        #expect(buffer.takeMark(at: 9) == nil)
    }
}
