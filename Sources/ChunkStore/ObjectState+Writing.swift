internal import Bytes
internal import Threads

/// Blocks on their way to the disk.
extension ObjectState {
    /// Whether a block of this length belongs here and is wanted.
    func wants(_ block: UInt64, count: Int) -> Bool {
        let range = Block.range(block, fileSize: version.size)
        guard range.count == UInt64(count), count > 0, range.end < UInt64(Int64.max) else { return false }
        return !has(block)
    }

    /// False when another writer was faster.
    func queue(_ block: UInt64, _ bytes: [UInt8]) -> Bool {
        monitor.locked {
            if isHere(block) { return false }
            pending[block] = bytes
            return true
        }
    }

    func pendingBytes(_ block: UInt64) -> [UInt8]? { monitor.locked { pending[block] } }

    func dropPending(_ block: UInt64) { monitor.locked { pending[block] = nil } }

    /// The files, made when there are none yet. On the store's thread.
    func filesForWriting() throws(ObjectFiles.Failure) -> ObjectFiles {
        let (found, isKept, text) = monitor.locked { (opened(), kept, pinnedText) }
        if let found { return found }
        let header = ObjectHeader(generation: name.generation, key: key, version: version, pinned: text ?? "", label: label).encoded()
        let isNamed = isKept && header != nil
        // Left over when they could not be opened: nothing in them is known to be right.
        ObjectFiles.remove(name, in: directory)
        let made = isNamed ? try ObjectFiles.open(name, in: directory, create: true) : try ObjectFiles.nameless(in: directory, name)
        if isNamed, let header {
            let code = header.withUnsafeBytes { made.map.write($0, at: 0) }
            guard code == 0 else {
                ObjectFiles.remove(name, in: directory)
                throw ObjectFiles.Failure(code: code)
            }
        }
        monitor.locked {
            files = made
            hasFiles = true
            mapEnd = UInt64(ObjectHeader.area)
            chunks = [:]
            if !isNamed { kept = false }
        }
        return made
    }

    /// Enters blocks whose data is written into the map, then gives them to readers. On the store's thread.
    ///
    /// - Returns: 0, or the error number; then none of the blocks is here.
    func commit(_ blocks: [(number: UInt64, check: UInt32)], to files: ObjectFiles, now: UInt64) -> Int32 {
        var code: Int32 = 0
        var start = 0
        while start < blocks.count, code == 0 {
            var end = start + 1
            while end < blocks.count, blocks[end].number == blocks[end - 1].number + 1 { end += 1 }
            let entries = blocks[start..<end].map { $0.check.littleEndian }
            code = entries.withUnsafeBytes { files.map.write($0, at: ObjectState.entryOffset(blocks[start].number)) }
            start = end
        }
        monitor.locked {
            for block in blocks {
                pending[block.number] = nil
                guard code == 0 else { continue }
                let place = ObjectState.place(block.number)
                let target = chunk(place.chunk) ?? BlockChunk()
                chunks[place.chunk] = target
                target.set(place.index, check: block.check)
                target.touch(place.index, now)
                mapEnd = max(mapEnd, ObjectState.entryOffset(block.number) + 4)
            }
            unsaved = true
        }
        return code
    }

    static func entryOffset(_ block: UInt64) -> UInt64 { UInt64(ObjectHeader.area) + block * 4 }
}
