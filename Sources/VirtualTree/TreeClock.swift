package import Bytes
internal import Dispatch
internal import Glibc

/// Where time comes from. Tests turn their own.
package protocol TreeClock: Sendable {
    /// Since some moment that never changes while the process lives; it does not jump.
    var now: Duration { get }
    /// The time of day, for what is kept across runs.
    var wall: UnixTime { get }
    /// Calls `action` once, from a thread of the clock, when `delay` is over.
    func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void)
}

/// The system's clocks; timers run on a queue of their own.
package struct SystemClock: TreeClock {
    private let queue = DispatchQueue(label: "reelfs.tree.timers")

    package init() {}

    package var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    package var wall: UnixTime { UnixTime(seconds: Int64(Glibc.time(nil))) }

    package func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
        let parts = max(delay, .zero).components
        let nanoseconds = min(parts.seconds, 1 << 32) * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds)), execute: action)
    }
}
