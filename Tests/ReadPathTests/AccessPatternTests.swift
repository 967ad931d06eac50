import Bytes
import OffPool
import Testing

@testable import ReadPath

@Suite(.offPool) struct AccessPatternTests {
    private static let size: UInt64 = 1 << 30

    private func pattern() -> AccessPattern { AccessPattern(size: Self.size, leastWindow: 256 << 10, largestWindow: 32 << 20) }

    private func read(_ offset: UInt64, _ count: UInt64 = 128 << 10) -> FileRange { FileRange(offset: offset, count: count, fileSize: Self.size) }

    private func windows(_ pattern: inout AccessPattern, _ reads: [FileRange], share: UInt64 = .max) -> [FileRange] {
        reads.compactMap { if case .ahead(let range) = pattern.note($0, share: share) { range } else { nil } }
    }

    @Test("a sequential reader's window grows with what it read in a row, up to the largest")
    func grows() {
        var pattern = pattern()
        let windows = windows(&pattern, (0..<1024).map { read($0 << 17) })
        #expect(windows.first == FileRange(offset: 256 << 10, end: 768 << 10))
        #expect(zip(windows, windows.dropFirst()).allSatisfy { $0.count <= $1.count && $0.end <= $1.end })
        #expect(windows.last?.count == 32 << 20)
        #expect(windows.count < 24, "\(windows.count) windows for 128 MiB")
        #expect(pattern.isSequential)
    }

    @Test("reads of a run may arrive slightly out of order", arguments: [2, 4, 8])
    func toleratesReordering(group: Int) {
        var pattern = pattern()
        var random = SeededRandom(seed: UInt64(group))
        var steps: [AccessPattern.Step] = [pattern.note(read(0), share: .max), pattern.note(read(1 << 17), share: .max)]
        for start in stride(from: 2, to: 400, by: group) {
            for number in (start..<start + group).shuffled(using: &random) { steps.append(pattern.note(read(UInt64(number) << 17), share: .max)) }
        }
        #expect(!steps.contains(.seek))
        #expect(pattern.isSequential)
        #expect(pattern.runs.count == 1)
        #expect(pattern.runs[0].early.isEmpty)
    }

    @Test("a small file is wanted whole once it is read from its start, and not when it is read elsewhere")
    func smallFiles() {
        func first(_ size: UInt64, at offset: UInt64) -> AccessPattern.Step {
            var pattern = AccessPattern(size: size, leastWindow: 256 << 10, largestWindow: 32 << 20, smallFile: 1 << 20)
            return pattern.note(FileRange(offset: offset, count: 4096, fileSize: size), share: .max)
        }
        #expect(first(1 << 20, at: 0) == .ahead(FileRange(offset: 4096, end: 1 << 20)))
        #expect(first(4096, at: 0) == .elsewhere)
        #expect(first(1 << 20, at: 4096) == .elsewhere)
        #expect(first(1 << 20 + 1, at: 0) == .elsewhere)
    }

    @Test("random reads get no window", arguments: [UInt64(1), 2, 3])
    func randomReads(seed: UInt64) {
        var pattern = pattern()
        var random = SeededRandom(seed: seed)
        let windows = windows(&pattern, (0..<2000).map { _ in read(UInt64.random(in: 0..<Self.size / 4096, using: &random) * 4096, 4096) })
        #expect(windows.isEmpty)
    }

    @Test("going elsewhere is a seek, and the window starts small again")
    func seeks() {
        var pattern = pattern()
        _ = windows(&pattern, (0..<256).map { read($0 << 17) })
        #expect(pattern.note(read(512 << 20), share: .max) == .seek)
        #expect(pattern.note(read(700 << 20), share: .max) == .elsewhere)
        #expect(pattern.note(read(512 << 20 + 1 << 17), share: .max) != .seek)
        #expect(pattern.isSequential)
        let windows = windows(&pattern, [read(512 << 20 + 2 << 17)])
        #expect(windows.allSatisfy { $0.count <= 1 << 20 })
    }

    @Test("a handle that goes back and forth between two places is sequential in both")
    func alternates() {
        var pattern = pattern()
        var seeks = 0
        var windows = 0
        for step in 0..<200 {
            let place: UInt64 = step % 2 == 0 ? 0 : 512 << 20
            switch pattern.note(read(place + UInt64(step / 2) << 17), share: .max) {
            case .seek: seeks += 1
            case .ahead: windows += 1
            case .quiet, .elsewhere: break
            }
        }
        #expect(seeks == 0)
        #expect(windows > 20)
        #expect(pattern.keepsEarlierWindows)
    }

    @Test("a window is no larger than its share, and never smaller than the least")
    func sharesWindows() {
        var pattern = pattern()
        let windows = windows(&pattern, (0..<256).map { read($0 << 17) }, share: 1 << 20)
        #expect(windows.map(\.count).max() == 1 << 20)
        var poor = self.pattern()
        #expect(self.windows(&poor, (0..<256).map { read($0 << 17) }, share: 0).map(\.count).max() == 256 << 10)
    }

    @Test("no window reaches past the end")
    func endsAtTheEnd() {
        var pattern = AccessPattern(size: 1_000_000, leastWindow: 256 << 10, largestWindow: 32 << 20)
        let reads = (0..<8).map { FileRange(offset: $0 << 17, count: 1 << 17, fileSize: 1_000_000) }
        let windows = windows(&pattern, reads)
        #expect(windows.allSatisfy { $0.end <= 1_000_000 && !$0.isEmpty })
        #expect(windows.last?.end == 1_000_000)
    }
}
