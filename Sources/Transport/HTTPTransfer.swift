/// A transfer under way.
package final class HTTPTransfer: Sendable {
    private let exchange: Exchange

    init(_ exchange: Exchange) { self.exchange = exchange }

    /// Ends it soon with `.cancelled`, unless it has ended. From any thread, any number of times, also from the handler's
    /// own calls.
    package func cancel() { exchange.engine.cancel(exchange) }
}
