import Bytes
import ChunkStore
import Diagnostics
import Glibc
import OffPool
import Synchronization
import Testing

/// Random use against what can be said of it without a cache.
@Suite(.offPool) struct ModelTests {
    let scratch = Scratch()
    var directory: String { scratch.path + "/cache" }

    /// What a handle must read: the content number of its version.
    private struct Handle {
        let object: CachedObject
        let key: Int
        let version: Int
        let content: UInt64
    }

    @Test("random writes, reads, evictions, retirements, crashes and restarts never give a wrong byte", arguments: 1...8 as ClosedRange<UInt64>)
    func randomUse(seed: UInt64) throws {
        var random = Seeded(seed)
        func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        let sizes: [UInt64] = [1, 65536, 100_000, 1 << 20, 2_500_000, 70 << 20]
        var current = [Int](repeating: 0, count: 6)
        // Retired versions are told apart by what is pinned, as a reader does.
        func content(_ key: Int, _ version: Int) -> UInt64 { UInt64(key * 1000 + version) }
        let limits = [roomy, CacheLimits(maximumBytes: 5 << 20, minimumFreeBytes: 0), CacheLimits(maximumBytes: 12 << 20, minimumFreeBytes: 0)]
        var path = directory
        var store = try ChunkStore(directory: path, limits: limits[pick(3)], log: .silent)
        var handles: [Handle] = []
        var reads = 0
        var found = 0
        // A copy takes one file after another: what was written meanwhile fails its check.
        var wasCopied = false
        for step in 0..<1500 {
            switch pick(100) {
            case 0..<12:
                guard handles.count < 12 else { break }
                let key = pick(6)
                let object = try store.open(
                    key: "k\(key)", version: ObjectVersion(size: sizes[key], tag: "v\(current[key] / 2)"),
                    label: ObjectLabel(source: "s", path: "\(key)"))
                do {
                    // Two versions in a row look the same in the listing: only the reply tells them apart.
                    try object.pin("p\(current[key])", keep: pick(6) > 0)
                    handles.append(Handle(object: object, key: key, version: current[key], content: content(key, current[key])))
                } catch {
                    #expect(error.code == .pinnedDiffers)
                    object.retire()
                    object.close()
                }
            case 12..<20:
                if !handles.isEmpty { handles.remove(at: pick(handles.count)).object.close() }
            case 20..<22:
                current[pick(6)] += 1
            case 22..<24:
                if let handle = handles.randomElement(using: &random) { handle.object.retire() }
            case 24..<27:
                store.setLimits(limits[pick(3)])
            case 27..<29:
                store.flush()
            case 29:
                store.drop(key: "k\(pick(6))")
            case 30:
                _ = store.list()
                _ = store.verify { _ in true }
                #expect(wasCopied || store.statistics.badBlocks == 0)
            case 31, 32:
                // A restart, a crash, or a copy taken meanwhile.
                let kind = seed % 2 == 0 ? 0 : pick(3)
                if kind == 0 {
                    handles.forEach { $0.object.close() }
                    store.close()
                } else {
                    let copy = scratch.path + "/copy\(step)"
                    Scratch.copy(path, to: copy)
                    wasCopied = true
                    if kind == 1 { handles.forEach { $0.object.close() } }
                    store.close()
                    Scratch.removeTree(path)
                    path = copy
                }
                handles.removeAll()
                store = try ChunkStore(directory: path, limits: limits[pick(3)], log: .silent)
            case 33..<60:
                guard let handle = handles.randomElement(using: &random) else { break }
                let blocks = Block.count(fileSize: sizes[handle.key])
                let start = random.next() % blocks
                for block in start..<min(blocks, start + 1 + random.next() % 20) {
                    handle.object.write(block, Pattern.block(handle.content, block, size: sizes[handle.key]))
                }
            default:
                guard let handle = handles.randomElement(using: &random) else { break }
                let size = sizes[handle.key]
                let range = FileRange(offset: random.next() % size, count: 1 + random.next() % 300_000, fileSize: size)
                let bytes = read(handle.object, range)
                reads += 1
                found += bytes.isEmpty ? 0 : 1
                guard bytes == Pattern.bytes(handle.content, FileRange(offset: range.offset, end: range.offset + UInt64(bytes.count))) else {
                    Issue.record("a wrong byte: seed \(seed), step \(step), key \(handle.key), version \(handle.version), \(range)")
                    return
                }
                if bytes.count == Int(range.count) { #expect(handle.object.has(Block.number(at: range.offset)) || store.limits != roomy) }
            }
        }
        #expect(found > reads / 20, "the cache did answer")
        #expect(wasCopied || store.statistics.badBlocks == 0)
        store.close()
    }

    @Test("readers and writers at once, under evictions, read right bytes only")
    func stress() throws {
        let size: UInt64 = 24 << 20
        let store = try ChunkStore(directory: directory, limits: CacheLimits(maximumBytes: 10 << 20, minimumFreeBytes: 0), log: .silent)
        let wrong = Atomic(0)
        let found = Atomic(0)
        let threads = (0..<6 as Range<UInt64>).map { number in
            Thread {
                var random = Seeded(number + 77)
                guard let object = try? open(store, "\(number % 2)", size: size) else { return }
                for _ in 0..<1500 {
                    let start = random.next() % size
                    let range = FileRange(offset: start, count: 1 + random.next() % 200_000, fileSize: size)
                    let bytes = read(object, range)
                    let right = Pattern.bytes(number % 2, FileRange(offset: start, end: start + UInt64(bytes.count)))
                    if bytes != right { wrong.wrappingAdd(1, ordering: .relaxed) }
                    if !bytes.isEmpty { found.wrappingAdd(1, ordering: .relaxed) }
                    if bytes.count < Int(range.count) {
                        let block = Block.number(at: start + UInt64(bytes.count))
                        object.write(block, Pattern.block(number % 2, block, size: size))
                    }
                }
                object.close()
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(found.load(ordering: .relaxed) > 300)
        let statistics = store.statistics
        #expect(statistics.badBlocks == 0 && statistics.evictedBlocks > 0)
        store.close()
    }

    @Test("what a reader copies is not punched under it, however often everything is dropped")
    func dropsUnderReaders() throws {
        let size: UInt64 = 2 << 20
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        let content = Pattern.bytes(9, FileRange(offset: 0, end: size))
        let ended = Atomic(false)
        let wrong = Atomic(0)
        let whole = Atomic(0)
        let readers = (0..<3).map { _ in
            Thread {
                guard let object = try? open(store, "a", size: size) else { return }
                while !ended.load(ordering: .relaxed) {
                    let bytes = read(object, FileRange(offset: 0, end: size))
                    let isRight = bytes.withUnsafeBytes { mine in
                        content.withUnsafeBytes { memcmp(mine.baseAddress!, $0.baseAddress!, mine.count) == 0 }
                    }
                    if !isRight { wrong.wrappingAdd(1, ordering: .relaxed) }
                    if bytes.count == Int(size) { whole.wrappingAdd(1, ordering: .relaxed) }
                }
                object.close()
            }
        }
        let object = try open(store, "a", size: size)
        for _ in 0..<150 {
            fill(object, 9, 0..<32)
            store.flush()
            usleep(500)
            store.drop(key: "a")
        }
        ended.store(true, ordering: .relaxed)
        for reader in readers { reader.join() }
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(whole.load(ordering: .relaxed) > 50)
        #expect(store.statistics.badBlocks == 0)
        store.close()
    }
}
