internal import Bytes
internal import SourceAPI

/// One listing of one directory, names mapped and numbered. It never changes; items are in the byte order of their shown names, so a position means
/// the same after a new listing that changed nothing.
final class DirectorySnapshot: Sendable {
    struct Item: Sendable {
        let entry: RemoteEntry
        let shownName: [UInt8]
        /// Changes of the content that only a read could see.
        let revision: UInt64
        /// For a file without a size it stands until the size is learned: the version is not known before.
        let number: UInt64
    }

    let items: [Item]
    let quota: DirectoryListing.Quota?
    let listedAt: UnixTime

    /// - Parameter revisions: by cache key; absent means 0.
    /// - Complexity: O(*n* log *n*).
    init(source: String, listing: DirectoryListing, listedAt: UnixTime, revision: (RemoteEntry) -> UInt64) {
        let names = NameMapping.shownNames(of: listing.entries)
        var items: [Item] = []
        items.reserveCapacity(listing.entries.count)
        for (entry, shown) in zip(listing.entries, names) {
            guard let shown else { continue }
            items.append(Item(source: source, entry: entry, shownName: shown, revision: entry.kind == .file ? revision(entry) : 0))
        }
        items.sort { $0.shownName.lexicographicallyPrecedes($1.shownName) }
        self.items = items
        quota = listing.quota
        self.listedAt = listedAt
    }

    private init(items: [Item], quota: DirectoryListing.Quota?, listedAt: UnixTime) {
        self.items = items
        self.quota = quota
        self.listedAt = listedAt
    }

    /// - Complexity: O(log *n*).
    func index(ofShown name: [UInt8]) -> Int? {
        var low = 0, high = items.count
        while low < high {
            let middle = (low + high) / 2
            if items[middle].shownName.lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
        }
        return low < items.count && items[low].shownName == name ? low : nil
    }

    /// The same listing with a new revision of one content, whose listed size is not believed any more; `nil` if it is not here.
    func replacingRevision(source: String, cacheKey: String, by revision: UInt64) -> DirectorySnapshot? {
        var found = false
        let changed = items.map { item in
            guard item.entry.kind == .file, item.entry.cacheKey == cacheKey, item.revision != revision else { return item }
            found = true
            var entry = item.entry
            entry.size = nil
            return Item(source: source, entry: entry, shownName: item.shownName, revision: revision)
        }
        return found ? DirectorySnapshot(items: changed, quota: quota, listedAt: listedAt) : nil
    }
}

extension DirectorySnapshot.Item {
    init(source: String, entry: RemoteEntry, shownName: [UInt8], revision: UInt64) {
        self.entry = entry
        self.shownName = shownName
        self.revision = revision
        switch entry.kind {
        case .file: number = NodeNumbers.file(source: source, entry: entry, revision: revision)
        case .directory: number = NodeNumbers.directory(source: source, locator: entry.locator)
        }
    }
}

/// A file whose size the listing did not tell, as requests told it.
struct LearnedFile: Sendable {
    /// With its size.
    let entry: RemoteEntry
    let number: UInt64
    let learnedAt: Duration

    init(source: String, entry: RemoteEntry, revision: UInt64, learnedAt: Duration) {
        self.entry = entry
        self.learnedAt = learnedAt
        number = NodeNumbers.file(source: source, entry: entry, revision: revision)
    }

    /// Known from an earlier listing, under the number it had there.
    init(numbered number: UInt64, entry: RemoteEntry, learnedAt: Duration) {
        self.entry = entry
        self.number = number
        self.learnedAt = learnedAt
    }
}

/// A directory's content as it is shown now: a listing, what was learned since, and how far it can be trusted.
struct DirectoryView: Sendable {
    let snapshot: DirectorySnapshot
    let learned: [EntryLocator: LearnedFile]
    /// Since the listing.
    let age: Duration
    /// Why the listing is older than it should be; `nil` while it is fresh.
    let staleness: String?

    /// The entry with all that is known of it.
    func entry(at index: Int) -> RemoteEntry { learned(at: index)?.entry ?? snapshot.items[index].entry }

    func number(at index: Int) -> UInt64 { learned(at: index)?.number ?? snapshot.items[index].number }

    private func learned(at index: Int) -> LearnedFile? { learned.isEmpty ? nil : learned[snapshot.items[index].entry.locator] }
}

/// What a new listing changed, by shown names.
struct DirectoryChange: Sendable {
    struct Difference: Sendable {
        let name: [UInt8]
        /// The number that the name had.
        let oldNumber: UInt64
    }

    let directory: EntryLocator
    /// Names that are gone, or that mean another node or version now.
    var differences: [Difference] = []
    var addedCount = 0

    var isEmpty: Bool { differences.isEmpty && addedCount == 0 }

    /// - Complexity: O(*n*): both are in order.
    init(directory: EntryLocator, from old: DirectoryView, to new: DirectoryView) {
        self.directory = directory
        let before = old.snapshot.items, after = new.snapshot.items
        var left = 0, right = 0
        while left < before.count || right < after.count {
            if left == before.count {
                addedCount += after.count - right
                break
            }
            if right == after.count || before[left].shownName.lexicographicallyPrecedes(after[right].shownName) {
                differences.append(Difference(name: before[left].shownName, oldNumber: old.number(at: left)))
                left += 1
            } else if before[left].shownName == after[right].shownName {
                let number = old.number(at: left)
                if number != new.number(at: right) { differences.append(Difference(name: before[left].shownName, oldNumber: number)) }
                left += 1
                right += 1
            } else {
                addedCount += 1
                right += 1
            }
        }
    }

    /// One file is another version now.
    init(directory: EntryLocator, name: [UInt8], oldNumber: UInt64) {
        self.directory = directory
        differences = [Difference(name: name, oldNumber: oldNumber)]
    }

    /// The directory is gone, with all that it had.
    init(directory: EntryLocator, gone old: DirectoryView) {
        self.directory = directory
        differences = old.snapshot.items.indices.map { Difference(name: old.snapshot.items[$0].shownName, oldNumber: old.number(at: $0)) }
    }
}
