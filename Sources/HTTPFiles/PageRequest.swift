internal import Bytes
internal import Glibc
package import SourceAPI
internal import Synchronization
package import Transport

/// What a GET of an address gave that may be a page or a file of any size: the head, and the body only if it was wanted.
package struct Page: Sendable {
    package var head: HTTPResponseHead
    package var body: [UInt8]
}

extension HTTPResponseHead {
    /// Lower-case, without parameters; empty when the origin tells none.
    package var mediaTypeName: String {
        let field = fields["content-type"] ?? ""
        return (field.split(separator: ";").first.map(String.init) ?? "").trimmed.lowercased()
    }

    package var isHTML: Bool { mediaTypeName == "text/html" || mediaTypeName == "application/xhtml+xml" }
    package var isJSON: Bool { mediaTypeName == "application/json" }

    /// Whether the transport knows where the body ends, so that a body cut short is an error and not a short page.
    package var isFramed: Bool { contentLength != nil || fields["transfer-encoding"]?.lowercased().contains("chunked") == true }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()) }
}

/// Sends a GET and decides by the head of its answer how much of the body to take.
package enum PageRequest {
    /// An index of a hundred thousand entries has some 20 MB.
    package static let maximumPage = 64 << 20
    private static let deadline: Duration = .seconds(30)

    /// Tries again after transient faults, within 30 s altogether.
    ///
    /// - Parameter limit: bytes of the body that are wanted after that head; 0 ends the transfer there.
    /// - Throws: also `.malformed` when a body is longer than its limit.
    package static func get(
        _ url: HTTPURL, client: HTTPClient, access: HTTPAccess, accept: String, limit: @escaping @Sendable (HTTPResponseHead) -> Int
    ) async throws(SourceError) -> Page {
        let request = HTTPRequest(url: url, fields: [HTTPField("Accept", accept)], access: access, deadlines: HTTPDeadlines(total: deadline))
        let clock = ContinuousClock(), end = clock.now + deadline
        var pause: Duration = .milliseconds(500)
        while true {
            let error: SourceError
            do throws(SourceError) { return try await once(request, client, limit) } catch let failure { error = failure }
            var wait = pause
            if case .throttled(let after?) = error.code { wait = max(after, pause) }
            guard error.isTransient, clock.now + wait < end else { throw error }
            do { try await Task.sleep(for: wait) } catch { throw SourceError(.cancelled, "\(request.summary): cancelled") }
            pause = pause * 3
        }
    }

    private static func once(
        _ request: HTTPRequest, _ client: HTTPClient, _ limit: @escaping @Sendable (HTTPResponseHead) -> Int
    ) async throws(SourceError) -> Page {
        let cancellation = TransferBox()
        let outcome: PageCollector.Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                cancellation.set(client.start(request, handler: PageCollector(limit: limit) { continuation.resume(returning: $0) }))
            }
        } onCancel: {
            cancellation.cancel()
        }
        if let error = outcome.error { throw StatusMeaning.error(error) }
        guard let head = outcome.head else { throw SourceError(.malformed, "\(request.summary): no answer") }
        guard (200...299).contains(head.status) else {
            throw StatusMeaning.error(head, summary: request.summary, now: UnixTime(seconds: Int64(time(nil))))
        }
        guard !outcome.isTooLong else { throw SourceError(.malformed, "\(request.summary): the page is longer than \(maximumPage >> 20) MiB") }
        return Page(head: head, body: outcome.body)
    }
}

/// Cancels a transfer that may not have started yet.
private final class TransferBox: Sendable {
    private let state = Mutex<(transfer: HTTPTransfer?, isCancelled: Bool)>((nil, false))

    func set(_ transfer: HTTPTransfer) {
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
}

private final class PageCollector: HTTPResponseHandler {
    struct Outcome: Sendable {
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        var isTooLong = false
        var error: TransportError?
        fileprivate var limit = 0
        fileprivate var isStopped = false
    }

    private let state = Mutex(Outcome())
    private let limit: @Sendable (HTTPResponseHead) -> Int
    private let done: @Sendable (Outcome) -> Void

    init(limit: @escaping @Sendable (HTTPResponseHead) -> Int, done: @escaping @Sendable (Outcome) -> Void) {
        self.limit = limit
        self.done = done
    }

    func head(_ head: HTTPResponseHead) -> Bool {
        let limit = (200...299).contains(head.status) ? limit(head) : 0
        return state.withLock { state in
            state.head = head
            state.limit = limit
            state.isStopped = limit == 0
            return limit > 0
        }
    }

    func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            guard state.body.count + bytes.count <= state.limit else {
                state.isTooLong = true
                state.isStopped = true
                return false
            }
            state.body.append(contentsOf: bytes)
            return true
        }
    }

    func finished(_ error: TransportError?) {
        let outcome = state.withLock { state in
            // Our own stop comes back as a cancellation.
            if !state.isStopped { state.error = error }
            return state
        }
        done(outcome)
    }
}
