import Testing

@testable import MediaFiles

@Suite("Wrong times of Clusters")
struct ClusterTimesTests {
    /// The shifts for Clusters with these Timestamps, in milliseconds, each with blocks at 0, 500 and 1000 behind it.
    private func shifts(_ stated: [Int64], duration: UInt64? = nil) -> [Int64] {
        var times = ClusterTimes(scale: 1_000_000, duration: duration.map { $0 * 1_000_000 })
        return stated.indices.map { index in
            _ = times.begin(stated[index]) { index + 1 < stated.count ? stated[index + 1] : nil }
            for block in [Int64(0), 500, 1000] { times.see(stated[index] &+ block &+ times.shift) }
            return times.shift
        }
    }

    @Test("times that follow each other are left alone, pauses and a late start too")
    func sound() {
        #expect(shifts([0, 1500, 3000, 4500]) == [0, 0, 0, 0])
        #expect(shifts([0, 1500, 3_601_500, 3_603_000]) == [0, 0, 0, 0])
        #expect(shifts([7_200_000, 7_201_500, 7_203_000]) == [0, 0, 0])
        #expect(shifts([0, 1500, 900_000], duration: 901_000) == [0, 0, 0])
        // Clusters of one frame, in decoding order; and the same behind a pause.
        #expect(shifts([0, 43, 107, 40, 120, 213, 200]) == [0, 0, 0, 0, 0, 0, 0])
        #expect(shifts([0, 43, 60_107, 60_040, 60_120]) == [0, 0, 0, 0, 0])
    }

    @Test("one far ahead or far behind goes between its neighbours")
    func outliers() {
        #expect(shifts([0, 1500, 1_050_000, 4500, 6000]) == [0, 0, 3000 - 1_050_000, 0, 0])
        #expect(shifts([50_000, 51_500, 0, 54_500]) == [0, 0, 53_000, 0])
        #expect(shifts([1 << 60, 1500, 3000]) == [-(1 << 60), 0, 0])
    }

    @Test("the last one is believed up to ten seconds behind the film's end")
    func last() {
        #expect(shifts([0, 1500, 14_000], duration: 4500) == [0, 0, 0])
        #expect(shifts([0, 1500, 1 << 40], duration: 4500) == [0, 0, 3000 - (1 << 40)])
        #expect(shifts([0, 1500, 1 << 40]) == [0, 0, 0])
    }

    @Test("numbers at their extremes trap nothing")
    func extremes() {
        let values: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for first in values {
            for second in values {
                for third in values { #expect(shifts([first, second, third], duration: .max / 1_000_000).count == 3) }
            }
        }
    }
}
