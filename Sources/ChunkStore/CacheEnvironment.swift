internal import Glibc

/// What the store asks of the machine; tests bring their own.
package struct CacheEnvironment: Sendable {
    /// Milliseconds since 1970, for the order of use. A few milliseconds coarse, since every read asks.
    package var now: @Sendable () -> UInt64
    /// Bytes that the file system of this directory has left for us; `nil` when it does not tell.
    package var freeBytes: @Sendable (_ directory: String) -> UInt64?
    /// Milliseconds after a failed write until the next one is tried.
    package var retryMilliseconds: UInt64
    /// Milliseconds between writings of the index.
    package var flushMilliseconds: Int
    /// Milliseconds that a `write` waits for a full queue before its block is dropped.
    package var queueMilliseconds: UInt64

    package init(
        now: @escaping @Sendable () -> UInt64, freeBytes: @escaping @Sendable (String) -> UInt64?, retryMilliseconds: UInt64 = 30000,
        flushMilliseconds: Int = 5000, queueMilliseconds: UInt64 = 2000
    ) {
        self.now = now
        self.freeBytes = freeBytes
        self.retryMilliseconds = retryMilliseconds
        self.flushMilliseconds = flushMilliseconds
        self.queueMilliseconds = queueMilliseconds
    }

    package static let system = CacheEnvironment(
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME_COARSE, &time)
            return UInt64(max(0, time.tv_sec)) * 1000 + UInt64(max(0, time.tv_nsec)) / 1_000_000
        },
        freeBytes: { directory in
            var information = statvfs()
            guard statvfs(directory, &information) == 0 else { return nil }
            let (bytes, overflow) = UInt64(information.f_bavail).multipliedReportingOverflow(by: UInt64(information.f_frsize))
            return overflow ? .max : bytes
        })
}
