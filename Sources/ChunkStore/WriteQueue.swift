internal import Bytes
internal import Threads

/// Blocks on their way to disk, 32 MiB at most.
///
/// SAFETY: every variable is read and written under the monitor only.
final class WriteQueue: @unchecked Sendable {
    struct Item {
        let state: ObjectState
        let block: UInt64
        let count: Int
    }

    static let limit = 32 << 20
    private let monitor = Monitor()
    private var items: [Item] = []
    private var queuedBytes = 0
    private var isStalled = false
    private var isClosed = false
    private var isDraining = false
    private let patience: UInt64

    init(patience milliseconds: UInt64) { patience = milliseconds }

    var bytes: UInt64 { UInt64(monitor.locked { queuedBytes }) }

    /// Takes room for a block, and waits for it. False: the queue is closed, or stayed full for too long; from then on
    /// nobody waits until something was stored.
    func reserve(_ count: Int) -> Bool {
        monitor.locked {
            let clock = ContinuousClock()
            let end = clock.now + .milliseconds(Int64(clamping: patience))
            while !isClosed, queuedBytes > 0, queuedBytes + count > WriteQueue.limit {
                if isStalled || clock.now >= end {
                    isStalled = true
                    return false
                }
                monitor.wait(milliseconds: 50)
            }
            guard !isClosed else { return false }
            queuedBytes += count
            return true
        }
    }

    /// Gives back what `reserve` took.
    func release(_ count: Int) {
        monitor.locked {
            queuedBytes -= count
            isStalled = false
            monitor.signal()
        }
    }

    /// Returns: whether somebody has to be told to drain.
    func append(_ item: Item) -> Bool {
        monitor.locked {
            items.append(item)
            defer { isDraining = true }
            return !isDraining
        }
    }

    /// The next items, and whether there are more: if not, the next `append` asks for a drain again.
    func take(_ count: Int) -> (items: [Item], hasMore: Bool) {
        monitor.locked {
            let taken = Array(items.prefix(count))
            items.removeFirst(taken.count)
            isDraining = !items.isEmpty
            return (taken, isDraining)
        }
    }

    func close() {
        monitor.locked {
            isClosed = true
            monitor.signal()
        }
    }
}
