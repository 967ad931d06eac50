import Bytes
import ListingStore
import SourceAPI
import Synchronization
import VirtualTree

/// Kept listings without a disk.
final class MemoryArchive: ListingArchive {
    private struct State {
        var listings: [String: StoredListing] = [:]
        var revisions: [String: UInt64] = [:]
        var recorded: [RemoteEntry] = []
    }

    private let state = Mutex(State())

    func load(source: String, directory: EntryLocator) -> StoredListing? {
        state.withLock { state in
            guard var stored = state.listings[source + " " + directory.text] else { return nil }
            for entry in stored.listing.entries { stored.revisions[entry.locator] = state.revisions[entry.cacheKey] }
            for probed in state.recorded {
                guard let index = stored.listing.entries.firstIndex(where: { $0.locator == probed.locator && $0.size == nil }) else { continue }
                stored.listing.entries[index].size = probed.size
            }
            return stored
        }
    }

    func save(source: String, directory: EntryLocator, listing: DirectoryListing, listedAt: UnixTime) {
        state.withLock { $0.listings[source + " " + directory.text] = StoredListing(listing: listing, listedAt: listedAt) }
    }

    func record(source: String, directory: EntryLocator, probed: RemoteEntry) { state.withLock { $0.recorded.append(probed) } }

    func revision(cacheKey: String) -> UInt64 { state.withLock { $0.revisions[cacheKey] ?? 0 } }

    func bumpRevision(cacheKey: String) { state.withLock { $0.revisions[cacheKey, default: 0] += 1 } }
}
