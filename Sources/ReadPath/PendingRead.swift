internal import Bytes
internal import Diagnostics
internal import SourceAPI
internal import Synchronization

/// A read that waits for blocks, with the bytes that came so far. It is answered exactly once: whoever takes it out of
/// the table answers it, and one that is dropped answers `.cancelled` by itself, so that no caller hangs.
///
/// SAFETY: `buffer` is written by the thread that makes the read until it is in the table, then only under its object's
/// lock, and read by the one that answers, after taking it out under the same lock.
final class PendingRead: @unchecked Sendable {
    /// Adds to a whole fetch's progress; called under a lock.
    typealias Arrival = @Sendable (_ bytes: UInt64) -> Void
    typealias Answer = @Sendable (Result<UnsafeRawBufferPointer, SourceError>) -> Void

    let range: FileRange
    let handle: UInt64
    private let buffer: UnsafeMutableRawBufferPointer
    private let budget: ReadBudget
    private let counters: ReadCounters
    private let isAnswered = Atomic(false)
    private let later: Answer
    private let arrived: Arrival?

    /// - Parameter arrived: given by who does not want the bytes, only to know when the blocks are here.
    init(_ range: FileRange, handle: UInt64, budget: ReadBudget, counters: ReadCounters, arrived: Arrival? = nil, later: @escaping Answer) {
        self.range = range
        self.handle = handle
        self.budget = budget
        self.counters = counters
        self.later = later
        self.arrived = arrived
        buffer = .allocate(byteCount: arrived == nil ? Int(range.count) : 0, alignment: 16)
        budget.take(memory: buffer.count)
        counters.waiting.add()
    }

    deinit {
        if !isAnswered.load(ordering: .acquiring) { fail(SourceError(.cancelled, "the read was dropped")) }
        buffer.deallocate()
        budget.give(memory: buffer.count)
    }

    var wantsBytes: Bool { arrived == nil }

    /// The bytes before the first gap, as the caller's buffer has them.
    func takeStart(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= buffer.count else { return }
        buffer.copyMemory(from: bytes)
    }

    /// Copies what the read wants of a block.
    func take(_ block: UInt64, _ bytes: [UInt8]) {
        if let arrived { return arrived(UInt64(bytes.count)) }
        let whole = FileRange(offset: block * Block.size, end: block * Block.size + UInt64(bytes.count))
        guard let part = range.intersection(whole) else { return }
        bytes.withUnsafeBytes { source in
            let from = Int(part.offset - whole.offset)
            place(part).copyMemory(from: UnsafeRawBufferPointer(rebasing: source[from..<from + Int(part.count)]))
        }
    }

    /// Where the bytes `part`, which lie inside the range, belong.
    func place(_ part: FileRange) -> UnsafeMutableRawBufferPointer {
        let start = Int(part.offset - range.offset)
        return UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + Int(part.count)])
    }

    /// Gives up waiting: all bytes turned out to be here, and go to the caller's own buffer.
    func finish(into caller: UnsafeMutableRawBufferPointer) {
        settle()
        caller.copyMemory(from: UnsafeRawBufferPointer(buffer))
    }

    func succeed() {
        settle()
        counters.bytesServed.add(UInt64(buffer.count))
        later(.success(UnsafeRawBufferPointer(buffer)))
    }

    func fail(_ error: SourceError) {
        settle()
        answer(failure: error)
    }

    private func answer(failure error: SourceError) {
        if error.code != .cancelled { counters.failures.add() }
        later(.failure(error))
    }

    private func settle() {
        counters.waiting.subtract()
        precondition(!isAnswered.exchange(true, ordering: .acquiringAndReleasing), "a read was answered twice")
    }
}
