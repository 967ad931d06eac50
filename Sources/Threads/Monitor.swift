internal import Glibc

/// A lock with a condition to wait for. Not recursive.
///
/// SAFETY: the pthread objects live at one address from init to deinit and are made for use from many threads.
package final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
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

    package func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Releases the lock until `signal` or until then, whichever is first (`nil`: for ever); may also return earlier.
    /// Only inside `locked`.
    package func wait(until deadline: Deadline?) {
        if var end = deadline?.time { pthread_cond_timedwait(condition, mutex, &end) } else { pthread_cond_wait(condition, mutex) }
    }

    /// The same, for a time from now.
    package func wait(milliseconds: Int) { wait(until: Deadline(in: .milliseconds(milliseconds))) }

    /// Wakes all who wait.
    package func signal() { pthread_cond_broadcast(condition) }

    /// A moment of the clock that no change of the date moves.
    package struct Deadline: Sendable {
        fileprivate let time: timespec

        package init(in limit: Duration) {
            let now = Deadline.now()
            let (seconds, attoseconds) = limit.components
            let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
            time = timespec(tv_sec: now.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
        }

        package var isOver: Bool {
            let now = Deadline.now()
            return (now.tv_sec, now.tv_nsec) >= (time.tv_sec, time.tv_nsec)
        }

        private static func now() -> timespec {
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            return now
        }
    }
}
