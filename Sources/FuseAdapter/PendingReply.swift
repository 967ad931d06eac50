internal import CFuse
internal import Glibc
internal import Synchronization

/// The right to answer one kernel request, used exactly once: by the tree, by an interrupt, or, when it is dropped
/// unanswered, by itself.
///
/// Lock order: `state`, then libfuse's lock of the request (taken by `fuse_req_interrupt_func`), then the table's locks.
/// libfuse calls the interrupt function with the request locked; so that function only notes the number and never comes
/// here. Replies are sent after `state` is released.
final class PendingReply: Sendable {
    private enum Phase: Sendable {
        case waiting(RequestBox)
        case answered
        /// Answered because the caller or the mount went away: the tree's answer, which is still to come, is void.
        case withdrawn
    }

    private struct State: Sendable {
        var phase: Phase
        /// In the table of cancellable requests; 0: not there.
        var identifier: UInt = 0
    }

    let operation: StaticString
    private let table: PendingTable
    private let state: Mutex<State>

    init(_ request: fuse_req_t, _ operation: StaticString, _ table: PendingTable) {
        self.operation = operation
        self.table = table
        state = Mutex(State(phase: .waiting(RequestBox(pointer: request))))
        table.requestBegan()
    }

    deinit {
        let left = state.withLock { $0 }
        guard case .waiting(let box) = left.phase else { return }
        fuse_reply_err(box.pointer, EIO)
        table.requestEnded(left.identifier)
    }

    /// Makes the request cancellable. Nothing happens when it was answered meanwhile.
    func arm(_ cancel: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard case .waiting(let box) = state.phase else { return }
            let identifier = table.register(self, cancel)
            state.identifier = identifier
            // The request cannot be freed meanwhile: who answers takes it from `state` first.
            fuse_req_interrupt_func(box.pointer, PendingTable.interrupted, UnsafeMutableRawPointer(bitPattern: identifier))
        }
    }

    /// Sends the answer.
    ///
    /// - Parameter send: one of `fuse_reply_*`.
    /// - Returns: whether the kernel took it. If not, what the answer handed over (a look-up, a handle) must be undone.
    @discardableResult
    func answer(_ send: (fuse_req_t) -> CInt) -> Bool {
        guard let taken = take(.answered) else { return false }
        let result = send(taken.box.pointer)
        table.requestEnded(taken.identifier)
        return result == 0
    }

    /// Answers with an error before the tree does.
    func withdraw(_ error: CInt) {
        guard let taken = take(.withdrawn) else { return }
        fuse_reply_err(taken.box.pointer, error)
        table.requestEnded(taken.identifier)
    }

    private func take(_ next: Phase) -> (box: RequestBox, identifier: UInt)? {
        state.withLock { state in
            switch state.phase {
            case .waiting(let box):
                state.phase = next
                return (box, state.identifier)
            case .answered:
                if case .answered = next { assertionFailure("a FUSE request was answered twice") }
                return nil
            case .withdrawn: return nil
            }
        }
    }
}

/// SAFETY: libfuse takes an answer from any thread; `PendingReply` hands the pointer out once.
private struct RequestBox: @unchecked Sendable {
    let pointer: fuse_req_t
}
