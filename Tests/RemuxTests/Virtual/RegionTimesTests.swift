import TestSupport
import Testing

@testable import Remux

@Suite("Times of a region's samples")
struct RegionTimesTests {
    /// Presentation in decoding order: groups of a picture and the B pictures before it.
    private func reordered(_ count: Int, depth: Int, step: Int64, jitter: Int64, _ random: inout RepeatableRandom) -> [Int64] {
        var result: [Int64] = []
        while result.count < count {
            let base = result.count
            let group = min(1 + Int(random.next() % UInt64(depth + 1)), count - base)
            result += [base + group - 1].map { Int64($0) } + (base..<base + group - 1).map { Int64($0) }
        }
        return result.map { $0 * step + (jitter > 0 ? Int64(random.next() % UInt64(jitter)) : 0) }
    }

    @Test("pictures are shown exactly when the source says, and decoded before, in order, over every border of regions")
    func pictures() {
        var random = RepeatableRandom.forTest()
        for round in 0..<300 {
            // In a group of depth + 1 one picture waits for depth others: the others come in order, so that the depth is 1.
            let depth = Int(random.next() % 5), step: Int64 = [3600, 3003, 90][round % 3]
            let jitter: Int64 = round % 2 == 0 ? 0 : step * 2 / 5
            let shown = reordered(120, depth: depth, step: step, jitter: jitter, &random)
            let reorder = max(depth, 1), delay = Int64(reorder) * step + 180
            var previous = Int64.min, start = 0
            while start < shown.count {
                let end = min(shown.count, start + 1 + Int(random.next() % 20))
                let own = shown[start..<end].map { $0 + delay }, ahead = shown[end...].prefix(reorder + 1).map { $0 + delay }
                let times = RegionVideoTimes.times(own, ahead: ahead, reorder: reorder, delay: delay, frame: step)
                var decode = Int64(times.decode)
                #expect(times.durations.count == own.count)
                for index in own.indices {
                    let offset = times.offsets.isEmpty ? 0 : Int64(times.offsets[index])
                    #expect(decode >= previous && offset >= 0, "round \(round), seed \(random.seed)")
                    #expect(decode + offset == own[index], "round \(round), seed \(random.seed)")
                    previous = decode
                    decode += Int64(times.durations[index])
                }
                start = end
            }
        }
    }

    @Test("equal steps need no more than an offset for each picture")
    func uniform() {
        let times = RegionVideoTimes.times([3600, 14400, 7200, 10800].map { $0 + 7380 }, ahead: [18000 + 7380], reorder: 1, delay: 7380, frame: 3600)
        #expect(times.decode == 3600)
        #expect(times.durations == [3600, 3600, 3600, 3600])
        #expect(RegionVideoTimes.times([0, 40, 80], ahead: [120], reorder: 0, delay: 0, frame: 40).offsets.isEmpty)
    }

    @Test("stated decoding times are kept; the last picture lasts until the next region's first")
    func stated() {
        let samples = [(0, 80), (40, 160), (80, 80)].map { VirtualSample(content: .bytes([]), time: $0.1, decode: $0.0, isSync: false) }
        let times = RegionVideoTimes.stated(samples, next: 125, frame: 40)
        #expect(times == SampleTimes(decode: 0, durations: [40, 40, 45], offsets: [80, 120, 0]))
        #expect(RegionVideoTimes.stated(samples, next: nil, frame: 40).durations == [40, 40, 40])
    }

    private func sound(_ times: [Int64?], duration: Int64? = nil) -> [VirtualSample] {
        times.map { VirtualSample(content: .bytes([]), time: $0, duration: duration, isSync: true) }
    }

    @Test("rounded times are put on the grid of the track, wherever a region begins")
    func grid() {
        let rounded = (0..<200).map { Int64((Double($0) * 1024 / 48).rounded()) * 48 + 500 }
        for start in stride(from: 0, to: 190, by: 7) {
            let times = RegionAudioTimes.times(sound(Array(rounded[start..<start + 10])), usual: 1024, first: 500, tolerance: 50)
            #expect(times.decode == UInt64(500 + 1024 * start))
            #expect(times.durations.allSatisfy { $0 == 1024 })
        }
    }

    @Test("gaps stay where they are; a lace has one time; a wrong time back is passed over")
    func gaps() {
        let gap = RegionAudioTimes.times(sound([100, 1124, 9000, nil]), usual: 1024, first: 0, tolerance: 50)
        #expect(gap == SampleTimes(decode: 100, durations: [1024, 7876, 1024, 1024]))
        let back = RegionAudioTimes.times(sound([5000, 0, 7048]), usual: 1024, first: nil, tolerance: 50)
        #expect(back.durations == [1024, 1024, 1024])
        let early = RegionAudioTimes.times(sound([5000, 5800, 6824]), usual: 1024, first: nil, tolerance: 50)
        #expect(early.durations == [800, 1024, 1024])
        let own = RegionAudioTimes.times(sound([960, 1920], duration: 960), usual: 480, first: 10, tolerance: 50)
        #expect(own == SampleTimes(decode: 960, durations: [960, 960]))
    }

    @Test("texts are cut where the next begins, with empty samples in gaps; those of one time share a sample")
    func texts() {
        func text(_ start: Int64, _ duration: Int64?, _ text: String) -> VirtualSample {
            VirtualSample(content: .bytes([0, UInt8(text.utf8.count)] + Array(text.utf8)), time: start, duration: duration, isSync: true)
        }
        let (samples, times) = RegionText.samples([
            text(1000, 5000, "a"), text(2000, 500, "b"), text(2000, 700, "c"), text(9000, nil, "d"), text(8000, 100, "e"),
        ])
        let bytes = samples.map { if case .bytes(let bytes) = $0.content { String(decoding: bytes.dropFirst(2), as: UTF8.self) } else { "?" } }
        #expect(bytes == ["a", "b\nc", "", "e", "", "d"])
        #expect(times == SampleTimes(decode: 1000, durations: [1000, 700, 5300, 100, 900, 5000]))
    }
}
