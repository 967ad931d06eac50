internal import Bytes
internal import Database
internal import Diagnostics
internal import Glibc

extension CacheKeeper {
    /// Stores the next queued blocks, 4 MiB at most. Returns: whether more are waiting.
    func drain() -> Bool {
        let (items, hasMore) = queue.take(64)
        var order: [ObjectState] = []
        var blocks: [ObjectIdentifier: [UInt64]] = [:]
        for item in items {
            if blocks[ObjectIdentifier(item.state)] == nil { order.append(item.state) }
            blocks[ObjectIdentifier(item.state), default: []].append(item.block)
        }
        for state in order { store((blocks[ObjectIdentifier(state)] ?? []).sorted(), of: state) }
        for item in items { queue.release(item.count) }
        for state in order where !catalog.isOpen(state) { finish(state) }
        return hasMore
    }

    private func store(_ blocks: [UInt64], of state: ObjectState) {
        var stored: [(number: UInt64, check: UInt32)] = []
        var files: ObjectFiles?
        // Not yet in the object's account.
        var unaccounted: UInt64 = 0
        writing = (state, Set(blocks.map { $0 / BlockChunk.groupBlocks }))
        defer { writing = nil }
        for block in blocks {
            guard let bytes = state.pendingBytes(block) else { continue }
            // Whole pages of the file system, and once the header, a page of the map and of the extents.
            let need = (UInt64(bytes.count) + 4095) / 4096 * 4096 + (files == nil ? 16384 : 4096)
            guard mayWrite(), makeRoom(unaccounted + need) else {
                drop(block, of: state)
                continue
            }
            do throws(ObjectFiles.Failure) {
                let open = if let files { files } else { try state.filesForWriting() }
                files = open
                let offset = Block.range(block, fileSize: state.version.size).offset
                var code = bytes.withUnsafeBytes { open.data.write($0, at: offset) }
                if code == ENOSPC || code == EDQUOT, evict(8 << 20) > 0 { code = bytes.withUnsafeBytes { open.data.write($0, at: offset) } }
                guard code == 0 else {
                    _ = open.data.punch(offset, Block.size)
                    throw ObjectFiles.Failure(code: code)
                }
                stored.append((block, bytes.withUnsafeBytes { state.check(block, $0) }))
                unaccounted += need
            } catch {
                drop(block, of: state)
                writeFailed(error.code, state)
            }
        }
        guard let files else { return }
        let code = state.commit(stored, to: files, now: environment.now())
        if code == 0 {
            counters.written.add(UInt64(stored.count))
            if !stored.isEmpty { writeWorked() }
        } else {
            counters.dropped.add(UInt64(stored.count))
            writeFailed(code, state)
        }
        catalog.setAllocated(state.name, files.allocated)
        changed[state.name.generation] = state
        free?.writtenSince += unaccounted
    }

    private func drop(_ block: UInt64, of state: ObjectState) {
        state.dropPending(block)
        counters.dropped.add()
    }

    /// A reader found the block bad.
    func clear(_ block: UInt64, of state: ObjectState) {
        // Another state of the same files may have stored the block anew.
        guard catalog.state(state.name.generation) === state else { return }
        state.clear(block)
        if let files = state.openedFiles() { catalog.setAllocated(state.name, files.allocated) }
        changed[state.name.generation] = state
    }

    // MARK: Disk full, unwritable

    private func mayWrite() -> Bool { retryAt.map { environment.now() >= $0 } ?? true }

    private func writeFailed(_ code: Int32, _ state: ObjectState) {
        if code == EFBIG { return }  // past what the file system can hold in one file: the next object may do
        if retryAt == nil {
            log.write(
                .warning, "cache",
                "the cache cannot be written: reads go on uncached, and it is tried again every \(environment.retryMilliseconds / 1000) s",
                ["directory": directory, "why": String(cString: strerror(code))])
        }
        retryAt = environment.now() + environment.retryMilliseconds
    }

    private func writeWorked() {
        guard retryAt != nil else { return }
        retryAt = nil
        log.write(.notice, "cache", "the cache can be written again", ["directory": directory])
    }

    // MARK: The end of objects

    /// After the last close: lets go of what is not to be kept, and of the files of what is.
    func finish(_ state: ObjectState) {
        guard state.isKnown, !catalog.isOpen(state), !state.hasPending else { return }
        save([state])
        var isKept = state.isKept && state.isStored
        do throws(DatabaseError) {
            if isKept { isKept = try index.hasGroups(state.name.generation) || !backlog.isEmpty }
        } catch {
            indexFailed(error)
        }
        if isKept {
            if let files = state.openedFiles() {
                catalog.setAllocated(state.name, files.allocated)
                changed[state.name.generation] = state
            }
            catalog.rest(state)
        } else {
            remove(state.name)
        }
    }

    /// Removes an object that nobody uses, with its files. False: somebody uses it.
    @discardableResult func remove(_ name: ObjectName) -> Bool {
        guard catalog.removeIfUnused(name) else { return false }
        forget(name)
        return true
    }

    /// Files and rows of an object that the catalog knows no more.
    func forget(_ name: ObjectName) {
        ObjectFiles.remove(name, in: directory)
        changed[name.generation] = nil
        backlog.removeAll { $0.state.name == name }
        do throws(DatabaseError) {
            try index.remove(name.generation)
        } catch {
            indexFailed(error)
        }
    }

    /// The object is not kept any more: its files lose their names now, and their bytes at the last close.
    func unlink(_ state: ObjectState) {
        guard !state.isKept else { return }
        if state.isStored, state.openedFiles() != nil { ObjectFiles.remove(state.name, in: directory) }
        finish(state)
    }
}
