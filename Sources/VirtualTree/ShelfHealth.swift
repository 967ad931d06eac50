package import Bytes

/// How a source does, for `status` and `doctor`.
package struct ShelfHealth: Sendable {
    package enum State: String, Sendable {
        /// Nothing was asked yet.
        case unknown
        case healthy
        /// It failed, and the next request will try again.
        case failing
        /// It failed, and requests are answered for it until the pause is over.
        case resting
    }

    package var state: State = .unknown
    package var lastSuccess: UnixTime?
    package var lastFailure: UnixTime?
    /// The last failure, for people; `nil` after a success.
    package var lastError: String?
    /// Whether listings are shown that are older than they should be.
    package var isStale = false
    /// Directories and entries in memory.
    package var directories = 0
    package var entries = 0
    /// Requests since the start: listings, and sizes that listings did not tell.
    package var listings: UInt64 = 0
    package var failedListings: UInt64 = 0
    package var probes: UInt64 = 0
    package var failedProbes: UInt64 = 0
    package var openFiles = 0

    package init() {}
}
