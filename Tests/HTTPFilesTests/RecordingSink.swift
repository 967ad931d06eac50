import SourceAPI
import Synchronization

/// Keeps everything that a fetch tells, and wakes who waits for its end.
final class RecordingSink: FetchSink {
    struct Record {
        var reply: FetchReply?
        var bytes: [UInt8] = []
        var ends = 0
        var error: SourceError?
        var waiter: CheckedContinuation<Void, Never>?
    }

    let record = Mutex(Record())
    private let decide: @Sendable (Int) -> FetchDecision

    init(decide: @escaping @Sendable (Int) -> FetchDecision = { _ in .proceed }) { self.decide = decide }

    func begin(_ reply: FetchReply) -> FetchDecision {
        record.withLock { $0.reply = reply }
        return .proceed
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> FetchDecision {
        decide(
            record.withLock { record in
                record.bytes += bytes
                return record.bytes.count
            })
    }

    func end(_ error: SourceError?) {
        let waiter = record.withLock { record in
            record.ends += 1
            record.error = error
            defer { record.waiter = nil }
            return record.waiter
        }
        waiter?.resume()
    }

    /// Waits for the end and answers what came.
    func outcome() async -> (reply: FetchReply?, bytes: [UInt8], error: SourceError?) {
        await withCheckedContinuation { continuation in
            let isOver = record.withLock { record in
                if record.ends == 0 { record.waiter = continuation }
                return record.ends > 0
            }
            if isOver { continuation.resume() }
        }
        return record.withLock { ($0.reply, $0.bytes, $0.error) }
    }
}
