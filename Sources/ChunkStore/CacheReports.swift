package import Bytes

/// One object, as `cache list` and `cache show` tell it.
package struct CachedObjectSummary: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
        /// Kept, nobody has it open.
        case kept
        /// Kept and open.
        case open
        /// Open, and forgotten at the last close: its version cannot be told, or it is gone upstream.
        case passing
    }

    package var key: String
    package var label: ObjectLabel
    package var version: ObjectVersion
    package var pinned: String?
    /// Bytes of the file that are here.
    package var cachedBytes: UInt64
    /// Bytes that they take on disk, map included.
    package var allocatedBytes: UInt64
    package var lastUse: UnixTime
    package var state: State
}

/// What a check of stored blocks found.
package struct CacheVerification: Hashable, Sendable {
    package var objects: UInt64 = 0
    package var checkedBlocks: UInt64 = 0
    package var checkedBytes: UInt64 = 0
    /// Blocks whose checksum was wrong; they are dropped.
    package var badBlocks: UInt64 = 0
    /// Whether it was stopped before its end.
    package var isPartial = false

    package init() {}
}

/// Counts since the store was opened, and what it holds now.
package struct CacheStatistics: Hashable, Sendable {
    /// Reads that were answered whole, and those that were not.
    package var hits: UInt64 = 0
    package var misses: UInt64 = 0
    /// Bytes given to readers.
    package var readBytes: UInt64 = 0
    package var writtenBlocks: UInt64 = 0
    /// Blocks that were not stored: disk full or unwritable, no room within the limits, or the disk too slow.
    package var droppedBlocks: UInt64 = 0
    package var badBlocks: UInt64 = 0
    package var evictedBlocks: UInt64 = 0
    /// Allocated bytes on disk, and bytes that wait in memory to be stored.
    package var usedBytes: UInt64 = 0
    package var queuedBytes: UInt64 = 0
    package var objects: UInt64 = 0
    package var limits: CacheLimits

    package init(limits: CacheLimits) { self.limits = limits }
}
