import Bytes
import ChunkStore
import Synchronization

@testable import ReadPath

/// A cache in memory that tests can make forget, fail and damage.
final class MemoryStore: Sendable {
    struct Kept: Sendable {
        var blocks: [UInt64: [UInt8]] = [:]
        var pinned: String?
        var keep = true
        var isRetired = false
        var opens = 0
    }

    struct Name: Hashable, Sendable {
        let key: String
        let version: ObjectVersion
    }

    struct State: Sendable {
        var kept: [Name: Kept] = [:]
        /// Blocks given are dropped, as with a full disk.
        var dropsWrites = false
        var writes = 0
        var openFails = false
        /// Says it has blocks, and cannot read them.
        var damaged: Set<UInt64> = []
        var lossRandom: SeededRandom?
    }

    let state = Mutex(State())

    var keeper: BlockKeeper {
        { [self] (key, version, _) throws(CacheError) in
            let name = Name(key: key, version: version)
            let opened = state.withLock { state in
                if state.openFails { return false }
                if state.kept[name]?.isRetired == true, state.kept[name]?.opens == 0 { state.kept[name] = nil }
                state.kept[name, default: Kept()].opens += 1
                return true
            }
            guard opened else { throw CacheError(.inaccessible, "no disk") }
            return MemoryObject(store: self, name: name)
        }
    }

    /// Forgets about a part of all blocks.
    func evict(_ random: inout SeededRandom, oneIn: Int) {
        state.withLock { state in
            for name in state.kept.keys.sorted(by: { $0.key < $1.key }) {
                for block in state.kept[name]!.blocks.keys.sorted() where Int.random(in: 0..<oneIn, using: &random) == 0 {
                    state.kept[name]!.blocks[block] = nil
                }
            }
        }
    }

    func evictAll() { state.withLock { state in for name in state.kept.keys { state.kept[name]!.blocks = [:] } } }

    var blockCount: Int { state.withLock { $0.kept.values.reduce(0) { $0 + $1.blocks.count } } }
}

final class MemoryObject: BlockKeeping, Sendable {
    private let store: MemoryStore
    private let name: MemoryStore.Name
    private let isClosed = Atomic(false)

    init(store: MemoryStore, name: MemoryStore.Name) {
        self.store = store
        self.name = name
    }

    private func with<R>(_ body: (inout MemoryStore.Kept, inout MemoryStore.State) -> R) -> R {
        store.state.withLock { state in
            precondition(!isClosed.load(ordering: .relaxed), "a closed object was used")
            var kept = state.kept[name] ?? MemoryStore.Kept()
            state.kept[name] = nil
            defer { state.kept[name] = kept }
            return body(&kept, &state)
        }
    }

    var pinned: String? { with { kept, _ in kept.pinned } }

    func pin(_ text: String, keep: Bool) throws(CacheError) {
        let fits = with { kept, _ in
            if let pinned = kept.pinned, pinned != text { return false }
            kept.pinned = text
            kept.keep = kept.keep && keep
            return true
        }
        if !fits { throw CacheError(.pinnedDiffers, "another version is pinned") }
    }

    func has(_ block: UInt64) -> Bool { with { kept, _ in kept.blocks[block] != nil } }

    func missing(in blocks: Range<UInt64>) -> [Range<UInt64>] {
        with { kept, _ in
            var result: [Range<UInt64>] = []
            for block in blocks where kept.blocks[block] == nil {
                if let last = result.last, last.upperBound == block {
                    result[result.count - 1] = last.lowerBound..<block + 1
                } else {
                    result.append(block..<block + 1)
                }
            }
            return result
        }
    }

    func read(_ range: FileRange, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        with { kept, state in
            var done = 0
            while done < Int(range.count) {
                let position = range.offset + UInt64(done)
                let number = Block.number(at: position)
                guard let block = kept.blocks[number] else { break }
                if state.damaged.contains(number) { break }
                let from = Int(position - number * Block.size)
                let count = min(block.count - from, Int(range.count) - done)
                block.withUnsafeBytes { buffer.baseAddress!.advanced(by: done).copyMemory(from: $0.baseAddress! + from, byteCount: count) }
                done += count
            }
            return done
        }
    }

    func write(_ block: UInt64, _ bytes: [UInt8]) {
        with { kept, state in
            precondition(UInt64(bytes.count) == Block.range(block, fileSize: name.version.size).count, "a block of the wrong length")
            precondition(kept.pinned != nil, "a block before its pin")
            state.writes += 1
            guard !state.dropsWrites else { return }
            state.damaged.remove(block)
            kept.blocks[block] = bytes
        }
    }

    func retire() { with { kept, _ in kept.isRetired = true } }

    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        store.state.withLock { state in
            state.kept[name]?.opens -= 1
            guard let kept = state.kept[name], kept.opens == 0, !kept.keep || kept.isRetired else { return }
            state.kept[name] = nil
        }
    }
}
