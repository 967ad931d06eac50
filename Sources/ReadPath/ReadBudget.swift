internal import Synchronization

/// What all open objects share: memory of waiting reads and unfinished blocks, and bytes asked ahead of readers. Only
/// read-ahead is refused by it; what a reader waits for is always fetched.
final class ReadBudget: Sendable {
    private let memoryLimit: UInt64
    private let readAheadLimit: UInt64
    private let memoryNow = Atomic<UInt64>(0)
    private let memoryMost = Atomic<UInt64>(0)
    private let readAheadNow = Atomic<UInt64>(0)
    private let sequentialReaders = Atomic<UInt64>(0)

    init(memory: UInt64, readAhead: UInt64) {
        memoryLimit = memory
        readAheadLimit = readAhead
    }

    var memory: UInt64 { memoryNow.load(ordering: .relaxed) }
    var memoryPeak: UInt64 { memoryMost.load(ordering: .relaxed) }

    func take(memory bytes: Int) {
        let now = memoryNow.wrappingAdd(UInt64(bytes), ordering: .relaxed).newValue
        _ = memoryMost.max(now, ordering: .relaxed)
    }

    func give(memory bytes: Int) { memoryNow.wrappingSubtract(UInt64(bytes), ordering: .relaxed) }

    func take(readAhead bytes: UInt64) { readAheadNow.wrappingAdd(bytes, ordering: .relaxed) }
    func give(readAhead bytes: UInt64) { readAheadNow.wrappingSubtract(bytes, ordering: .relaxed) }

    func readerBecameSequential() { sequentialReaders.wrappingAdd(1, ordering: .relaxed) }
    func readerCeasedSequential() { sequentialReaders.wrappingSubtract(1, ordering: .relaxed) }

    /// The largest window that is fair to a sequential reader now.
    var windowShare: UInt64 { windowShare(of: readAheadLimit) }

    func windowShare(of bytes: UInt64) -> UInt64 { bytes / max(1, sequentialReaders.load(ordering: .relaxed)) }

    /// How many bytes may be asked ahead now.
    var readAheadRoom: UInt64 {
        guard memory < memoryLimit else { return 0 }
        let now = readAheadNow.load(ordering: .relaxed)
        return now < readAheadLimit ? readAheadLimit - now : 0
    }
}
