internal import Bytes
internal import Glibc
internal import SourceAPI
internal import Synchronization
internal import Transport

/// One fetch of bytes of a file: passes on what `ReplyCheck` accepted, and no byte more than the reply promised.
final class RangeFetch: HTTPResponseHandler, FetchTask {
    private struct State {
        var transfer: HTTPTransfer?
        var isCancelled = false
        /// What is wrong with the reply; the transfer was stopped for it.
        var error: SourceError?
        /// What the accepted reply promised, and what has come of it.
        var promised: UInt64?
        var isWhole = false
        var received: UInt64 = 0
    }

    private let check: ReplyCheck
    private let asked: FileRange?
    private let pinned: Validator?
    private let sink: any FetchSink
    /// The lock is never held while the sink is called.
    private let state = Mutex(State())

    init(check: ReplyCheck, asked: FileRange?, pinned: Validator?, sink: any FetchSink) {
        self.check = check
        self.asked = asked
        self.pinned = pinned
        self.sink = sink
    }

    /// The transfer is known only after it was started; a cancel that came first is made up for.
    func attach(_ transfer: HTTPTransfer) {
        let isCancelled = state.withLock { state in
            state.transfer = transfer
            return state.isCancelled
        }
        if isCancelled { transfer.cancel() }
    }

    func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        transfer?.cancel()
    }

    func head(_ head: HTTPResponseHead) -> Bool {
        do throws(SourceError) {
            let reply = try check.fetch(head, asked: asked, pinned: pinned, now: UnixTime(seconds: Int64(time(nil))))
            state.withLock { state in
                state.promised = reply.isRanged ? asked?.count : reply.total ?? check.entry.size
                state.isWhole = !reply.isRanged
            }
            return sink.begin(reply) == .proceed
        } catch {
            state.withLock { $0.error = error }
            return false
        }
    }

    func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (isWithin, isLast) = state.withLock { state in
            state.received += UInt64(bytes.count)
            guard let promised = state.promised else { return (true, false) }
            if state.received > promised { state.error = mismatch(state.isWhole, "more than \(promised) bytes came") }
            return (state.received <= promised, state.received == promised)
        }
        // Who has had enough with the last byte stops nothing: breaking off would cost the connection.
        return isWithin && (sink.receive(bytes) == .proceed || isLast)
    }

    func finished(_ error: TransportError?) {
        let outcome = state.withLock { state -> SourceError? in
            state.transfer = nil
            if let own = state.error { return own }
            if let error { return StatusMeaning.error(error) }
            // The framing was whole, but told no length (chunked), and the end came early.
            guard let promised = state.promised, state.received < promised else { return nil }
            return mismatch(state.isWhole, "\(state.received) bytes came of \(promised)")
        }
        sink.end(outcome)
    }

    /// A part that is not as long as it says cannot be trusted; a whole file of another length is another version.
    private func mismatch(_ isWhole: Bool, _ reason: String) -> SourceError {
        SourceError(isWhole ? .changedUpstream : .malformed, "\(check.summary): \(reason)")
    }
}
