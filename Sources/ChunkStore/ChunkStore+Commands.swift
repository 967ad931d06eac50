package import Bytes
internal import Threads
internal import Database
internal import Diagnostics

/// What `reelfs cache` asks. These block on disk: never on the cooperative pool, nor on a thread that answers reads.
extension ChunkStore {
    /// Every object, by source and path. The order of use does not change.
    package func list() -> [CachedObjectSummary] { summaries("", nil) }

    /// The objects of one source.
    package func list(source: String) -> [CachedObjectSummary] { summaries("WHERE source = ?", .text(source)) }

    /// One object; the order of use does not change.
    package func show(key: String) -> CachedObjectSummary? {
        let found = summaries("WHERE key = ?", .text(key))
        return found.first { $0.state != .passing } ?? found.first
    }

    private func summaries(_ condition: String, _ value: SQLValue?) -> [CachedObjectSummary] {
        thread.run { [keeper, catalog] in
            keeper.save()
            do throws(DatabaseError) {
                return try keeper.index.summaries(condition, value).map { row in
                    var summary = row.summary
                    summary.state = catalog.residence(row.generation)
                    return summary
                }
            } catch {
                keeper.indexFailed(error)
                return []
            }
        } ?? []
    }

    /// Reads and checks every stored block, on the caller's thread; bad ones are dropped. The order of use does not change.
    ///
    /// - Parameters:
    ///   - keys: only these objects; `nil`: all.
    ///   - progress: hears the counts so far about every mebibyte; false ends the check.
    package func verify(keys: Set<String>? = nil, progress: (CacheVerification) -> Bool) -> CacheVerification {
        var report = CacheVerification()
        flush()
        for name in catalog.names {
            guard let state = catalog.open(name) else { continue }
            defer { closed(state) }
            if let keys, !keys.contains(state.key) { continue }
            report.objects += 1
            var next: UInt64 = 0
            while let blocks = state.storedBlocks(from: next) {
                for block in blocks {
                    next = block + 1
                    guard let isRight = state.recheck(block, store: self) else { continue }
                    report.checkedBlocks += 1
                    report.checkedBytes += Block.range(block, fileSize: state.version.size).count
                    if !isRight { report.badBlocks += 1 }
                    if report.checkedBlocks % 16 == 0, !progress(report) {
                        report.isPartial = true
                        return report
                    }
                }
            }
        }
        _ = progress(report)
        return report
    }

    /// Drops an object. Whoever has it open goes on, and fetches again. Returns: bytes freed.
    @discardableResult package func drop(key: String) -> UInt64 { drop("WHERE key = ?", .text(key)) }

    /// Drops all objects of a source. Returns: bytes freed.
    @discardableResult package func drop(source: String) -> UInt64 { drop("WHERE source = ?", .text(source)) }

    /// Drops every object. Returns: bytes freed.
    @discardableResult package func clear() -> UInt64 {
        thread.run { [keeper, catalog] in
            keeper.save()
            return catalog.names.reduce(0) { $0 + keeper.drop($1.generation) }
        } ?? 0
    }

    private func drop(_ condition: String, _ value: SQLValue) -> UInt64 {
        thread.run { [keeper] in
            keeper.save()
            do throws(DatabaseError) {
                return try keeper.index.summaries(condition, value).reduce(0) { $0 + keeper.drop($1.generation) }
            } catch {
                keeper.indexFailed(error)
                return 0
            }
        } ?? 0
    }

    package var limits: CacheLimits { thread.run { [keeper] in keeper.limits } ?? keeper.limits }

    /// Holds from now on; what is too much is evicted before it returns.
    package func setLimits(_ limits: CacheLimits) {
        _ = thread.run { [keeper] in
            keeper.limits = limits
            keeper.tick()
        }
    }

    /// What was counted since the store was opened, and what it holds. Waits for the store's thread.
    package var statistics: CacheStatistics {
        let (limits, overhead) = thread.run { [keeper] in (keeper.limits, keeper.overhead) } ?? (keeper.limits, keeper.overhead)
        var result = CacheStatistics(limits: limits)
        result.hits = counters.hits.value
        result.misses = counters.misses.value
        result.readBytes = counters.readBytes.value
        result.writtenBlocks = counters.written.value
        result.droppedBlocks = counters.dropped.value
        result.badBlocks = counters.bad.value
        result.evictedBlocks = counters.evicted.value
        result.usedBytes = catalog.allocated + overhead
        result.queuedBytes = queue.bytes
        result.objects = UInt64(catalog.count)
        return result
    }
}

extension CachedObject {
    /// The runs of bytes that are stored, in order; what waits to be stored is not among them.
    package func cachedRanges() -> [FileRange] {
        var result: [FileRange] = []
        var next: UInt64 = 0
        while let blocks = state.storedBlocks(from: next) {
            for block in blocks {
                next = block + 1
                let range = Block.range(block, fileSize: size)
                if let last = result.last, last.end == range.offset {
                    result[result.count - 1] = FileRange(offset: last.offset, end: range.end)
                } else {
                    result.append(range)
                }
            }
        }
        return result
    }
}
