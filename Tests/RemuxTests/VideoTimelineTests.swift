import TestSupport
import Testing

@testable import Remux

@Suite("Decoding times of pictures")
struct VideoTimelineTests {
    /// Pushes all and finishes.
    private func timings(_ presentation: [Int64], delay: Int64, frame: Int64 = 40) -> [SampleTiming] {
        var timeline = VideoTimeline(delay: delay, frameDuration: frame)
        var result: [SampleTiming] = []
        for time in presentation {
            if let timing = timeline.push(time) { result.append(timing) }
        }
        return result + timeline.finish()
    }

    /// What must hold for any pictures.
    private func isSound(_ presentation: [Int64], delay: Int64) -> Bool {
        let timings = timings(presentation, delay: delay)
        guard timings.count == presentation.count else { return false }
        for (timing, time) in zip(timings, presentation) where timing.decode + timing.composition != time + delay || timing.composition < 0 {
            return false
        }
        for (timing, next) in zip(timings, timings.dropFirst()) where next.decode < timing.decode || timing.duration != next.decode - timing.decode {
            return false
        }
        return true
    }

    @Test("pictures in order are decoded when they are shown")
    func inOrder() {
        #expect(
            timings([0, 40, 80], delay: 0) == [
                SampleTiming(decode: 0, composition: 0, duration: 40), SampleTiming(decode: 40, composition: 0, duration: 40),
                SampleTiming(decode: 80, composition: 0, duration: 40),
            ])
    }

    @Test("two B pictures are decoded behind the picture they wait for")
    func reordered() {
        let timings = timings([0, 120, 40, 80, 240, 160, 200], delay: 40)
        #expect(timings.map(\.decode) == [0, 40, 80, 120, 160, 200, 240])
        #expect(timings.map(\.composition) == [40, 120, 0, 0, 120, 0, 0])
    }

    @Test("random orders, steps and delays keep presentation exact, decoding in order and never behind presentation")
    func random() {
        var random = RepeatableRandom(seed: 7)
        for _ in 0..<300 {
            let count = Int.random(in: 1...80, using: &random)
            var time = Int64.random(in: -1000...1000, using: &random)
            var times: [Int64] = []
            for _ in 0..<count {
                times.append(time)
                time += Int64.random(in: 0...90, using: &random)
            }
            // Shuffled inside groups of at most sixteen.
            var shuffled: [Int64] = []
            while shuffled.count < count {
                let size = Int.random(in: 1...16, using: &random)
                shuffled += times[shuffled.count..<min(shuffled.count + size, count)].shuffled(using: &random)
            }
            let delay = Int64.random(in: 0...200, using: &random)
            #expect(isSound(shuffled, delay: delay), "\(shuffled) delay \(delay)")
        }
    }

    @Test("the last picture lasts as long as a frame")
    func lastDuration() { #expect(timings([0, 40], delay: 0, frame: 33).last?.duration == 33) }

    @Test("no pictures, no times")
    func empty() { #expect(timings([], delay: 5).isEmpty) }
}
