/// What bounds the read path. The defaults are the product's; tests shrink them.
package struct ReadLimits: Sendable {
    /// A read that is not answered by then fails with `.timedOut`. Also the time a whole fetch goes on without any new block.
    package var deadline: Duration = .seconds(60)
    /// How long after that reads of the same file fail at once, unless bytes come: programs that waited behind the kernel's
    /// own read-ahead ask only then, and each would wait as long again.
    package var vainTime: Duration = .seconds(2)
    /// First and longest pause before a transient fault is tried again; it doubles in between.
    package var firstPause: Duration = .milliseconds(250)
    package var longestPause: Duration = .seconds(8)
    /// How long read-ahead of an object rests after an origin refused it for good.
    package var readAheadRest: Duration = .seconds(5)
    /// A sequential reader's window: the least that is worth a request of its own, and the most. 32 MiB is four ranges
    /// of 8 MiB: enough for 100 MB/s at 300 ms, and a range's request costs nothing against its transfer.
    package var leastWindow: UInt64 = 256 << 10
    package var largestWindow: UInt64 = 32 << 20
    /// A file up to this size is fetched whole with its first read, if that is at its start.
    package var smallFile: UInt64 = 1 << 20
    /// Read-ahead is cut into ranges between these; shorter ones cost round trips, longer ones are lost more often on a seek.
    package var leastSegment: UInt64 = 1 << 20
    package var largestSegment: UInt64 = 8 << 20
    /// Read-ahead transfers of one object at a time.
    package var transfers = 4
    /// A read this far from where a transfer is gets a transfer of its own after a seek.
    package var joinDistance: UInt64 = 1 << 20
    /// Bytes asked ahead of readers and not yet here, all objects together; shared evenly between sequential readers.
    package var readAheadTotal: UInt64 = 128 << 20
    /// Received blocks that stay in memory, so that a block the cache could not keep is not lost before it is read.
    package var recentBytes: UInt64 = 32 << 20
    /// Above this many bytes in waiting reads and unfinished blocks nothing is read ahead.
    package var memory: UInt64 = 128 << 20
    /// An origin without ranges: reads further ahead of what its stream ever reached fail at once.
    package var streamLead: UInt64 = 64 << 20
    /// An origin without ranges: how far the stream may run ahead of the furthest reader before it is stopped. Far,
    /// since going on costs each byte once, and starting again costs all bytes from the first.
    package var streamRunAhead: UInt64 = 1 << 30
    /// The largest file that is fetched whole only to learn its size.
    package var spoolBytes: UInt64 = 64 << 20
    /// Multiplies each pause, so that many readers do not come back together. An input, so that tests are repeatable.
    package var jitter: @Sendable () -> Double = { Double.random(in: 0.75...1.25) }

    package init() {}
}

extension ReadLimits {
    /// The pause after `failures` faults in a row; an origin's Retry-After is a lower bound.
    func pause(failures: Int, retryAfter: Duration?) -> Duration {
        var pause = firstPause
        for _ in 1..<max(2, min(failures, 16)) where failures > 1 && pause < longestPause { pause *= 2 }
        pause = min(pause, longestPause) * jitter()
        return max(pause, retryAfter ?? .zero)
    }
}
