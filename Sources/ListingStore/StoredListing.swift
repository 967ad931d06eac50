package import Bytes
package import SourceAPI

/// A directory as it was last listed.
package struct StoredListing: Sendable {
    package var listing: DirectoryListing
    package var listedAt: UnixTime
    /// Of the entries whose content changed in a way that only a read could see: how often. Absent: never.
    package var revisions: [EntryLocator: UInt64]

    package init(listing: DirectoryListing, listedAt: UnixTime, revisions: [EntryLocator: UInt64] = [:]) {
        self.listing = listing
        self.listedAt = listedAt
        self.revisions = revisions
    }
}
