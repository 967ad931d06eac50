internal import Bytes
internal import Glibc
internal import Threads

/// What the store's thread does with stored blocks: eviction, use, verification.
extension ObjectState {
    // MARK: The store's thread

    /// Takes a block that a reader found bad out of the files.
    func clear(_ block: UInt64) {
        let found: (ObjectFiles, isPinned: Bool)? = monitor.locked {
            guard !isHere(block), let files = opened() else { return nil }
            let group = Int(block % BlockChunk.blocks / BlockChunk.groupBlocks)
            return (files, chunk(block / BlockChunk.blocks)?.isPinned(group: group) ?? false)
        }
        guard let (files, isPinned) = found else { return }
        _ = withUnsafeBytes(of: UInt32(0)) { files.map.write($0, at: ObjectState.entryOffset(block)) }
        // Another reader may still copy what it found right: then the bytes stay until the block is written again.
        if !isPinned { _ = files.data.punch(block * Block.size, Block.size) }
    }

    /// Forgets the group, then frees its disk blocks.
    ///
    /// - Returns: the number of blocks it had, or `nil` when a reader uses it.
    func evict(group: UInt64) -> UInt64? {
        let number = group / UInt64(BlockChunk.groups)
        let inner = Int(group % UInt64(BlockChunk.groups))
        let result: (count: UInt64, files: ObjectFiles?)? = monitor.locked {
            let chunk = chunk(number)
            if let chunk, chunk.isPinned(group: inner) { return nil }
            return (chunk?.clear(group: inner) ?? 0, opened())
        }
        guard let result, let files = result.files else { return result?.count }
        let first = group * BlockChunk.groupBlocks
        let zeros = [UInt8](repeating: 0, count: Int(BlockChunk.groupBlocks) * 4)
        // Never lengthens the file: what is behind its end is empty already.
        if ObjectState.entryOffset(first) < files.map.extent.size {
            _ = zeros.withUnsafeBytes { files.map.write($0, at: ObjectState.entryOffset(first)) }
        }
        _ = files.data.punch(first * Block.size, BlockChunk.groupBlocks * Block.size)
        return result.count
    }

    /// Frees the data file when nothing is left in it, on file systems that cannot punch holes. No block is here.
    func truncateIfEmpty() {
        guard let files = monitor.locked({ pending.isEmpty && chunks.values.allSatisfy(\.isEmpty) ? opened() : nil }) else { return }
        ftruncate(files.data.number, 0)
    }

    /// Groups whose use or content changed since the last call: bytes here, and time of use.
    func takeUnsaved() -> [(group: UInt64, bytes: UInt64, use: UInt64)] {
        monitor.locked {
            guard unsaved else { return [] }
            unsaved = false
            var result: [(group: UInt64, bytes: UInt64, use: UInt64)] = []
            for (number, chunk) in chunks where chunk.unsaved != 0 && !chunk.isEmpty {
                for inner in 0..<BlockChunk.groups where chunk.unsaved & (1 << UInt64(inner)) != 0 {
                    let group = number * UInt64(BlockChunk.groups) + UInt64(inner)
                    result.append((group, bytes(group, chunk), chunk.uses[inner]))
                }
                chunk.unsaved = 0
            }
            return result
        }
    }

    private func bytes(_ group: UInt64, _ chunk: BlockChunk) -> UInt64 {
        let first = group * BlockChunk.groupBlocks
        return (first..<(first + BlockChunk.groupBlocks)).reduce(0) {
            chunk.check(ObjectState.place($1).index) == 0 ? $0 : $0 + Block.range($1, fileSize: version.size).count
        }
    }

    /// Closes the files of an object that nobody has open; they are opened again at need. Not for nameless files.
    func closeFiles() { monitor.locked { if kept, readers == 0 { files = nil } } }

    // MARK: Looking through

    /// The stored blocks at or behind `block`, from one page of the map; `nil` when there are none. Leaves no page in memory.
    func storedBlocks(from block: UInt64) -> [UInt64]? {
        monitor.locked {
            var number = block / BlockChunk.blocks
            while true {
                if chunks[number] == nil {
                    let offset = UInt64(ObjectHeader.area) + number * UInt64(BlockChunk.pageBytes)
                    guard offset < mapEnd, let files = opened() else { return nil }
                    // SEEK_DATA (3): over the holes of a map whose file is large. ENXIO: nothing but a hole follows.
                    let next = lseek(files.map.number, off_t(clamping: offset), 3)
                    if next < 0, errno == ENXIO, chunks.keys.allSatisfy({ $0 <= number }) { return nil }
                    let skip = next < 0 ? number : (UInt64(next) - UInt64(ObjectHeader.area)) / UInt64(BlockChunk.pageBytes)
                    if skip > number, !chunks.keys.contains(where: { $0 >= number && $0 < skip }) { number = skip }
                }
                guard let chunk = chunks[number] ?? page(number) else { return nil }
                let found = (0..<Int(BlockChunk.blocks)).compactMap { index -> UInt64? in
                    let candidate = number * BlockChunk.blocks + UInt64(index)
                    return candidate >= block && chunk.check(index) != 0 ? candidate : nil
                }
                if !found.isEmpty { return found }
                number += 1
            }
        }
    }

    /// Reads and checks a stored block. False: it was bad, and is missing now. `nil`: it is not here any more.
    func recheck(_ block: UInt64, store: ChunkStore) -> Bool? {
        let found: (FileDescriptor, UInt32)? = monitor.locked {
            let place = ObjectState.place(block)
            guard let chunk = chunk(place.chunk), chunk.check(place.index) != 0, let files = opened(), pin(chunk, place.index, place.index) else {
                return nil
            }
            return (files.data, chunk.check(place.index))
        }
        guard let (file, check) = found else { return nil }
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(Block.size), alignment: 64)
        defer { scratch.deallocate() }
        let isRight = verify(block, 0, check, file, scratch) != nil
        unpin(block, block)
        if !isRight { forget(block, ifCheckIs: check, store: store) }
        return isRight
    }
}
