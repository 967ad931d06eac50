package import Diagnostics

/// A transfer under way.
package final class HTTPTransfer: Sendable {
    init() {}

    /// Ends it soon with `.cancelled`, unless it has ended. From any thread, any number of times.
    package func cancel() {}
}

/// Speaks HTTP to every origin.
package final class HTTPClient: Sendable {
    private let log: Log
    private let counters = TransportCounters()

    package init(log: Log) { self.log = log }

    /// Starts a request and returns at once; the handler hears from the engine's thread, never from inside this call.
    package func start(_ request: HTTPRequest, handler: any HTTPResponseHandler) -> HTTPTransfer {
        Task.detached { handler.finished(TransportError(.shutDown, "\(request.summary): not started")) }
        return HTTPTransfer()
    }

    /// One attempt, the whole body in memory.
    package func send(_ request: HTTPRequest, maximumBody: Int) async throws(TransportError) -> HTTPResponse {
        throw TransportError(.shutDown, "\(request.summary): not started")
    }

    /// As `send`, again after transient faults and the statuses 429, 500, 502, 503 and 504, until `within` is over; then
    /// the last response or error.
    package func sendRetrying(_ request: HTTPRequest, maximumBody: Int, within: Duration) async throws(TransportError) -> HTTPResponse {
        try await send(request, maximumBody: maximumBody)
    }

    /// Ends every transfer with `.shutDown`; none is started afterwards. Returns when the engine's thread has ended.
    package func shutdown() {}

    package var statistics: TransportStatistics { counters.snapshot }
}
