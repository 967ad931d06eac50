package import Bytes
internal import Glibc

/// Time and chance as retries need them.
package struct RetryClock: Sendable {
    /// Time that only goes on, from any start.
    package var elapsed: @Sendable () -> Duration
    package var wallTime: @Sendable () -> UnixTime
    /// Throws when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// 0..<1.
    package var random: @Sendable () -> Double

    package init(
        elapsed: @escaping @Sendable () -> Duration, wallTime: @escaping @Sendable () -> UnixTime,
        sleep: @escaping @Sendable (Duration) async throws -> Void, random: @escaping @Sendable () -> Double
    ) {
        self.elapsed = elapsed
        self.wallTime = wallTime
        self.sleep = sleep
        self.random = random
    }

    package static var system: RetryClock {
        let start = ContinuousClock.now
        return RetryClock(
            elapsed: { start.duration(to: .now) }, wallTime: { UnixTime(seconds: Int64(time(nil))) }, sleep: { try await Task.sleep(for: $0) },
            random: { Double.random(in: 0..<1) })
    }
}
