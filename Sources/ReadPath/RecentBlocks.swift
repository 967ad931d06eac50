internal import Bytes
internal import Synchronization

/// The blocks received last, in memory. A block is normally read from the cache; this ring holds it for the reader when
/// the cache could not keep it: a full or failing disk, a limit smaller than the window.
final class RecentBlocks: Sendable {
    private struct Key: Hashable {
        let object: UInt64
        let block: UInt64
    }

    /// Invariant: `order` holds each key of `blocks` once, oldest first from `head`; `bytes` is the sum of their sizes.
    private struct Ring {
        var blocks: [Key: [UInt8]] = [:]
        var order: [Key] = []
        var head = 0
        var bytes: UInt64 = 0
    }

    private let limit: UInt64
    private let ring = Mutex(Ring())

    init(limit: UInt64) { self.limit = limit }

    func insert(object: UInt64, block: UInt64, _ bytes: [UInt8]) {
        let key = Key(object: object, block: block)
        ring.withLock { ring in
            if let old = ring.blocks.updateValue(bytes, forKey: key) {
                ring.bytes -= UInt64(old.count)
            } else {
                ring.order.append(key)
            }
            ring.bytes += UInt64(bytes.count)
            while ring.bytes > limit, ring.head < ring.order.count {
                if let gone = ring.blocks.removeValue(forKey: ring.order[ring.head]) { ring.bytes -= UInt64(gone.count) }
                ring.head += 1
            }
            if ring.head > 4096 {
                ring.order.removeFirst(ring.head)
                ring.head = 0
            }
        }
    }

    func block(object: UInt64, _ block: UInt64) -> [UInt8]? {
        ring.withLock { $0.blocks[Key(object: object, block: block)] }
    }

    /// What of `ranges` is not here.
    func missing(object: UInt64, of ranges: [Range<UInt64>]) -> [Range<UInt64>] {
        ring.withLock { ring in
            guard ring.blocks.count > 0 else { return ranges }
            var result: [Range<UInt64>] = []
            for range in ranges {
                var start = range.lowerBound
                for block in range where ring.blocks[Key(object: object, block: block)] != nil {
                    if start < block { result.append(start..<block) }
                    start = block + 1
                }
                if start < range.upperBound { result.append(start..<range.upperBound) }
            }
            return result
        }
    }

    /// Forgets an object's blocks: called when its last handle closes.
    func remove(object: UInt64) {
        ring.withLock { ring in
            var kept: [Key] = []
            for key in ring.order[ring.head...] {
                if key.object != object {
                    kept.append(key)
                } else if let gone = ring.blocks.removeValue(forKey: key) {
                    ring.bytes -= UInt64(gone.count)
                }
            }
            ring.order = kept
            ring.head = 0
        }
    }
}
