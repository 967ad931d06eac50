internal import Bytes
package import Diagnostics
internal import Threads

/// The persistent cache of file contents, in blocks of `Block.size`. It knows nothing of sources.
///
/// A block is given to a reader only after its checksum over key, version, number and data was found right, once in the
/// life of the store. What fails its check, for whatever reason, is missing.
///
/// One process uses a directory at a time: hold a `CacheLock` for as long as the store is open.
package final class ChunkStore: Sendable {
    let directory: String
    let catalog: ObjectCatalog
    let queue: WriteQueue
    let keeper: CacheKeeper
    let thread: SerialThread
    let counters = CacheCounters()
    let environment: CacheEnvironment
    let log: Log

    /// Makes the directory (mode 0700, with `CACHEDIR.TAG` and a format marker) or opens it. After a crash the map of
    /// every object is read here.
    ///
    /// - Throws: `.foreignDirectory` for one that holds anything and is not marked; `.unknownFormat`, `.inaccessible`.
    package init(directory: String, limits: CacheLimits, log: Log, environment: CacheEnvironment = .system) throws(CacheError) {
        self.directory = directory
        self.log = log
        self.environment = environment
        catalog = ObjectCatalog(directory: directory)
        queue = WriteQueue(patience: environment.queueMilliseconds)
        keeper = try CacheKeeper(
            directory: directory, limits: limits, catalog: catalog, queue: queue, counters: counters, log: log, environment: environment)
        thread = SerialThread(name: "cache")
        thread.every(milliseconds: environment.flushMilliseconds) { [weak self] in self?.keeper.tick() }
    }

    deinit { thread.requestStop() }

    /// Opens or makes the object. Kept under another version, that one is retired first.
    ///
    /// - Throws: `.closed`.
    package func open(key: String, version: ObjectVersion, label: ObjectLabel) throws(CacheError) -> CachedObject {
        let opening = try catalog.open(key: key, version: version, label: label)
        for state in opening.retired { thread.enqueue { [keeper] in keeper.unlink(state) } }
        for name in opening.damaged {
            log.write(.notice, "cache", "an object's header is damaged: its blocks are dropped", ["path": label.path])
            thread.enqueue { [keeper] in keeper.forget(name) }
        }
        return CachedObject(state: opening.state, store: self, changesOrder: true)
    }

    /// The object as it is kept, whatever its version, to export what is here: reading it leaves the order of use alone.
    package func openKept(key: String) throws(CacheError) -> CachedObject? {
        try catalog.openKept(key: key).map { CachedObject(state: $0, store: self, changesOrder: false) }
    }

    /// Waits until everything written so far is stored, and the index saved. Blocks on disk.
    package func flush() {
        _ = thread.run { [keeper] in
            while keeper.drain() {}
            keeper.save()
        }
    }

    /// Stores what is queued and closes the index. Objects that are still open can be read, and write nothing any more.
    package func close() {
        catalog.close()
        _ = thread.run { [keeper] in keeper.shutDown() }
        thread.stop()
    }

    // MARK: For objects

    func write(_ block: UInt64, _ bytes: [UInt8], of state: ObjectState) {
        guard state.wants(block, count: bytes.count) else { return }
        guard queue.reserve(bytes.count) else { return counters.dropped.add() }
        guard state.queue(block, bytes) else { return queue.release(bytes.count) }
        if queue.append(WriteQueue.Item(state: state, block: block, count: bytes.count)) { scheduleDrain() }
    }

    private func scheduleDrain() {
        thread.enqueue { [keeper, weak self] in
            if keeper.drain() { self?.scheduleDrain() }
        }
    }

    func foundBad(_ block: UInt64, of state: ObjectState) {
        counters.bad.add()
        log.write(
            counters.bad.value <= 10 ? .notice : .debug, "cache", "a stored block failed its check: it is dropped",
            ["path": state.label.path, "block": "\(block)"])
        thread.enqueue { [keeper] in keeper.clear(block, of: state) }
    }

    func pin(_ text: String, keep: Bool, of state: ObjectState) throws(CacheError) {
        if try state.pin(text, keep: keep) { thread.enqueue { [keeper] in keeper.unlink(state) } }
    }

    func retire(_ state: ObjectState) {
        if catalog.retire(state) { thread.enqueue { [keeper] in keeper.unlink(state) } }
    }

    func closed(_ state: ObjectState) {
        if catalog.release(state) { thread.enqueue { [keeper] in keeper.finish(state) } }
    }
}
