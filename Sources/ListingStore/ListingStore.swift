package import Bytes
package import Database
package import Diagnostics
package import SourceAPI
internal import Threads

/// The last listing of every directory, so that names show at once after a start, and while an origin is away.
///
/// A row that is damaged is as if it had never been saved; a file that is damaged is set aside and begun anew. One
/// process uses the file at a time.
///
/// SAFETY: the `private var`s are read and written under `monitor` only, which is not held during work on the file;
/// `reader` under `readerMonitor`; `writer` on the thread only.
package final class ListingStore: @unchecked Sendable {
    private struct Place: Hashable, Sendable {
        let source: String
        let directory: EntryLocator
    }

    private struct ProbeKey: Hashable, Sendable {
        let place: Place
        let cacheKey: String
    }

    private let path: String
    private let log: Log
    private let thread: SerialThread
    private var writer: ListingFile
    private let readerMonitor = Monitor()
    private var reader: ListingFile?

    private let monitor = Monitor()
    /// Saved and not yet written, with a number that tells whether a later one came.
    private var pending: [Place: (listing: StoredListing, number: UInt64)] = [:]
    private var pendingProbes: [ProbeKey: (probe: ListingFile.Probe, number: UInt64)] = [:]
    /// Sources whose rows are about to go, with how often that was asked.
    private var forgetting: [String: Int] = [:]
    private var number: UInt64 = 0
    private var revisions: [String: UInt64] = [:]
    private var saidFailed = false

    /// Opens the file, or makes it with mode 0600. Its directory must exist.
    ///
    /// - Throws: when it can neither be opened nor made anew.
    package init(path: String, log: Log) throws(DatabaseError) {
        self.path = path
        self.log = log
        do throws(DatabaseError) {
            writer = try ListingFile(path: path)
        } catch {
            guard error.isDamage else { throw error }
            log.write(.warning, "listings", "the file of listings is damaged: it is set aside", ["file": path, "why": "\(error)"])
            SQLConnection.setAside(path)
            writer = try ListingFile(path: path)
        }
        do throws(DatabaseError) {
            revisions = try writer.revisions()
        } catch {
            log.write(.warning, "listings", "the file of listings is damaged: it is set aside", ["file": path, "why": "\(error)"])
            writer.connection.close()
            SQLConnection.setAside(path)
            writer = try ListingFile(path: path)
        }
        thread = SerialThread(name: "listings")
    }

    deinit { thread.requestStop() }

    // MARK: Listings

    /// The listing saved last, with the sizes and revisions learned since; `nil` when there is none, or it is damaged.
    /// Blocks on disk: a few milliseconds for 10,000 entries.
    package func load(source: String, directory: EntryLocator) -> StoredListing? {
        let place = Place(source: source, directory: directory)
        let (waiting, isForgotten, waitingProbes) = monitor.locked {
            (pending[place]?.listing, forgetting.keys.contains { Self.isMeant(source, by: $0) }, Set(pendingProbes.keys.filter { $0.place == place }))
        }
        if waiting == nil, isForgotten { return nil }
        var found: StoredListing
        var probes: [String: ListingFile.Probe] = [:]
        if let waiting {
            found = waiting
            probes = read { (file) throws(DatabaseError) in try file.probes(source, directory.text) } ?? [:]
        } else {
            enum Answer { case none, damaged, found(StoredListing, [String: ListingFile.Probe]) }
            let answer = read { (file) throws(DatabaseError) -> Answer in
                guard let row = try file.listing(source, directory.text) else { return .none }
                guard let listing = row.listing else { return .damaged }
                return .found(StoredListing(listing: listing, listedAt: row.listedAt), try file.probes(source, directory.text))
            }
            switch answer {
            case .found(let listing, let known):
                found = listing
                probes = known
            case .damaged:
                log.write(.notice, "listings", "a stored listing is damaged: it is dropped", ["source": source])
                enqueue { (file) throws(DatabaseError) in try file.removeDamaged(source, directory.text) }
                return nil
            case nil, Answer.none?:
                return nil
            }
        }
        let (known, stillWaiting) = monitor.locked { (revisions, pendingProbes.filter { $0.key.place == place }) }
        // What was written since the file was read waits no longer, and is not in what was read.
        if !waitingProbes.allSatisfy({ stillWaiting[$0] != nil }) {
            probes = read { (file) throws(DatabaseError) in try file.probes(source, directory.text) } ?? probes
        }
        for (key, waiting) in stillWaiting { probes[key.cacheKey] = waiting.probe }
        apply(probes, known, to: &found)
        return found
    }

    private func apply(_ probes: [String: ListingFile.Probe], _ known: [String: UInt64], to stored: inout StoredListing) {
        guard !probes.isEmpty || !known.isEmpty else { return }
        for index in stored.listing.entries.indices {
            let entry = stored.listing.entries[index]
            if let revision = known[entry.cacheKey] { stored.revisions[entry.locator] = revision }
            guard entry.size == nil, entry.kind == .file, let probe = probes[entry.cacheKey], probe.fits(entry) else { continue }
            stored.listing.entries[index].size = probe.size
            if entry.modified == nil { stored.listing.entries[index].modified = probe.modified }
        }
    }

    /// Returns at once; a thread writes it. `load` gives it from now on.
    package func save(source: String, directory: EntryLocator, listing: DirectoryListing, listedAt: UnixTime) {
        let place = Place(source: source, directory: directory)
        let mine = monitor.locked {
            number += 1
            pending[place] = (StoredListing(listing: listing, listedAt: listedAt), number)
            return number
        }
        enqueue { [weak self] (file) throws(DatabaseError) in
            guard let self, let waiting = monitor.locked({ pending[place] }), waiting.number == mine else { return }
            // When it fails, it is not kept in memory for ever either.
            defer { monitor.locked { if pending[place]?.number == mine { pending[place] = nil } } }
            let bytes = ListingCoding.encode(waiting.listing.listing)
            let keys = Set(waiting.listing.listing.entries.lazy.filter { $0.size == nil }.map(\.cacheKey))
            try file.save(source, directory.text, bytes, waiting.listing.listedAt, keeping: keys)
        }
    }

    /// Keeps an exact size that the listing of this directory does not tell. It counts for as long as the listing states
    /// the same time of modification and entity tag (at least one of them) for this cache key.
    package func record(source: String, directory: EntryLocator, probed: RemoteEntry) {
        guard let size = probed.size, probed.modified != nil || probed.entityTag != nil else { return }
        let probe = ListingFile.Probe(size: size, modified: probed.modified, entityTag: probed.entityTag)
        let key = ProbeKey(place: Place(source: source, directory: directory), cacheKey: probed.cacheKey)
        let mine = monitor.locked {
            number += 1
            pendingProbes[key] = (probe, number)
            return number
        }
        enqueue { [weak self] (file) throws(DatabaseError) in
            defer { self?.monitor.locked { if self?.pendingProbes[key]?.number == mine { self?.pendingProbes[key] = nil } } }
            try file.save(source, directory.text, key.cacheKey, probe)
        }
    }

    /// Drops everything of a source but the revisions, which only ever grow.
    ///
    /// - Parameter source: its name; `NAME/` is every source whose name begins so.
    package func forget(source: String) {
        monitor.locked {
            for place in pending.keys where Self.isMeant(place.source, by: source) { pending[place] = nil }
            for key in pendingProbes.keys where Self.isMeant(key.place.source, by: source) { pendingProbes[key] = nil }
            forgetting[source, default: 0] += 1
        }
        enqueue { [weak self] (file) throws(DatabaseError) in
            defer {
                self?.monitor.locked {
                    let left = (self?.forgetting[source] ?? 1) - 1
                    self?.forgetting[source] = left > 0 ? left : nil
                }
            }
            try file.forget(source)
        }
    }

    private static func isMeant(_ source: String, by pattern: String) -> Bool {
        pattern.hasSuffix("/") ? source.hasPrefix(pattern) : source == pattern
    }

    // MARK: Revisions

    /// How often the content behind this key changed in a way that only a read could see. From memory.
    package func revision(cacheKey: String) -> UInt64 { monitor.locked { revisions[cacheKey] ?? 0 } }

    /// Counts such a change; durable a little later.
    package func bumpRevision(cacheKey: String) {
        let value = monitor.locked {
            let next = (revisions[cacheKey] ?? 0) &+ 1
            revisions[cacheKey] = next
            return next
        }
        enqueue { (file) throws(DatabaseError) in try file.save(revision: value, of: cacheKey) }
    }

    // MARK: The file

    /// Waits until what was saved before is written. Blocks on disk.
    package func flush() { _ = thread.run {} }

    /// Writes what is queued; nothing is kept or given afterwards.
    package func close() {
        flush()
        thread.stop()
        readerMonitor.locked {
            reader?.connection.close()
            reader = nil
        }
        writer.connection.close()
    }

    private func read<Result>(_ body: (ListingFile) throws(DatabaseError) -> Result) -> Result? {
        let failure: DatabaseError
        do throws(DatabaseError) {
            return try readerMonitor.locked { () throws(DatabaseError) in
                let file = if let reader { reader } else { try ListingFile(path: path) }
                reader = file
                return try body(file)
            }
        } catch {
            failure = error
        }
        failed(failure)
        return nil
    }

    private func enqueue(_ body: @escaping @Sendable (ListingFile) throws(DatabaseError) -> Void) {
        thread.enqueue { [weak self] in
            guard let self else { return }
            do throws(DatabaseError) {
                try body(writer)
                monitor.locked { saidFailed = false }
            } catch {
                failed(error)
            }
        }
    }

    private func failed(_ error: DatabaseError) {
        guard error.isDamage else {
            let isFirst = monitor.locked {
                defer { saidFailed = true }
                return !saidFailed
            }
            if isFirst { log.write(.warning, "listings", "listings cannot be kept", ["file": path, "why": "\(error)"]) }
            return
        }
        thread.enqueue { [weak self] in self?.startAnew(after: error) }
    }

    /// On the thread: sets the damaged file aside. What comes later is kept in a new one.
    private func startAnew(after error: DatabaseError) {
        if let sound = try? ListingFile(path: path), sound.connection.isSound() { return }  // an earlier call did it
        log.write(.warning, "listings", "the file of listings is damaged: it is set aside", ["file": path, "why": "\(error)"])
        readerMonitor.locked {
            reader?.connection.close()
            reader = nil
            writer.connection.close()
            SQLConnection.setAside(path)
        }
        do throws(DatabaseError) {
            writer = try ListingFile(path: path)
            for (key, revision) in monitor.locked({ revisions }) { try writer.save(revision: revision, of: key) }
        } catch {
            log.write(.warning, "listings", "listings cannot be kept", ["file": path, "why": "\(error)"])
        }
    }
}
