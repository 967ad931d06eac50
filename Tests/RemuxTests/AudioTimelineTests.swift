import Testing

@testable import Remux

@Suite("Times of sound")
struct AudioTimelineTests {
    private func timings(_ frames: [(time: Int64?, duration: Int64)], tolerance: Int64) -> [SampleTiming] {
        var timeline = AudioTimeline(tolerance: tolerance)
        var result: [SampleTiming] = []
        for frame in frames {
            if let timing = timeline.push(time: frame.time, duration: frame.duration) { result.append(timing) }
        }
        if let last = timeline.finish() { result.append(last) }
        return result
    }

    @Test("times that are rounded to milliseconds make no gaps")
    func rounded() {
        let frames = (0..<1000).map { index in
            // 1024 samples of 44.1 kHz, told in whole milliseconds
            (time: Int64((Double(index) * 1024 / 44.1).rounded() * 44.1) as Int64?, duration: 1024 as Int64)
        }
        let timings = timings(frames, tolerance: 46)
        #expect(timings.map(\.decode) == (0..<1000).map { $0 * 1024 })
        #expect(timings.allSatisfy { $0.duration == 1024 })
    }

    @Test("a gap makes the frame before it longer, and an overlap shorter")
    func gaps() {
        let timings = timings([(0, 100), (100, 100), (500, 100), (560, 100)], tolerance: 10)
        #expect(timings.map(\.decode) == [0, 100, 500, 560])
        #expect(timings.map(\.duration) == [100, 400, 60, 100])
    }

    @Test("frames that begin before their predecessor follow it at once, and those behind keep their times")
    func backward() {
        #expect(timings([(1000, 100), (950, 100), (1050, 100), (1150, 100)], tolerance: 10).map(\.decode) == [1000, 1001, 1050, 1150])
    }

    @Test("frames of a lace follow each other without times of their own")
    func laces() { #expect(timings([(480, 960), (nil, 960), (nil, 480), (2881, 960)], tolerance: 50).map(\.decode) == [480, 1440, 2400, 2880]) }
}

@Suite("Clocks")
struct ClockTests {
    @Test(
        "times are rounded to the nearest tick, halves away from zero",
        arguments: [(1_000_000, 90), (5556, 1), (5555, 0), (-5556, -1), (-1_000_000, -90), (3_600_000_000_000_000, 324_000_000_000)]
            as [(Int64, Int64)])
    func nanoseconds(_ time: Int64, _ ticks: Int64) { #expect(Clock(rate: 90000).ticks(nanoseconds: time) == ticks) }

    @Test("what would overflow is held at the ends")
    func overflow() {
        #expect(Clock(rate: .max).ticks(nanoseconds: .max) == 1 << 62)
        #expect(Clock(rate: .max).ticks(nanoseconds: .min) == -(1 << 62))
        #expect(Clock(rate: 1).nanoseconds(.max) == 1 << 62)
    }

    @Test("a millisecond clock survives the way to 90 kHz and back", arguments: [0, 1, 33, 1_000_003, 86_400_000] as [Int64])
    func wayBack(_ milliseconds: Int64) {
        let clock = Clock(rate: 90000)
        #expect(clock.nanoseconds(clock.ticks(nanoseconds: milliseconds * 1_000_000)) == milliseconds * 1_000_000)
    }
}
