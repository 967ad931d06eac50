import SourceAPI
import Synchronization

/// Keeps what one fetch brought.
final class CollectingSink: FetchSink {
    struct Outcome: Sendable {
        var reply: FetchReply?
        var bytes: [UInt8] = []
        var error: SourceError?
    }

    private struct State {
        var outcome = Outcome()
        var hasEnded = false
        var waiter: CheckedContinuation<Outcome, Never>?
    }

    private let state = Mutex(State())

    func begin(_ reply: FetchReply) -> FetchDecision {
        state.withLock { $0.outcome.reply = reply }
        return .proceed
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> FetchDecision {
        state.withLock { $0.outcome.bytes.append(contentsOf: bytes) }
        return .proceed
    }

    func end(_ error: SourceError?) {
        let waiter = state.withLock { state in
            precondition(!state.hasEnded, "a sink heard the end twice")
            state.hasEnded = true
            state.outcome.error = error
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: state.withLock { $0.outcome })
    }

    /// What came, once it has ended.
    func outcome() async -> Outcome {
        await withCheckedContinuation { continuation in
            let finished: Outcome? = state.withLock { state in
                if state.hasEnded { return state.outcome }
                state.waiter = continuation
                return nil
            }
            if let finished { continuation.resume(returning: finished) }
        }
    }
}
