internal import Bytes
package import ChunkStore
package import Diagnostics
package import SourceAPI
internal import Synchronization

/// Reads of all open files: from the cache, from a fetch under way, or from a new one. One fetch per block, however
/// many readers.
package final class ReadPath: Sendable {
    struct State: Sendable {
        /// Objects with an open handle that new handles may share, and how many handles each has.
        var objects: [OpenObject.Key: (object: OpenObject, handles: Int)] = [:]
        /// Objects whose version is gone, and that still have handles.
        var retired: [UInt64: Int] = [:]
        /// Keys of files whose origin ignored ranges. Bounded: forgetting costs one request.
        var streams: Set<String> = []
        var spooled: [SpooledFile] = []
        var handlers: [@Sendable (String) -> Void] = []
    }

    let shared: ReadShared
    let keeper: BlockKeeper
    let state = Mutex(State())
    let spoolGate = SpoolGate()
    private let numbers = Atomic<UInt64>(0)

    /// How many files without ranges are remembered.
    private static let streamLimit = 4096

    package convenience init(store: ChunkStore, limits: ReadLimits = ReadLimits(), log: Log) {
        self.init(limits: limits, log: log) { (key, version, label) throws(CacheError) in try store.open(key: key, version: version, label: label) }
    }

    init(limits: ReadLimits, log: Log, keeper: @escaping BlockKeeper) {
        shared = ReadShared(limits: limits, log: log)
        self.keeper = keeper
    }

    /// Opens a handle on the version that `entry` and `revision` describe. Nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - entry: a file whose size is set.
    ///   - revision: counts changes that only a read could see (`onVersionChange`): another revision has other blocks.
    /// - Throws: `.sizeUnknown` without a size. A cache that fails is no error: the handle then reads uncached.
    package func open(_ entry: RemoteEntry, revision: UInt64, from source: any Source, label: ObjectLabel) throws(SourceError) -> FileReader {
        guard entry.kind == .file else { throw SourceError(.unsupported, "\(Redaction.url(entry.locator.text)) is a directory") }
        guard let size = entry.size else { throw SourceError(.sizeUnknown, "\(Redaction.url(entry.locator.text)): its size is not known") }
        let number = nextNumber()
        guard size > 0 else { return FileReader(number: number, size: 0, object: nil, shared: shared) { _ in } }
        let spooled = spooledFile(for: entry, size: size, source: source)
        let version = spooled?.version ?? ObjectVersion(size: size, tag: Self.tag(of: entry, revision: revision))
        let key = OpenObject.Key(cacheKey: entry.cacheKey, version: version, source: ObjectIdentifier(source))
        if let object = share(key) { return reader(number, object) }
        // The cache is opened with no lock held. Who is second finds the first one's object, and lets its own go.
        let kept = keep(entry.cacheKey, version, label)
        let fresh = OpenObject(
            key: key, number: nextNumber(), entry: entry, kept: kept, source: source,
            isStream: state.withLock { $0.streams.contains(entry.cacheKey) },
            shared: shared,
            events: .init(
                gone: { [weak self] object in self?.versionIsGone(object) },
                learnedRanges: { [weak self] key, isRanged in self?.learned(key, isRanged: isRanged) }))
        let object = state.withLock { state in
            let object = state.objects[key]?.object ?? fresh
            state.objects[key, default: (object, 0)].handles += 1
            return object
        }
        return reader(number, object)
    }

    /// Adds a handler that is told the cache key when a reply shows that a file is another version than was opened.
    /// Once per opened version, from a thread of the source, with no lock held. It must not block.
    package func onVersionChange(_ handler: @escaping @Sendable (String) -> Void) { state.withLock { $0.handlers.append(handler) } }

    package var statistics: ReadStatistics {
        let counters = shared.counters
        var statistics = ReadStatistics()
        statistics.hits = counters.hits.value
        statistics.misses = counters.misses.value
        statistics.failures = counters.failures.value
        statistics.bytesServed = counters.bytesServed.value
        statistics.bytesFetched = counters.bytesFetched.value
        statistics.bytesReadAhead = counters.bytesReadAhead.value
        statistics.fetches = counters.fetches.value
        statistics.retries = counters.retries.value
        statistics.waiting = counters.waiting.value
        statistics.openHandles = counters.openHandles.value
        statistics.openObjects = state.withLock { UInt64($0.objects.count + $0.retired.count) }
        statistics.memory = shared.budget.memory
        statistics.memoryPeak = shared.budget.memoryPeak
        return statistics
    }

    func nextNumber() -> UInt64 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Everything that the listing says of the version, and the revision.
    static func tag(of entry: RemoteEntry, revision: UInt64) -> String {
        "\(revision) \(entry.modified.map { String($0.seconds) } ?? "-") \(entry.entityTag ?? "-")"
    }

    func keep(_ key: String, _ version: ObjectVersion, _ label: ObjectLabel) -> any BlockKeeping {
        do {
            return try keeper(key, version, label)
        } catch {
            shared.log.write(.warning, "cache", "reading uncached", ["file": label.path, "cause": error.description])
            return UnkeptBlocks()
        }
    }

    private func share(_ key: OpenObject.Key) -> OpenObject? {
        state.withLock { state in
            state.objects[key]?.handles += 1
            return state.objects[key]?.object
        }
    }

    private func reader(_ number: UInt64, _ object: OpenObject) -> FileReader {
        FileReader(number: number, size: object.size, object: object, shared: shared) { [weak self] object in self?.closed(object) }
    }

    private func closed(_ object: OpenObject) {
        // What is taken out goes after the lock is released: the last reference closes the cached object.
        _ = state.withLock { state -> OpenObject? in
            if let entry = state.objects[object.key], entry.object === object {
                state.objects[object.key]?.handles -= 1
                if entry.handles == 1 { state.objects[object.key] = nil }
            } else if let handles = state.retired[object.number] {
                state.retired[object.number] = handles > 1 ? handles - 1 : nil
            }
            return object
        }
    }

    private func versionIsGone(_ object: OpenObject) {
        let handlers = state.withLock { state in
            if let entry = state.objects[object.key], entry.object === object {
                state.objects[object.key] = nil
                state.retired[object.number] = entry.handles
            }
            state.spooled.removeAll { $0.cacheKey == object.key.cacheKey }
            return state.handlers
        }
        for handler in handlers { handler(object.key.cacheKey) }
    }

    private func learned(_ key: String, isRanged: Bool) {
        state.withLock { state in
            guard !isRanged else {
                state.streams.remove(key)
                return
            }
            if state.streams.count >= Self.streamLimit { state.streams.removeAll() }
            state.streams.insert(key)
        }
    }
}
