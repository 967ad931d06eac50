internal import Bytes
internal import Database
internal import Glibc

/// What memory knows of one stored version of an object, shared by everyone who has it open.
///
/// Reads never wait for the disk under the monitor, but for the first look at a page of the map file. A reader pins the
/// groups it copies from; the store's thread evicts no pinned group, and forgets a group before it punches it, so that
/// nobody starts to read what is about to become zeros.
///
/// SAFETY: every `private var` is read and written under `monitor` only; `handles` and `isRetired` under the store's
/// `catalog` monitor only; `isKnown` on the store's thread only, which alone makes, writes and punches files. Order of
/// locks: `catalog`, then `monitor`.
final class ObjectState: @unchecked Sendable {
    let name: ObjectName
    let key: String
    let version: ObjectVersion
    let label: ObjectLabel
    /// The checksum over what all blocks have in common.
    private let identity: CRC32C
    private let directory: String
    private let monitor = Monitor()

    private var pinnedText: String?
    private var kept: Bool
    private var hasFiles: Bool
    private var files: ObjectFiles?
    /// Where the map file ends; pages behind it are empty.
    private var mapEnd: UInt64 = 0
    private var chunks: [UInt64: BlockChunk] = [:]
    /// Blocks that wait to be stored.
    private var pending: [UInt64: [UInt8]] = [:]
    private var unsaved = false
    /// Reads under way: while there are any, the files stay open and the chunks stay the ones that are pinned.
    private var readers = 0

    var handles = 0
    var isRetired = false
    var isKnown = true

    /// A new object, without files yet.
    init(name: ObjectName, key: String, version: ObjectVersion, label: ObjectLabel, directory: String) {
        self.name = name
        self.key = key
        self.version = version
        self.label = label
        self.directory = directory
        identity = ObjectState.identity(name, key, version)
        kept = false
        hasFiles = false
    }

    /// An object that is stored; `nil` when its files are not both there, or the header is not its own.
    init?(stored name: ObjectName, directory: String) {
        guard let files = try? ObjectFiles.open(name, in: directory, create: false), let header = ObjectFiles.header(of: files.map, name) else {
            return nil
        }
        self.name = name
        key = header.key
        version = header.version
        label = header.label
        self.directory = directory
        identity = ObjectState.identity(name, header.key, header.version)
        pinnedText = header.pinned
        kept = true
        hasFiles = true
        self.files = files
        mapEnd = ObjectState.mapEnd(files, header.version)
    }

    private static func identity(_ name: ObjectName, _ key: String, _ version: ObjectVersion) -> CRC32C {
        var crc = CRC32C()
        crc.update(name.generation)
        crc.update(version.size)
        crc.update(UInt64(key.utf8.count))
        crc.update(key)
        crc.update(UInt64(version.tag.utf8.count))
        crc.update(version.tag)
        return crc
    }

    /// No further than the version's size allows: what a damaged file has behind that is nobody's.
    private static func mapEnd(_ files: ObjectFiles, _ version: ObjectVersion) -> UInt64 {
        let (entries, overflow) = Block.count(fileSize: version.size).multipliedReportingOverflow(by: 4)
        return min(files.map.extent.size, overflow ? .max : UInt64(ObjectHeader.area) + entries)
    }

    func check(_ block: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var crc = identity
        crc.update(block)
        crc.update(bytes)
        return crc.value == 0 ? 1 : crc.value  // 0 means that the block is not here
    }

    // MARK: What it is

    var pinned: String? { monitor.locked { pinnedText } }
    var isKept: Bool { monitor.locked { kept } }
    var hasPending: Bool { monitor.locked { !pending.isEmpty } }
    var isStored: Bool { monitor.locked { hasFiles } }
    var residentChunks: Int { monitor.locked { chunks.count } }

    /// Returns: whether it has just become one that is not kept.
    func pin(_ text: String, keep: Bool) throws(CacheError) -> Bool {
        try monitor.locked { () throws(CacheError) in
            if pinnedText == nil, !hasFiles, pending.isEmpty {
                pinnedText = text
                kept = keep
                return false
            }
            guard pinnedText == text else {
                throw CacheError(.pinnedDiffers, "blocks of \(label.path) are stored under another validator")
            }
            defer { kept = kept && keep }
            return kept && !keep
        }
    }

