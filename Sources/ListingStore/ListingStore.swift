package import Bytes
package import Database
package import Diagnostics
package import SourceAPI

package final class ListingStore: @unchecked Sendable {
    private let monitor = Monitor()
    private var revisions: [String: UInt64] = [:]

    package init(path: String, log: Log) throws(DatabaseError) {}

    package func load(source: String, directory: EntryLocator) -> StoredListing? { nil }
    package func save(source: String, directory: EntryLocator, listing: DirectoryListing, listedAt: UnixTime) {}
    package func record(source: String, directory: EntryLocator, probed: RemoteEntry) {}
    package func revision(cacheKey: String) -> UInt64 { monitor.locked { revisions[cacheKey] ?? 0 } }
    package func bumpRevision(cacheKey: String) { monitor.locked { revisions[cacheKey, default: 0] += 1 } }
    package func forget(source: String) {}
    /// Waits until what was saved is written.
    package func flush() {}
    package func close() {}
}
