internal import Bytes
internal import SourceAPI
internal import Synchronization

/// How far a whole fetch is.
package struct FetchProgress: Hashable, Sendable {
    package var size: UInt64
    /// Bytes that are here: those that were kept before, and those that came.
    package var present: UInt64
}

/// Fetches all blocks of an object that are not kept, in long ranges, some at a time and in order.
///
/// It waits for segments as a reader waits for bytes; so it shares flights with readers, and is retried as they are.
final class WholeFetch: Sendable {
    private struct State: Sendable {
        var next: UInt64 = 0
        /// Segments under way, with their tickets as soon as they have one.
        var running: [UInt64: FlightTable.ID?] = [:]
        var failure: SourceError?
        var isOver = false
        var continuation: CheckedContinuation<SourceError?, Never>?
    }

    private let object: OpenObject
    private let handle: UInt64
    private let progress: @Sendable (FetchProgress) -> Void
    private let present: Atomic<UInt64>
    private let state = Mutex(State())
    private let segment: UInt64
    private let blockCount: UInt64

    /// How often progress is told.
    private static let interval: Duration = .milliseconds(200)

    init(object: OpenObject, handle: UInt64, progress: @escaping @Sendable (FetchProgress) -> Void) {
        self.object = object
        self.handle = handle
        self.progress = progress
        blockCount = Block.count(fileSize: object.size)
        segment = max(1, object.shared.limits.largestSegment / Block.size)
        let absent = object.kept.missing(in: 0..<blockCount).reduce(0) { $0 + Block.bytes(of: $1, fileSize: object.size).count }
        present = Atomic(object.size - absent)
    }

    /// - Returns: why it did not become whole.
    func run() async -> SourceError? {
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<SourceError?, Never>) in
                state.withLock { $0.continuation = continuation }
                tell()
                advance()
            }
        } onCancel: {
            stop(SourceError(.cancelled, "\(object.name): the fetch was cancelled"))
        }
        report()
        return failure
    }

    private func report() { progress(FetchProgress(size: object.size, present: present.load(ordering: .relaxed))) }

    private func tell() {
        guard !state.withLock({ $0.isOver }) else { return }
        report()
        object.shared.at(.now + Self.interval) { [weak self] in self?.tell() }
    }

    private func stop(_ failure: SourceError) {
        let running = state.withLock { state in
            if state.failure == nil { state.failure = failure }
            return state.running.values.compactMap { $0 }
        }
        for id in running { object.cancel(id) }
        advance()
    }

    /// Starts segments while there is room, and ends the fetch after the last one.
    private func advance() {
        while let segment = nextSegment() { start(segment) }
        let ended = state.withLock { state -> (CheckedContinuation<SourceError?, Never>, SourceError?)? in
            guard state.running.isEmpty, state.failure != nil || state.next >= blockCount, let continuation = state.continuation else { return nil }
            state.continuation = nil
            state.isOver = true
            return (continuation, state.failure)
        }
        if let (continuation, failure) = ended { continuation.resume(returning: failure) }
    }

    private func nextSegment() -> Range<UInt64>? {
        state.withLock { state in
            guard state.failure == nil, state.continuation != nil, state.running.count < object.shared.limits.transfers, state.next < blockCount
            else { return nil }
            guard let gap = object.kept.missing(in: state.next..<blockCount).first else {
                state.next = blockCount
                return nil
            }
            let blocks = gap.lowerBound..<min(gap.upperBound, gap.lowerBound + segment)
            state.next = blocks.upperBound
            state.running[blocks.lowerBound] = .some(nil)
            return blocks
        }
    }

    private func start(_ blocks: Range<UInt64>) {
        let first = blocks.lowerBound
        let arrival: PendingRead.Arrival = { [weak self] bytes in _ = self?.present.wrappingAdd(bytes, ordering: .relaxed) }
        let read = PendingRead(
            Block.bytes(of: blocks, fileSize: object.size), handle: handle, budget: object.shared.budget, counters: object.shared.counters,
            arrived: arrival
        ) { result in self.segmentEnded(first, result) }
        switch object.register(read, present: 0, patience: object.shared.limits.deadline, step: .quiet, keepsEarlier: true) {
        case .done:
            // Somebody else fetched it since.
            read.finish(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
            _ = state.withLock { $0.running.removeValue(forKey: first) }
        case .waiting(let id):
            let isStopped = state.withLock { state in
                if state.running[first] != nil { state.running[first] = .some(id) }
                return state.failure != nil
            }
            if isStopped { object.cancel(id) }
        }
    }

    private func segmentEnded(_ first: UInt64, _ result: Result<UnsafeRawBufferPointer, SourceError>) {
        var failure: SourceError?
        if case .failure(let error) = result { failure = error }
        let isFirstFailure = state.withLock { state in
            _ = state.running.removeValue(forKey: first)
            return failure != nil && state.failure == nil
        }
        if let failure, isFirstFailure { return stop(failure) }
        advance()
    }
}
