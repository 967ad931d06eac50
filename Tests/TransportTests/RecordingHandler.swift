import Synchronization
import Transport

/// Keeps everything that a transfer tells, and wakes who waits for its end.
final class RecordingHandler: HTTPResponseHandler {
    struct Record {
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        var calls = 0
        var finishes = 0
        var error: TransportError?
        var waiters: [CheckedContinuation<Void, Never>] = []
        var firstByteWaiters: [CheckedContinuation<Void, Never>] = []
    }

    let record = Mutex(Record())
    private let onHead: @Sendable (HTTPResponseHead) -> Bool
    private let onBody: @Sendable (Int) -> Bool

    /// - Parameter onBody: gets the bytes received so far.
    init(onHead: @escaping @Sendable (HTTPResponseHead) -> Bool = { _ in true }, onBody: @escaping @Sendable (Int) -> Bool = { _ in true }) {
        self.onHead = onHead
        self.onBody = onBody
    }

    func head(_ head: HTTPResponseHead) -> Bool {
        record.withLock { $0.head = head }
        return onHead(head)
    }

    func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (count, waiters) = record.withLock { record in
            record.body += bytes
            record.calls += 1
            defer { record.firstByteWaiters = [] }
            return (record.body.count, record.firstByteWaiters)
        }
        for waiter in waiters { waiter.resume() }
        return onBody(count)
    }

    func finished(_ error: TransportError?) {
        let waiters = record.withLock { record in
            record.finishes += 1
            record.error = error
            defer {
                record.waiters = []
                record.firstByteWaiters = []
            }
            return record.waiters + record.firstByteWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for the end.
    func end() async -> TransportError? {
        await withCheckedContinuation { continuation in
            let isOver = record.withLock { record in
                if record.finishes == 0 { record.waiters.append(continuation) }
                return record.finishes > 0
            }
            if isOver { continuation.resume() }
        }
        return record.withLock { $0.error }
    }

    func firstByte() async {
        await withCheckedContinuation { continuation in
            let isThere = record.withLock { record in
                let isThere = !record.body.isEmpty || record.finishes > 0
                if !isThere { record.firstByteWaiters.append(continuation) }
                return isThere
            }
            if isThere { continuation.resume() }
        }
    }
}
