internal import Diagnostics
internal import Dispatch
internal import SourceAPI

/// What all objects of one read path share.
final class ReadShared: Sendable {
    let limits: ReadLimits
    let log: Log
    let counters = ReadCounters()
    let budget: ReadBudget
    let recent: RecentBlocks
    /// Deadlines, pauses and cancelled reads: nothing that blocks. Not the caller's thread, so that nobody is called
    /// back from inside their own call.
    private let queue = DispatchQueue(label: "reelfs.read-path")

    init(limits: ReadLimits, log: Log) {
        self.limits = limits
        self.log = log
        budget = ReadBudget(memory: limits.memory, readAhead: limits.readAheadTotal)
        recent = RecentBlocks(limit: limits.recentBytes)
    }

    func soon(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func at(_ instant: SuspendingClock.Instant, _ work: @escaping @Sendable () -> Void) {
        let parts = SuspendingClock.now.duration(to: instant).components
        // One millisecond late rather than early: an early call would find nothing due.
        let nanoseconds = max(
            0, parts.seconds > 1_000_000 ? 1_000_000_000_000_000 : parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds) + 1_000_000), execute: work)
    }
}
