import Testing

@testable import MPEGTransport

@Suite("Time") struct ClockTests {
    @Test("33 bits wrap anywhere, in each stream for itself")
    func wrap() throws {
        for start in stride(from: UInt64(0x1_FFFF_FFFF) - 90_000, through: 0x1_FFFF_FFFF, by: 4711) {
            var writer = StreamWriter()
            SampleStream.write(into: &writer, from: start)
            let told = try read(writer.bytes)
            #expect(told.video.map(\.pts) == times(25, from: Int64(start), step: 3600))
            #expect(told.audio.map(\.pts) == times(42, from: Int64(start), step: 2160))
            #expect(told.jumps == 0)
        }
    }

    @Test(
        "joined recordings go on without a gap, and sound keeps its place against the picture",
        arguments: [1_000, 90_000, 5_000_000, 0x1_FFFF_0000])
    func joined(start: UInt64) throws {
        var writer = StreamWriter()
        SampleStream.write(into: &writer, from: 8_000_000)
        var second = StreamWriter()
        SampleStream.write(into: &second, from: start)
        let told = try read(writer.bytes + second.bytes)
        #expect(told.jumps == 1)
        let joint = told.video[25].pts
        // Sound of the first part ends 0.008 s behind its pictures.
        #expect(joint == 8_000_000 + 42 * 2160)
        #expect(told.video.map(\.pts) == times(25, from: 8_000_000, step: 3600) + times(25, from: joint, step: 3600))
        #expect(told.audio.map(\.pts) == times(42, from: 8_000_000, step: 2160) + times(42, from: joint, step: 2160))
    }

    @Test("a stated discontinuity makes a jump of a smaller step")
    func stated() throws {
        for discontinuity in [false, true] {
            var writer = StreamWriter()
            SampleStream.write(into: &writer, from: 90_000)
            SampleStream.write(into: &writer, from: 90_000 + 5 * 90_000, discontinuity: discontinuity)
            let told = try read(writer.bytes)
            #expect(told.jumps == (discontinuity ? 1 : 0))
        }
    }

    @Test("one wrong time does not move what follows it")
    func glitch() {
        var clock = TransportClock()
        for step in 0..<10 { #expect(clock.time(UInt64(step) * 3600, stream: 0).time == Int64(step) * 3600) }
        #expect(clock.time(50_000_000, stream: 0).isJump)
        for step in 11..<20 {
            let (time, isJump) = clock.time(UInt64(step) * 3600, stream: 0)
            #expect(time == Int64(step) * 3600 && !isJump)
        }
    }

    @Test("a stream that is behind at a joint keeps its time")
    func behind() {
        var clock = TransportClock()
        for step in 0..<10 as Range<UInt64> {
            _ = clock.time(1_000_000 + step * 3600, stream: 0)
            _ = clock.time(1_000_000 + step * 3600, stream: 1)
        }
        let jump = clock.time(500, stream: 0)
        #expect(jump.isJump && jump.time == 1_000_000 + 10 * 3600)
        let late = clock.time(1_000_000 + 10 * 3600, stream: 1)
        #expect(!late.isJump && late.time == 1_000_000 + 10 * 3600)
        let next = clock.time(500 + 3600, stream: 1)
        #expect(!next.isJump && next.time == jump.time + 3600)
    }

    @Test("a stream may be silent for long while others go on")
    func silence() {
        var clock = TransportClock()
        _ = clock.time(0, stream: 1)
        for step in 0..<3000 as Range<UInt64> { #expect(clock.time(step * 3600, stream: 0) == (Int64(step) * 3600, false)) }
        #expect(clock.time(2999 * 3600, stream: 1) == (2999 * 3600, false))
    }

    @Test("a reference picks the turn of the counter")
    func reference() {
        var clock = TransportClock(reference: 0x1_FFFF_FF00)
        #expect(clock.time(5, stream: 0).time == 0x2_0000_0005)
    }
}
