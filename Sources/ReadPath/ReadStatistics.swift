internal import Diagnostics

/// The read path in numbers, since it started. Rates are for who polls: differences of two snapshots.
package struct ReadStatistics: Sendable {
    /// Reads answered from the cache at once, and reads that had to wait for bytes.
    package var hits: UInt64 = 0
    package var misses: UInt64 = 0
    /// Reads that ended with an error, cancelled ones not counted.
    package var failures: UInt64 = 0
    package var bytesServed: UInt64 = 0
    /// Bytes received from origins, and how many of them arrived in transfers that were started ahead of any reader.
    package var bytesFetched: UInt64 = 0
    package var bytesReadAhead: UInt64 = 0
    /// Transfers started.
    package var fetches: UInt64 = 0
    package var retries: UInt64 = 0
    /// Now: reads that wait, open handles, objects with a handle.
    package var waiting: UInt64 = 0
    package var openHandles: UInt64 = 0
    package var openObjects: UInt64 = 0
    /// Bytes of waiting reads and unfinished blocks, now and at most.
    package var memory: UInt64 = 0
    package var memoryPeak: UInt64 = 0

    package init() {}
}

/// The counters behind `ReadStatistics`.
final class ReadCounters: Sendable {
    let hits = Counter(), misses = Counter(), failures = Counter(), bytesServed = Counter(), bytesFetched = Counter(), bytesReadAhead = Counter()
    let fetches = Counter(), retries = Counter(), waiting = Counter(), openHandles = Counter()
}
