internal import Bytes
internal import Configuration
internal import Diagnostics
internal import ListingStore
internal import SourceAPI
internal import VirtualTree

/// The kept listings of one source, under its name together with its address and user: a source that is set up anew under
/// an old name, or two drives that are mounted by links of the same name, never see each other's listings.
final class ScopedListings: ListingArchive {
    private let store: ListingStore
    private let scope: String

    init(_ store: ListingStore, of configured: ConfiguredSource) {
        self.store = store
        scope = Self.scope(of: configured)
    }

    static func scope(of configured: ConfiguredSource) -> String {
        var hash = StableHash()
        hash.combine(configured.location.reveal())
        hash.combine(configured.definition.user ?? "")
        return "\(prefix(of: configured.name))\(String(hash.value, radix: 16))"
    }

    /// What the scopes of all sources that ever had this name begin with: no name has a slash.
    static func prefix(of name: SourceName) -> String { name.text + "/" }

    func load(source: String, directory: EntryLocator) -> StoredListing? { store.load(source: scope, directory: directory) }

    func save(source: String, directory: EntryLocator, listing: DirectoryListing, listedAt: UnixTime) {
        store.save(source: scope, directory: directory, listing: listing, listedAt: listedAt)
    }

    func record(source: String, directory: EntryLocator, probed: RemoteEntry) { store.record(source: scope, directory: directory, probed: probed) }

    func revision(cacheKey: String) -> UInt64 { store.revision(cacheKey: cacheKey) }

    func bumpRevision(cacheKey: String) { store.bumpRevision(cacheKey: cacheKey) }
}
