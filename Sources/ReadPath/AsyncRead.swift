internal import Synchronization

/// Joins a read's ticket with its task's cancellation, whichever comes first.
final class AsyncRead: Sendable {
    private enum State: Sendable { case starting, waiting(ReadTicket), cancelled }

    private let state = Mutex(State.starting)

    /// - Returns: whether the task was cancelled before.
    func began(_ ticket: ReadTicket) -> Bool {
        state.withLock { state in
            if case .cancelled = state { return true }
            state = .waiting(ticket)
            return false
        }
    }

    /// - Returns: the read to give up.
    func cancelled() -> ReadTicket? {
        state.withLock { state in
            defer { state = .cancelled }
            if case .waiting(let ticket) = state { return ticket }
            return nil
        }
    }
}
