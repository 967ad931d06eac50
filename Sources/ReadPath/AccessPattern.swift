internal import Bytes

/// How one handle reads: which of its reads continue one another, and how far to read ahead of them. Pure.
///
/// The kernel's read-ahead sends several reads at once, and they arrive slightly out of order from several threads: a
/// read a little ahead of the front is remembered until the gap is filled, a read a little behind it is late, and
/// neither is a seek. A handle may have a few runs (a player that reads sound and picture from two places).
///
/// Invariants of a run: `front` is the end of the furthest read that was reached without a gap; every range of `early`
/// starts behind it; `length` is how many bytes were read in a row up to `front`.
struct AccessPattern: Sendable {
    struct Run: Sendable {
        var front: UInt64
        var length: UInt64
        var reads: Int
        /// Reads ahead of the front, waiting for the gap to be filled.
        var early: [FileRange] = []
        var lastUse: UInt64
    }

    /// What a read means for read-ahead.
    enum Step: Equatable, Sendable {
        /// Nothing new to fetch.
        case quiet
        /// The run goes on: bytes `range` should be here or on their way.
        case ahead(FileRange)
        /// The reader went elsewhere, and nothing was read ahead for it.
        case elsewhere
        /// The reader went elsewhere: what was read ahead for it is of no use.
        case seek

        /// Whether the read is the first one at its place.
        var isJump: Bool { self == .elsewhere || self == .seek }
        /// Whether who keeps the windows must hear of it.
        var movesWindow: Bool { self != .quiet && self != .elsewhere }
    }

    /// Reads this far from the front may still belong to the run: two of the kernel's largest read-ahead windows.
    static let slack: UInt64 = 2 << 20
    private static let runLimit = 3
    private static let earlyLimit = 24

    private let size: UInt64
    private let least: UInt64
    private let largest: UInt64
    /// A file up to this size is wanted whole once it is read from its start: it costs one round trip then.
    private let small: UInt64
    private(set) var runs: [Run] = []
    private var clock: UInt64 = 0
    /// The end of what `ahead` last asked for, while the same run goes on: `advance` is asked again only when half of it is used.
    private var plannedEnd: UInt64 = 0
    /// Whether `ahead` was said since the last `seek`.
    private var hasWindow = false
    /// Whether the handle returned to an earlier run lately: then it reads from two places, and neither is a seek.
    private var alternates = false

    init(size: UInt64, leastWindow: UInt64, largestWindow: UInt64, smallFile: UInt64 = 0) {
        self.size = size
        least = leastWindow
        largest = largestWindow
        small = smallFile
    }

    /// Whether the run last used is sequential: read-ahead is on.
    var isSequential: Bool { current.map { runs[$0].reads >= 2 } ?? false }

    private var current: Int? { runs.indices.max { runs[$0].lastUse < runs[$1].lastUse } }

    /// - Parameter share: the largest window that is fair to others now.
    mutating func note(_ range: FileRange, share: UInt64) -> Step {
        clock += 1
        let before = current
        guard let index = match(range) else { return begin(range) }
        let returned = index != before && before != nil
        if returned {
            alternates = true
            plannedEnd = 0
        }
        runs[index].lastUse = clock
        let moved = extend(index, with: range)
        guard moved || returned else { return .quiet }
        return advance(runs[index], share: share)
    }

    private mutating func begin(_ range: FileRange) -> Step {
        if runs.count == Self.runLimit, let oldest = runs.indices.min(by: { runs[$0].lastUse < runs[$1].lastUse }) { runs.remove(at: oldest) }
        let isFirst = runs.isEmpty
        runs.append(Run(front: range.end, length: range.count, reads: 1, lastUse: clock))
        plannedEnd = 0
        alternates = false
        if isFirst, range.offset == 0, size <= small, range.end < size {
            plannedEnd = size
            hasWindow = true
            return .ahead(FileRange(offset: range.end, end: size))
        }
        defer { hasWindow = false }
        return hasWindow ? .seek : .elsewhere
    }

    /// The run that `range` belongs to: one it touches before one it is only near to.
    private func match(_ range: FileRange) -> Int? {
        for index in runs.indices where range.offset <= runs[index].front && range.end >= runs[index].front { return index }
        return runs.indices.filter { index in
            let run = runs[index]
            // A lone read has no run to be late for: only what a running reader does is forgiven.
            let reach = run.reads >= 2 ? Self.slack : min(Self.slack, run.length * 4)
            return range.offset > run.front ? range.offset - run.front <= reach : run.front - range.offset <= reach
        }.max { runs[$0].lastUse < runs[$1].lastUse }
    }

    /// - Returns: whether the front moved.
    private mutating func extend(_ index: Int, with range: FileRange) -> Bool {
        let front = runs[index].front
        if range.offset <= front {
            guard range.end > front else { return false }
            runs[index].reads += 1
            runs[index].length += range.end - front
            runs[index].front = range.end
            absorb(index)
            return true
        }
        runs[index].early.append(range)
        guard runs[index].early.count > Self.earlyLimit || earlyBytes(index) > Self.slack else { return false }
        // The gap is not going to be filled: the run goes on behind it.
        let start = runs[index].early.map(\.offset).min() ?? range.offset
        runs[index].front = start
        runs[index].length = 0
        runs[index].reads = 0
        absorb(index)
        return runs[index].reads >= 2
    }

    private func earlyBytes(_ index: Int) -> UInt64 { runs[index].early.reduce(0) { $0 + $1.count } }

    private mutating func absorb(_ index: Int) {
        while let next = runs[index].early.firstIndex(where: { $0.offset <= runs[index].front }) {
            let range = runs[index].early.remove(at: next)
            guard range.end > runs[index].front else { continue }
            runs[index].reads += 1
            runs[index].length += range.end - runs[index].front
            runs[index].front = range.end
        }
    }

    private mutating func advance(_ run: Run, share: UInt64) -> Step {
        guard run.reads >= 2, run.front < size else { return .quiet }
        let length = run.length > largest ? largest : run.length * 2
        var window = min(length, largest, max(share, least))
        // Once a stretch worth a request was read in a row, the window is at least that; before, it only doubles.
        if run.length >= least / 2 { window = max(window, least) }
        let end = FileRange(offset: run.front, count: window, fileSize: size).end
        guard plannedEnd <= run.front || plannedEnd - run.front < window / 2 || (end == size && plannedEnd < size) else { return .quiet }
        plannedEnd = max(end, plannedEnd)
        hasWindow = true
        return .ahead(FileRange(offset: run.front, end: end))
    }

    /// The windows that stay of use: of the current run, and of an earlier one while the handle goes back and forth.
    var keepsEarlierWindows: Bool { alternates }
}
