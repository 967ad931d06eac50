import Testing

@testable import MPEGTransport

@Suite("Tracks that begin late") struct LateTrackTests {
    /// Pictures, then packets without content up to `bytes`, then a second of both.
    private func stream(soundAfter bytes: Int) -> [UInt8] {
        var writer = StreamWriter()
        writer.putTables(SampleStream.streams)
        for number in 0..<3 {
            let data = SampleStream.sequence + SampleStream.picture(number, type: 1)
            writer.put(pes: StreamWriter.pes(0xE0, pts: UInt64(72_000 + number * 3600), data), pid: SampleStream.video)
        }
        let null = StreamWriter.packet(pid: 0x1FFF, counter: 0, payload: [UInt8](repeating: 0xFF, count: 184))
        writer.bytes.reserveCapacity(bytes + 1_000_000)
        while writer.bytes.count < bytes { writer.put(packet: null) }
        SampleStream.write(into: &writer, tables: false)
        return writer.bytes
    }

    @Test("sound that begins behind 9 MiB is known to the head")
    func late() throws {
        let head = try readHead(stream(soundAfter: 9 << 20), piece: 256 << 10)
        #expect(head.tracks.map { $0.configuration != nil } == [true, true])
    }

    @Test("sound that begins behind the limit has no configuration, and the rest has")
    func beyond() throws {
        var limits = TransportLimits()
        limits.headBytes = 1 << 20
        let head = try readHead(stream(soundAfter: 2 << 20), piece: 256 << 10, limits: limits)
        #expect(head.tracks.map { $0.configuration != nil } == [true, false])
    }
}
