internal import Bytes
internal import SourceAPI
internal import Synchronization

/// Takes what the product's own fetch gives for one range.
final class SampleSink: FetchSink {
    struct Result: Sendable {
        var reply: FetchReply?
        var count = 0
        var error: SourceError?
    }

    private let wanted: UInt64
    private let result = Mutex(Result())
    private let done: @Sendable (Result) -> Void

    private init(_ wanted: UInt64, _ done: @escaping @Sendable (Result) -> Void) {
        self.wanted = wanted
        self.done = done
    }

    static func fetch(_ request: FetchRequest, from source: any Source) async -> Result {
        await withCheckedContinuation { continuation in
            _ = source.fetch(request, into: SampleSink(request.range.count) { continuation.resume(returning: $0) })
        }
    }

    func begin(_ reply: FetchReply) -> FetchDecision {
        result.withLock { $0.reply = reply }
        return .proceed
    }

    /// A stream from the start is stopped once it has given as many bytes as were wanted.
    func receive(_ bytes: UnsafeRawBufferPointer) -> FetchDecision {
        result.withLock { result in
            result.count += bytes.count
            return UInt64(result.count) >= wanted ? .stop : .proceed
        }
    }

    func end(_ error: SourceError?) {
        done(
            result.withLock { result in
                // A stop of ours.
                result.error = UInt64(result.count) >= wanted && error?.code == .cancelled ? nil : error
                return result
            })
    }
}
