import Bytes
import Synchronization
import VirtualTree

/// Time that passes when a test says so.
final class ManualClock: TreeClock {
    private struct State {
        var now: Duration = .seconds(1000)
        var timers: [(at: Duration, action: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    var now: Duration { state.withLock { $0.now } }

    var wall: UnixTime { UnixTime(seconds: 1_800_000_000 + now.components.seconds) }

    func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.timers.append(($0.now + delay, action)) }
    }

    /// Lets time pass; timers that are due run here, in their order.
    func advance(_ duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let due = state.timers.filter { $0.at <= state.now }.sorted { $0.at < $1.at }
            state.timers.removeAll { $0.at <= state.now }
            return due
        }
        for timer in due { timer.action() }
    }
}