    /// The bytes go at the last close.
    func stopKeeping() { monitor.locked { kept = false } }

    // MARK: Blocks

    private func chunk(_ number: UInt64) -> BlockChunk? {
        if let chunk = chunks[number] { return chunk }
        guard let chunk = page(number) else { return nil }
        chunks[number] = chunk
        return chunk
    }

    /// From the map file, not remembered; `nil` behind its end.
    private func page(_ number: UInt64) -> BlockChunk? {
        guard number < 1 << 38 else { return nil }  // blocks of a file of 2^64 bytes: 2^48
        let offset = UInt64(ObjectHeader.area) + number * UInt64(BlockChunk.pageBytes)
        guard offset < mapEnd, let files = opened() else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: BlockChunk.pageBytes, alignment: 8) { buffer in
            let count = files.map.read(
                UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(min(UInt64(buffer.count), mapEnd - offset)))), at: offset)
            return BlockChunk(page: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private func opened() -> ObjectFiles? {
        if let files { return files }
        guard hasFiles else { return nil }
        do throws(ObjectFiles.Failure) {
            let found = try ObjectFiles.open(name, in: directory, create: false)
            guard ObjectFiles.header(of: found.map, name)?.version == version else { throw ObjectFiles.Failure(code: ESTALE) }
            files = found
            return found
        } catch {
            // Whoever took them away: what was here is missing now. No reader is under way, or they would be open.
            chunks = [:]
            mapEnd = 0
            return nil
        }
    }

    /// The object's files, opened if need be.
    func openedFiles() -> ObjectFiles? { monitor.locked { opened() } }

    private static func place(_ block: UInt64) -> (chunk: UInt64, index: Int) { (block / BlockChunk.blocks, Int(block % BlockChunk.blocks)) }

    func has(_ block: UInt64) -> Bool { monitor.locked { isHere(block) } }

    private func isHere(_ block: UInt64) -> Bool {
        if !pending.isEmpty, pending[block] != nil { return true }
        let place = ObjectState.place(block)
        return (chunk(place.chunk)?.check(place.index) ?? 0) != 0
    }

    func missing(in blocks: Range<UInt64>) -> [Range<UInt64>] {
        let blocks = blocks.clamped(to: 0..<Block.count(fileSize: version.size))
        return monitor.locked {
            var result: [Range<UInt64>] = []
            var start: UInt64?
            var block = blocks.lowerBound
            while block < blocks.upperBound {
                let place = ObjectState.place(block)
                if pending.isEmpty, chunk(place.chunk).map(\.isEmpty) ?? true {
                    start = start ?? block
                    block = min(blocks.upperBound, (place.chunk + 1) * BlockChunk.blocks)
                    continue
                }
                if isHere(block) {
                    if let first = start { result.append(first..<block) }
                    start = nil
                } else {
                    start = start ?? block
                }
                block += 1
            }
            if let first = start { result.append(first..<blocks.upperBound) }
            return result
        }
    }

    // MARK: Reading

    private enum Step {
        case missing
        case memory([UInt8])
        /// Pinned, checked earlier, as many bytes as said.
        case verified(FileDescriptor, count: Int)
        /// Pinned, one block, not checked yet.
        case unverified(FileDescriptor, check: UInt32)
    }

    /// - Parameter now: the time of use, or `nil` to leave the order of use as it is.
    func read(_ range: FileRange, into buffer: UnsafeMutableRawBufferPointer, now: UInt64?, store: ChunkStore) -> Int {
        guard range.offset < version.size, let base = buffer.baseAddress else { return 0 }
        let wanted = Int(min(UInt64(buffer.count), range.count, version.size - range.offset))
        var done = 0
        while done < wanted {
            let offset = range.offset + UInt64(done)
            let block = Block.number(at: offset)
            let inside = Int(offset % Block.size)
            let rest = UnsafeMutableRawBufferPointer(start: base + done, count: wanted - done)
            switch monitor.locked({ step(block, inside, rest.count, now) }) {
            case .missing:
                return done
            case .memory(let bytes):
                let count = min(bytes.count - inside, rest.count)
                bytes.withUnsafeBytes { rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[inside..<(inside + count)])) }
                done += count
            case .verified(let file, let count):
                let got = file.read(UnsafeMutableRawBufferPointer(rebasing: rest.prefix(count)), at: offset)
                unpin(block, Block.number(at: offset + UInt64(count) - 1))
                done += got
                if got < count {
                    forget(Block.number(at: offset + UInt64(got)), ifCheckIs: nil, store: store)
                    return done
                }
            case .unverified(let file, let check):
                let count = verify(block, inside, check, file, rest)
                unpin(block, block)
                guard let count else {
                    forget(block, ifCheckIs: check, store: store)
                    return done
                }
                done += count
            }
        }
        return done
    }

    private func step(_ block: UInt64, _ inside: Int, _ wanted: Int, _ now: UInt64?) -> Step {
        if !pending.isEmpty, let bytes = pending[block] { return inside < bytes.count ? .memory(bytes) : .missing }
        let place = ObjectState.place(block)
        guard let chunk = chunk(place.chunk), chunk.check(place.index) != 0, let files = opened() else { return .missing }
        if let now {
            chunk.touch(place.index, now)
            unsaved = true
        }
        guard chunk.isVerified(place.index) else {
            return pin(chunk, place.index, place.index) ? .unverified(files.data, check: chunk.check(place.index)) : .missing
        }
        var last = place.index
        var count = Int(Block.size) - inside
        while count < wanted, last + 1 < Int(BlockChunk.blocks), chunk.isVerified(last + 1) {
            last += 1
            count += Int(Block.size)
            if let now { chunk.touch(last, now) }
        }
        return pin(chunk, place.index, last) ? .verified(files.data, count: min(count, wanted)) : .missing
    }

    /// Reads the whole block, checks it, and copies what is wanted; `nil` when it is not what was stored.
    private func verify(_ block: UInt64, _ inside: Int, _ check: UInt32, _ file: FileDescriptor, _ wanted: UnsafeMutableRawBufferPointer) -> Int? {
        let whole = Block.range(block, fileSize: version.size)
        let length = Int(whole.count)
        let count = min(length - inside, wanted.count)
        let isRight: Bool
        if inside == 0, count == length {
            let target = UnsafeMutableRawBufferPointer(rebasing: wanted[..<length])
            isRight = file.read(target, at: whole.offset) == length && self.check(block, UnsafeRawBufferPointer(target)) == check
        } else {
            let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 64)
            defer { scratch.deallocate() }
            isRight = file.read(scratch, at: whole.offset) == length && self.check(block, UnsafeRawBufferPointer(scratch)) == check
            if isRight { wanted.copyMemory(from: UnsafeRawBufferPointer(rebasing: scratch[inside..<(inside + count)])) }
        }
        guard isRight else { return nil }
        monitor.locked {
            let place = ObjectState.place(block)
            if let chunk = chunks[place.chunk], chunk.check(place.index) == check { chunk.setVerified(place.index) }
        }
        return count
    }

    private func pin(_ chunk: BlockChunk, _ first: Int, _ last: Int) -> Bool {
        guard chunk.pin(first, last) else { return false }
        readers += 1
        return true
    }

    private func unpin(_ first: UInt64, _ last: UInt64) {
        monitor.locked {
            chunks[first / BlockChunk.blocks]?.unpin(ObjectState.place(first).index, ObjectState.place(last).index)
            readers -= 1
        }
    }

    /// The block failed: it is missing from now on.
    private func forget(_ block: UInt64, ifCheckIs check: UInt32?, store: ChunkStore) {
        let isForgotten = monitor.locked {
            let place = ObjectState.place(block)
            guard let chunk = chunks[place.chunk], chunk.check(place.index) != 0, check == nil || chunk.check(place.index) == check else {
                return false
            }
            chunk.set(place.index, check: 0)
            unsaved = true
            return true
        }
        if isForgotten { store.foundBad(block, of: self) }
    }

    // MARK: Writing

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

    private static func entryOffset(_ block: UInt64) -> UInt64 { UInt64(ObjectHeader.area) + block * 4 }

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
