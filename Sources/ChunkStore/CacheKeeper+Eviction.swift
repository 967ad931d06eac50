internal import Bytes
internal import Database
internal import Diagnostics

extension CacheKeeper {
    /// What the files of objects and all else may take: a little less than the limit, for what the index and the file
    /// system's own tables grow by between two looks.
    private var budget: UInt64 { limits.maximumBytes - min(limits.maximumBytes / 8, 2 << 20) }

    private var used: UInt64 {
        let (sum, overflow) = catalog.allocated.addingReportingOverflow(overhead)
        return overflow ? .max : sum
    }

    /// Sees to it that `bytes` more fit the limits, evicting what was used least lately. What is queued counts too, as
    /// far as evicting for it makes sense.
    func makeRoom(_ bytes: UInt64) -> Bool {
        let slack = min(limits.maximumBytes / 32, 32 << 20)
        if pause > 0 { pause -= 1 }
        let coming = max(bytes, min(queue.bytes, budget / 4))
        if over(coming) > 0, pause == 0 { tryToEvict(over(coming) + slack) }
        guard over(bytes) == 0 else { return noRoom("its size limit") }
        if shortage(bytes) > 0, pause == 0 {
            tryToEvict(shortage(bytes) + slack)
            free = nil
        }
        guard shortage(bytes) == 0 else { return noRoom("the minimum of free disk") }
        if bytes > 0 { saidNoRoom = false }
        return true
    }

    /// Bytes by which the size limit would be passed.
    private func over(_ bytes: UInt64) -> UInt64 {
        let (sum, overflow) = used.addingReportingOverflow(bytes)
        return overflow ? .max / 2 : sum - min(sum, budget)
    }

    /// Bytes by which free disk would fall below its minimum.
    private func shortage(_ bytes: UInt64) -> UInt64 {
        let now = environment.now()
        if free == nil || (free?.writtenSince ?? 0) > 4 << 20 || now < (free?.at ?? 0) || now - (free?.at ?? 0) > 100 {
            guard let found = environment.freeBytes(directory) else { return 0 }
            free = (found, now, 0)
        }
        guard let free else { return 0 }
        let left = free.bytes - min(free.bytes, free.writtenSince)
        let (needed, overflow) = limits.minimumFreeBytes.addingReportingOverflow(bytes)
        return overflow ? .max / 2 : needed - min(needed, left)
    }

    private func tryToEvict(_ bytes: UInt64) { if evict(bytes) == 0 { pause = 32 } }

    private func noRoom(_ what: String) -> Bool {
        if !saidNoRoom {
            saidNoRoom = true
            log.write(
                .warning, "cache", "\(what) leaves no room for more: reads go on uncached",
                ["directory": directory, "limit": "\(limits.maximumBytes)"])
        }
        return false
    }

    /// Evicts groups in their order of use until so many bytes of disk are freed, or nothing more can be.
    ///
    /// Heads and tails of files go last, unless they are more than half of what is allowed.
    /// - Returns: bytes freed.
    @discardableResult func evict(_ bytes: UInt64) -> UInt64 {
        save()
        let before = catalog.allocated
        var freed: UInt64 { before - min(before, catalog.allocated) }
        var skipped: Set<[UInt64]> = []
        do throws(DatabaseError) {
            while freed < bytes {
                var count = 0
                for candidate in try candidates(1024 + Int64(skipped.count)) where freed < bytes {
                    let id = [candidate.generation, candidate.group]
                    if skipped.contains(id) { continue }
                    if try evict(candidate.generation, candidate.group) { count += 1 } else { skipped.insert(id) }
                }
                if count == 0 { break }
            }
        } catch {
            indexFailed(error)
        }
        restTouched()
        if freed > 0 { log.write(.debug, "cache", "evicted", ["bytes": "\(freed)"]) }
        refreshOverhead()
        return freed
    }

    private func candidates(_ count: Int64) throws(DatabaseError) -> [(generation: UInt64, group: UInt64, use: Int64)] {
        let bodies = try index.oldest(rank: 0, count: count)
        let ends = try index.oldest(rank: 1, count: count)
        if try index.headAndTailBytes() > limits.maximumBytes / 2 { return (bodies + ends).sorted { $0.use < $1.use } }
        return bodies.count < Int(count) ? bodies + ends : bodies
    }

    /// False when a reader or a writer is at it.
    private func evict(_ generation: UInt64, _ group: UInt64) throws(DatabaseError) -> Bool {
        guard let state = catalog.state(generation) else {
            // Damaged, or known to the index only.
            if let name = catalog.name(generation) { remove(name) } else { try index.remove(generation) }
            return true
        }
        if let writing, writing.state === state, writing.groups.contains(group) { return false }
        guard let count = state.evict(group: group) else { return false }
        counters.evicted.add(count)
        backlog.removeAll { $0.state === state && $0.group == group }
        try index.removeGroup(generation, group)
        if try !index.hasGroups(generation), !backlog.contains(where: { $0.state === state }) {
            if remove(state.name) { return true }
            state.truncateIfEmpty()
        }
        if let files = state.openedFiles() {
            catalog.setAllocated(state.name, files.allocated)
            changed[generation] = state
        }
        touched[generation] = state
        // Each of them holds two descriptors.
        if touched.count >= 64 { restTouched() }
        return true
    }

    /// Lets go of the files of objects that only the eviction opened.
    private func restTouched() {
        for state in touched.values where state.isKnown && state.isKept { catalog.rest(state) }
        touched.removeAll()
    }

    /// Drops an object. What somebody has open stays open, and loses its blocks. Returns: bytes freed.
    func drop(_ generation: UInt64) -> UInt64 {
        let before = catalog.allocated
        if let name = catalog.name(generation), !remove(name) {
            do throws(DatabaseError) {
                for group in try index.groups(of: generation).keys { _ = try evict(generation, group) }
                restTouched()
            } catch {
                indexFailed(error)
            }
        }
        return before - min(before, catalog.allocated)
    }
}
