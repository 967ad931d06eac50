package import Bytes
internal import Diagnostics
internal import Synchronization

/// One opening of a cached object. Openings of the same key and version share blocks. Every method may be called from
/// any thread.
package final class CachedObject: Sendable {
    let state: ObjectState
    private let store: ChunkStore
    private let changesOrder: Bool
    private let isClosed = Atomic(false)

    init(state: ObjectState, store: ChunkStore, changesOrder: Bool) {
        self.state = state
        self.store = store
        self.changesOrder = changesOrder
    }

    package var size: UInt64 { state.version.size }

    /// What the first reply pinned (opaque), kept with the blocks across restarts; `nil` before.
    package var pinned: String? { state.pinned }

    /// States what every further reply must agree with. To be called before the first `write`: blocks written before
    /// are never kept.
    ///
    /// - Parameter keep: false: the bytes are gone at the last close, and no later run sees them. An object that is
    ///   not kept stays so until its last close.
    /// - Throws: `.pinnedDiffers` when another text is pinned and blocks may be stored under it. Nothing has changed
    ///   then: retire the object and open it anew.
    package func pin(_ text: String, keep: Bool) throws(CacheError) { try store.pin(text, keep: keep, of: state) }

    /// Whether the block is here, as far as memory knows: its check may still fail when it is read.
    package func has(_ block: UInt64) -> Bool { state.has(block) }

    /// The runs of blocks that are not here, in order.
    package func missing(in blocks: Range<UInt64>) -> [Range<UInt64>] { state.missing(in: blocks) }

    /// Copies as many bytes of `range` as are here without a gap from its start. Fewer than asked (and than fit the
    /// buffer): the next block is missing, or failed its check and is missing now.
    package func read(_ range: FileRange, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = state.read(range, into: buffer, now: changesOrder ? store.environment.now() : nil, store: store)
        let isWhole = UInt64(count) == min(range.count, UInt64(buffer.count), size - min(size, range.offset))
        (isWhole ? store.counters.hits : store.counters.misses).add()
        store.counters.readBytes.add(UInt64(count))
        return count
    }

    /// Takes a whole block (the last one of the file is shorter) and returns: a thread stores it, and until then it is
    /// read from memory. Waits while more than 32 MiB are queued, but not for a disk that stands still: then the block
    /// is dropped. A block that is here already, or has not the right length, is ignored.
    package func write(_ block: UInt64, _ bytes: [UInt8]) { store.write(block, bytes, of: state) }

    /// This version is gone upstream: nobody opens it any more, who has it open keeps what is here, and the bytes go
    /// at the last close.
    package func retire() { store.retire(state) }

    /// The object must not be used afterwards; further calls do nothing.
    package func close() { if !isClosed.exchange(true, ordering: .acquiringAndReleasing) { store.closed(state) } }

    deinit { close() }
}
