/// How much disk the cache may take.
package struct CacheLimits: Hashable, Sendable {
    /// Allocated bytes of everything in the cache directory, the index included.
    package var maximumBytes: UInt64
    /// Bytes that stay free on the file system (as `df` says available), whoever used up the rest.
    package var minimumFreeBytes: UInt64

    package init(maximumBytes: UInt64, minimumFreeBytes: UInt64) {
        self.maximumBytes = maximumBytes
        self.minimumFreeBytes = minimumFreeBytes
    }
}
