package import Bytes
package import ListingStore
package import SourceAPI

/// Where listings outlive the process. Calls may touch the disk: the tree makes them from a queue of its own.
package protocol ListingArchive: AnyObject, Sendable {
    func load(source: String, directory: EntryLocator) -> StoredListing?
    func save(source: String, directory: EntryLocator, listing: DirectoryListing, listedAt: UnixTime)
    /// A size that the listing did not tell, learned since.
    func record(source: String, directory: EntryLocator, probed: RemoteEntry)
    /// How often this content changed in a way that only a read could see.
    func revision(cacheKey: String) -> UInt64
    func bumpRevision(cacheKey: String)
}

extension ListingStore: ListingArchive {}
