internal import Synchronization
internal import Transport

/// Takes so many bytes of a reply and cuts off the rest.
final class ProbeHandler: HTTPResponseHandler {
    private struct State {
        var reply = ProbeReply()
        var isStopped = false
        var hasBegun = false
    }

    private let limit: Int
    /// Stops a transfer that is still under way after so long; what came is the result.
    private let time: Duration?
    private let started = ContinuousClock.now
    private let state = Mutex(State())
    private let done: @Sendable (ProbeReply) -> Void

    init(limit: Int, time: Duration?, done: @escaping @Sendable (ProbeReply) -> Void) {
        self.limit = limit
        self.time = time
        self.done = done
    }

    func head(_ head: HTTPResponseHead) -> Bool {
        state.withLock { $0.reply.head = head }
        return true
    }

    func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let elapsed = ContinuousClock.now - started
        return state.withLock { state in
            if !state.hasBegun {
                state.hasBegun = true
                state.reply.firstByte = elapsed / .seconds(1)
            }
            let room = limit - state.reply.body.count
            state.reply.body.append(contentsOf: bytes.prefix(room))
            if bytes.count > room { state.reply.hasMore = true }
            state.isStopped = state.reply.hasMore || time.map { elapsed > $0 } ?? false
            return !state.isStopped
        }
    }

    func finished(_ error: TransportError?) {
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        let reply = state.withLock { state in
            state.reply.seconds = seconds
            if !state.hasBegun { state.reply.firstByte = seconds }
            if !state.isStopped { state.reply.error = error }
            return state.reply
        }
        done(reply)
    }
}
