internal import Bytes
package import Diagnostics

/// Speaks HTTP to every origin, from one thread of its own. One for the whole daemon: sources share its connections.
package final class HTTPClient: Sendable {
    private let engine: Engine
    private let clock: RetryClock
    private let log: Log
    private let patience: HTTPDeadlines?
    private let largestBody: Int

    /// - Parameters:
    ///   - isPublic: which addresses are out in the internet, for the rule on redirects; tests have only loopback.
    ///   - largestBody: no response in memory is larger, whatever its caller takes.
    ///   - patience: no request waits longer than this, whatever it asks; its total bounds retrying, too. `nil`: as each asks.
    package init(
        log: Log, clock: RetryClock = .system, proxies: ProxyEnvironment = .process, patience: HTTPDeadlines? = nil,
        largestBody: Int = .max,
        isPublic: @escaping @Sendable (NetworkAddress) -> Bool = \.isPublic
    ) {
        self.log = log
        self.patience = patience
        self.largestBody = largestBody
        self.clock = clock
        engine = Engine(log: log, environment: proxies, isPublic: isPublic)
        engine.launch()
    }

    deinit {
        engine.close()
        engine.detach()
    }

    /// Starts a request and returns at once; the handler hears from the engine's thread, never from inside this call.
    package func start(_ request: HTTPRequest, handler: any HTTPResponseHandler) -> HTTPTransfer {
        var request = request
        if let patience { request.deadlines = request.deadlines.bounded(by: patience) }
        let exchange = Exchange(engine: engine, request: request, handler: handler)
        if !engine.submit(exchange) {
            let error = exchange.error(.shutDown, "the client was shut down")
            Task.detached { handler.finished(error) }
        }
        return HTTPTransfer(exchange)
    }

    /// One attempt, the whole body in memory. Cancelling the task cancels it.
    package func send(_ request: HTTPRequest, maximumBody: Int) async throws(TransportError) -> HTTPResponse {
        try await attempt(request, .whole(maximum: maximumBody))
    }

    /// As `send`, again after transient faults and the statuses 429, 500, 502, 503 and 504, until `within` is over or
    /// the origin asks for a longer wait than is left; then the last response or error.
    package func sendRetrying(_ request: HTTPRequest, maximumBody: Int, within: Duration) async throws(TransportError) -> HTTPResponse {
        try await retrying(request, .whole(maximum: maximumBody), within: within)
    }

    /// As `sendRetrying`, with as much of the body as `maximumBody` says after a look at the head; 0: none, and a long one is cut off.
    package func sendRetrying(
        _ request: HTTPRequest, within: Duration, maximumBody: @escaping @Sendable (HTTPResponseHead) -> Int
    ) async throws(TransportError) -> HTTPResponse {
        try await retrying(request, .chosen(maximumBody), within: within)
    }

    /// As `sendRetrying`, but only for what stands before the body, which is cut off when it is long.
    package func headRetrying(_ request: HTTPRequest, within: Duration) async throws(TransportError) -> HTTPResponseHead {
        try await retrying(request, .headOnly, within: within).head
    }

    /// Ends every transfer with `.shutDown`; none is started afterwards. Returns when the engine's thread has ended. Not
    /// from a handler.
    package func shutdown() {
        engine.close()
        engine.join()
    }

    package var statistics: TransportStatistics { engine.counters.snapshot }

    private func attempt(_ request: HTTPRequest, _ appetite: ResponseCollector.Appetite) async throws(TransportError) -> HTTPResponse {
        let collector = ResponseCollector(appetite.bounded(by: largestBody), of: request)
        let transfer = start(request, handler: collector)
        return try await withTaskCancellationHandler {
            await collector.result()
        } onCancel: {
            transfer.cancel()
        }.get()
    }

    private func retrying(
        _ request: HTTPRequest, _ appetite: ResponseCollector.Appetite, within: Duration
    ) async throws(TransportError) -> HTTPResponse {
        let within = patience?.total.map { min($0, within) } ?? within
        let end = clock.elapsed() + within
        var failures = 0
        while true {
            var bounded = request
            bounded.deadlines.total = min(request.deadlines.total ?? within, max(end - clock.elapsed(), .milliseconds(1)))
            let outcome: Result<HTTPResponse, TransportError>
            var asked: Duration?
            do throws(TransportError) {
                let response = try await attempt(bounded, appetite)
                guard Backoff.isWorthRetrying(status: response.head.status) else { return response }
                asked = Backoff.retryAfter(response.head.fields["Retry-After"], now: clock.wallTime())
                outcome = .success(response)
            } catch {
                guard error.isTransient else { throw error }
                outcome = .failure(error)
            }
            failures += 1
            let delay = Backoff.delay(afterAttempt: failures, random: clock.random(), retryAfter: asked)
            guard clock.elapsed() + delay < end else { return try outcome.get() }
            log.write(.debug, "transport", "trying again", ["request": request.summary, "attempt": "\(failures + 1)", "delay": "\(delay)"])
            do {
                try await clock.sleep(delay)
            } catch {
                throw TransportError(.cancelled, "\(request.summary): cancelled")
            }
        }
    }
}
