internal import Bytes
internal import SourceAPI
internal import Synchronization

/// Takes a file of unknown length into memory, up to a limit.
final class SpoolSink: FetchSink {
    enum Outcome: Sendable {
        /// The whole file, in blocks.
        case spooled(blocks: [[UInt8]], size: UInt64, Validator)
        /// The origin told the length after all.
        case told(size: UInt64, Validator)
        case failed(SourceError)
    }

    private struct State: Sendable {
        var blocks: [[UInt8]] = []
        var size: UInt64 = 0
        var validator = Validator()
        var outcome: Outcome?
        var continuation: CheckedContinuation<Outcome, Never>?
        var task: (any FetchTask)?
    }

    private let limit: UInt64
    private let name: String
    private let budget: ReadBudget
    private let state = Mutex(State())

    init(limit: UInt64, name: String, budget: ReadBudget) {
        self.limit = limit
        self.name = name
        self.budget = budget
    }

    deinit { budget.give(memory: state.withLock { Int($0.size) }) }

    /// Waits for the outcome; to be called once.
    func outcome(of start: (SpoolSink) -> any FetchTask) async -> Outcome {
        await withCheckedContinuation { continuation in
            state.withLock { $0.continuation = continuation }
            let task = start(self)
            let isOver = state.withLock { state in
                // Not kept once it is over: the task and this hold each other.
                if state.outcome == nil { state.task = task }
                return state.outcome != nil
            }
            if isOver { task.cancel() }
        }
    }

    /// Ends it from outside.
    func give(up error: SourceError) { settle(.failed(error)) }

    func begin(_ reply: FetchReply) -> FetchDecision {
        if let total = reply.total {
            settle(.told(size: total, reply.validator))
            return .stop
        }
        guard reply.offset == 0 else {
            settle(.failed(SourceError(.malformed, "\(name): bytes from \(reply.offset) came where 0 was asked")))
            return .stop
        }
        state.withLock { $0.validator = reply.validator }
        return .proceed
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> FetchDecision {
        let size = state.withLock { state -> UInt64 in
            guard state.outcome == nil, UInt64(bytes.count) <= limit, state.size <= limit - UInt64(bytes.count) else { return .max }
            var rest = bytes[...]
            while !rest.isEmpty {
                if state.blocks.last.map({ $0.count == Int(Block.size) }) ?? true { state.blocks.append([]) }
                let last = state.blocks.count - 1
                let taken = min(Int(Block.size) - state.blocks[last].count, rest.count)
                state.blocks[last].append(contentsOf: UnsafeRawBufferPointer(rebasing: rest.prefix(taken)))
                rest = rest.dropFirst(taken)
            }
            state.size += UInt64(bytes.count)
            budget.take(memory: bytes.count)
            return state.size
        }
        guard size == .max else { return .proceed }
        settle(
            .failed(
                SourceError(
                    .sizeUnknown, "\(name): the origin does not tell its size, and it is larger than \(limit >> 20) MiB",
                    advice: "a file without a length can be shown only up to that size")))
        return .stop
    }

    func end(_ error: SourceError?) {
        if let error { return settle(.failed(error)) }
        let spooled = state.withLock { Outcome.spooled(blocks: $0.blocks, size: $0.size, $0.validator) }
        settle(spooled)
    }

    /// The first outcome counts.
    private func settle(_ outcome: Outcome) {
        let (continuation, task) = state.withLock { state -> (CheckedContinuation<Outcome, Never>?, (any FetchTask)?) in
            guard state.outcome == nil else { return (nil, nil) }
            state.outcome = outcome
            state.blocks = []
            defer {
                state.continuation = nil
                state.task = nil
            }
            return (state.continuation, state.task)
        }
        task?.cancel()
        continuation?.resume(returning: outcome)
    }
}
