package import SourceAPI
internal import Bytes
internal import ChunkStore
internal import Diagnostics
internal import Synchronization

/// Names a read that waits, for `FileReader.cancel`.
package struct ReadTicket: Hashable, Sendable { let id: UInt64 }

/// One open file handle: its size and version are fixed. Every method may be called from any thread, many at a time.
package final class FileReader: Sendable {
    package enum Outcome: Sendable { case done(Int), pending(ReadTicket) }

    private struct Reading: Sendable {
        var pattern: AccessPattern
        var countsAsSequential = false
        var isClosed = false
    }

    package let size: UInt64
    let number: UInt64
    /// `nil` for an empty file: there is nothing to fetch.
    let object: OpenObject?
    let shared: ReadShared
    private let reading: Mutex<Reading>
    private let closed: @Sendable (OpenObject) -> Void

    init(number: UInt64, size: UInt64, object: OpenObject?, shared: ReadShared, closed: @escaping @Sendable (OpenObject) -> Void) {
        self.number = number
        self.size = size
        self.object = object
        self.shared = shared
        self.closed = closed
        let limits = shared.limits
        let pattern = AccessPattern(
            size: size, leastWindow: limits.leastWindow, largestWindow: limits.largestWindow, smallFile: limits.smallFile)
        reading = Mutex(Reading(pattern: pattern))
        object?.open(handle: number)
        shared.counters.openHandles.add()
    }

    deinit { close() }

    /// Reads exactly `min(buffer.count, size − offset)` bytes; none at or past the end.
    ///
    /// What is cached is copied here and now, with no allocation: `.done(count)`, and `later` is not called. Else
    /// `.pending`, `buffer` is not used any more, and `later` is called exactly once, from a thread of the source or a
    /// timer, perhaps before this call returned: with all the bytes, valid during the call only, or with an error. It
    /// must be quick and must not block. A handle whose version is gone upstream gets bytes of that version as far as
    /// they are cached, and `.changedUpstream` for others: never bytes of another version.
    package func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer,
        later: @escaping @Sendable (Result<UnsafeRawBufferPointer, SourceError>) -> Void
    ) -> Outcome {
        let range = FileRange(offset: offset, count: UInt64(buffer.count), fileSize: size)
        guard let object, !range.isEmpty else { return .done(0) }
        let count = Int(range.count)
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        let present = object.kept.read(range, into: target)
        let (step, keepsEarlier) = note(range)
        if present >= count {
            shared.counters.hits.add()
            shared.counters.bytesServed.add(range.count)
            if step.movesWindow { object.moved(handle: number, step, keepsEarlier: keepsEarlier) }
            return .done(count)
        }
        let read = PendingRead(range, handle: number, budget: shared.budget, counters: shared.counters, later: later)
        read.takeStart(UnsafeRawBufferPointer(rebasing: target[..<present]))
        switch object.register(read, present: present, patience: nil, step: step, keepsEarlier: keepsEarlier) {
        case .done:
            read.finish(into: target)
            shared.counters.hits.add()
            shared.counters.bytesServed.add(range.count)
            return .done(count)
        case .waiting(let id):
            shared.counters.misses.add()
            return .pending(ReadTicket(id: id))
        }
    }

    /// Gives up a read: its `later` gets `.cancelled` soon, from another thread, unless it was answered already. The
    /// fetch goes on for others who wait for the same blocks, and is cancelled if there are none.
    package func cancel(_ ticket: ReadTicket) { object?.cancel(ticket.id) }

    /// Ends the handle: reads that wait get `.cancelled`, read-ahead that no other handle wants is cancelled. What was
    /// received stays in the cache. Only the first call counts. Blocks that may not outlive the open file (no strong
    /// validator) go when the last reader is released, which may be a little later.
    package func close() {
        let isFirst = reading.withLock { reading in
            defer { reading.isClosed = true }
            if !reading.isClosed, reading.countsAsSequential { shared.budget.readerCeasedSequential() }
            return !reading.isClosed
        }
        guard isFirst else { return }
        shared.counters.openHandles.subtract()
        guard let object else { return }
        object.close(handle: number)
        closed(object)
    }

    private func note(_ range: FileRange) -> (AccessPattern.Step, keepsEarlier: Bool) {
        var share = shared.budget.windowShare
        // Blocks that the cache loses live in memory only until others push them out.
        if object?.isLossy.load(ordering: .relaxed) == true { share = min(share, shared.budget.windowShare(of: shared.limits.recentBytes / 2)) }
        return reading.withLock { reading in
            guard !reading.isClosed else { return (.quiet, false) }
            let step = reading.pattern.note(range, share: share)
            if step.movesWindow, reading.pattern.isSequential != reading.countsAsSequential {
                reading.countsAsSequential.toggle()
                if reading.countsAsSequential { shared.budget.readerBecameSequential() } else { shared.budget.readerCeasedSequential() }
            }
            return (step, reading.pattern.keepsEarlierWindows)
        }
    }
}
