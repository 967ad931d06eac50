internal import Bytes
internal import Database
internal import Diagnostics
internal import Glibc

/// Everything that changes files: storing, evicting, the index, the limits.
///
/// SAFETY: after `init` it is used on the store's thread only.
final class CacheKeeper: @unchecked Sendable {
    let directory: String
    let catalog: ObjectCatalog
    let queue: WriteQueue
    let log: Log
    let environment: CacheEnvironment
    let counters: CacheCounters
    var limits: CacheLimits
    var index: CacheIndex
    /// Bytes on disk that belong to no object: the index, directories, markers.
    var overhead: UInt64 = 0
    /// The index could not be written: these updates come with the next attempt.
    var backlog: [(state: ObjectState, group: UInt64, bytes: UInt64, use: UInt64)] = []
    /// Objects whose row is to be written though none of their groups changed.
    var changed: [UInt64: ObjectState] = [:]

    /// The groups that blocks are being written into, and that no map names yet: an eviction leaves them alone.
    var writing: (state: ObjectState, groups: Set<UInt64>)?

    /// Objects that the eviction under way has changed.
    var touched: [UInt64: ObjectState] = [:]

    // Failed writes
    var retryAt: UInt64?
    var saidNoRoom = false
    var saidIndexFailed = false
    /// Calls of `makeRoom` that do not try to evict, after one that found nothing.
    var pause = 0
    var free: (bytes: UInt64, at: UInt64, writtenSince: UInt64)?

    init(
        directory: String, limits: CacheLimits, catalog: ObjectCatalog, queue: WriteQueue, counters: CacheCounters, log: Log,
        environment: CacheEnvironment
    ) throws(CacheError) {
        self.directory = directory
        self.limits = limits
        self.catalog = catalog
        self.queue = queue
        self.counters = counters
        self.log = log
        self.environment = environment
        try CacheDirectory.prepare(directory)
        if mkdir(directory + "/objects", 0o700) != 0, errno != EEXIST, errno != EROFS, errno != ENOSPC {
            throw CacheDirectory.failure("cannot make \(directory)/objects", errno)
        }
        index = try CacheKeeper.openIndex(directory, log)
        do throws(DatabaseError) {
            try recover()
        } catch {
            try startAnew(after: error)
        }
        refreshOverhead()
    }

    // MARK: The index file

    static func indexPath(_ directory: String) -> String { directory + "/index.sqlite" }

    private static func openIndex(_ directory: String, _ log: Log) throws(CacheError) -> CacheIndex {
        let path = indexPath(directory)
        var failure: DatabaseError
        do throws(DatabaseError) {
            return try CacheIndex(path: path)
        } catch {
            failure = error
        }
        if failure.isDamage {
            log.write(
                .warning, "cache", "the index is damaged: it is set aside and built anew from the object files", ["file": path, "why": "\(failure)"])
            SQLConnection.setAside(path)
            do throws(DatabaseError) {
                return try CacheIndex(path: path)
            } catch {
                failure = error
            }
        }
        log.write(.warning, "cache", "the index cannot be written: it is kept in memory for this run", ["file": path, "why": "\(failure)"])
        do throws(DatabaseError) {
            return try CacheIndex(path: ":memory:")
        } catch {
            throw CacheError(.inaccessible, "no index can be made: \(error)")
        }
    }

    /// The index failed while the store runs, or at its start: builds a new one from the object files.
    private func startAnew(after error: DatabaseError) throws(CacheError) {
        log.write(.warning, "cache", "the index failed: it is built anew from the object files", ["why": "\(error)"])
        index.connection.close()
        if error.isDamage { SQLConnection.setAside(CacheKeeper.indexPath(directory)) }
        index = try CacheKeeper.openIndex(directory, log)
        do throws(DatabaseError) {
            try recover()
        } catch {
            log.write(.warning, "cache", "the index fails again: it is kept in memory for this run", ["why": "\(error)"])
            do throws(DatabaseError) {
                index = try CacheIndex(path: ":memory:")
                try recover()
            } catch {
                throw CacheError(.inaccessible, "no index can be made: \(error)")
            }
        }
    }

    /// What to do when a statement failed on the store's thread.
    func indexFailed(_ error: DatabaseError) {
        if error.isDamage {
            do throws(CacheError) {
                try startAnew(after: error)
                for state in catalog.residents { changed[state.name.generation] = state.isStored ? state : nil }
            } catch {
                log.write(.error, "cache", "the cache goes on without an index: its size is not limited any more", ["why": "\(error)"])
            }
        } else if !saidIndexFailed {
            saidIndexFailed = true
            log.write(.warning, "cache", "the index cannot be written; tried again later", ["why": "\(error)"])
        }
    }

    func refreshOverhead() {
        var total: UInt64 = 0
        var information = stat()
        let index = CacheKeeper.indexPath(directory)
        var paths = [directory, directory + "/objects", directory + "/CACHEDIR.TAG", directory + "/format", directory + "/lock"]
        paths += ["", "-wal", "-shm"].flatMap { [index + $0, index + $0 + ".damaged"] }
        for path in paths where lstat(path, &information) == 0 { total += UInt64(clamping: information.st_blocks) * 512 }
        // Subdirectories: counted as they are now, one block each at least.
        if lstat(directory + "/objects", &information) == 0 { total += UInt64(clamping: max(0, Int(information.st_nlink) - 2)) * 4096 }
        overhead = total
    }

    // MARK: Saving

    /// Writes what changed in memory to the index.
    func save() { save(catalog.residents) }

    func save(_ states: [ObjectState]) {
        for state in states where state.isStored {
            let groups = state.takeUnsaved()
            if !groups.isEmpty { changed[state.name.generation] = state }
            backlog += groups.map { (state, $0.group, $0.bytes, $0.use) }
        }
        guard !backlog.isEmpty || !changed.isEmpty else { return }
        do throws(DatabaseError) {
            try index.connection.transaction { () throws(DatabaseError) in
                for state in changed.values where catalog.name(state.name.generation) != nil {
                    try index.insert(state, allocated: catalog.allocated(state.name.generation))
                }
                for item in backlog where catalog.name(item.state.name.generation) != nil {
                    try index.setGroup(item.state.name.generation, item.group, size: item.state.version.size, bytes: item.bytes, use: item.use)
                }
            }
            backlog.removeAll()
            changed.removeAll()
            saidIndexFailed = false
        } catch {
            indexFailed(error)
        }
        refreshOverhead()
    }

    /// Every few seconds.
    func tick() {
        save()
        free = nil
        pause = 0
        _ = makeRoom(0)
    }

    /// The last work: everything queued is stored, and the index is marked as complete.
    func shutDown() {
        queue.close()
        while drain() {}
        save()
        do throws(DatabaseError) {
            for state in catalog.residents where !state.isKept { try index.remove(state.name.generation) }
            if backlog.isEmpty { try index.markClosed() }
        } catch {
            indexFailed(error)
        }
        index.connection.close()
    }
}
