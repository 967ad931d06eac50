internal import CFuse
internal import Glibc

/// A value under a lock, with a condition: threads wait until the value is as they need it. For threads that may block;
/// tasks may not.
///
/// SAFETY: `state` is touched only between lock and unlock of `mutex`; the pthread objects live as long as the monitor.
final class Monitor<State: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Reads or changes the value, then wakes whoever waits for it.
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Waits until `body` gives something.
    ///
    /// - Parameter limit: how long at most; `nil` waits for ever.
    /// - Returns: what `body` gave, or `nil` when the time was over.
    func wait<Result>(within limit: Duration?, until body: (inout State) -> Result?) -> Result? {
        let deadline = limit.map(Self.deadline)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            if var deadline {
                if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return body(&state) }
            } else {
                pthread_cond_wait(condition, mutex)
            }
        }
    }

    private static func deadline(in limit: Duration) -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let (seconds, attoseconds) = limit.components
        let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
        return timespec(tv_sec: now.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    }
}

extension Monitor where State == Bool {
    /// Opens the gate: all waits end, now and later.
    func open() { change { $0 = true } }

    /// Whether the gate was opened within the time.
    func waitUntilOpen(within limit: Duration?) -> Bool { wait(within: limit) { $0 ? true : nil } ?? false }
}
