internal import Synchronization

/// Takes a response into memory and hands it to the task that waits for it.
final class ResponseCollector: HTTPResponseHandler {
    /// How much of the body is wanted. What is longer is an error.
    enum Appetite {
        case whole(maximum: Int)
        /// The head decides. 0: none; a short body is read then to keep the connection, a long one is cut off.
        case chosen(@Sendable (HTTPResponseHead) -> Int)

        func bounded(by limit: Int) -> Appetite {
            guard limit < .max else { return self }
            return switch self {
            case .whole(let maximum): .whole(maximum: min(maximum, limit))
            case .chosen(let choose): .chosen { min(choose($0), limit) }
            }
        }

        static let headOnly = Appetite.chosen { _ in 0 }
    }

    private struct State {
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        var error: TransportError?
        var maximum = 0
        var isHeadEnough = false
        var result: Result<HTTPResponse, TransportError>?
        var waiter: CheckedContinuation<Result<HTTPResponse, TransportError>, Never>?
    }

    /// A body up to this is cheaper to read than a new connection.
    private static let shortBody: UInt64 = 16384

    private let appetite: Appetite
    private let summary: String
    private let state = Mutex(State())

    init(_ appetite: Appetite, of request: HTTPRequest) {
        self.appetite = appetite
        summary = request.summary
    }

    func head(_ head: HTTPResponseHead) -> Bool {
        let (maximum, isHeadEnough) =
            switch appetite {
            case .whole(let maximum): (max(0, maximum), false)
            case .chosen(let choose): Self.chosen(choose(head))
            }
        return state.withLock { state in
            state.head = head
            state.maximum = maximum
            state.isHeadEnough = isHeadEnough
            guard !isHeadEnough else { return head.contentLength.map { $0 <= Self.shortBody } ?? false }
            guard let length = head.contentLength else { return true }
            guard length <= UInt64(maximum) else { return refuse(&state) }
            state.body.reserveCapacity(Int(length))
            return true
        }
    }

    func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            guard !state.isHeadEnough else { return true }
            guard bytes.count <= state.maximum - state.body.count else { return refuse(&state) }
            state.body.append(contentsOf: bytes)
            return true
        }
    }

    private static func chosen(_ maximum: Int) -> (Int, Bool) { (max(0, maximum), maximum <= 0) }

    private func refuse(_ state: inout State) -> Bool {
        state.error = TransportError(.bodyTooLarge, "\(summary): the response is larger than \(state.maximum) bytes")
        return false
    }

    func finished(_ error: TransportError?) {
        let (waiter, result) = state.withLock { state in
            let result: Result<HTTPResponse, TransportError>
            if let head = state.head, state.error == nil, error == nil || state.isHeadEnough {
                result = .success(HTTPResponse(head: head, body: state.body))
            } else {
                result = .failure(state.error ?? error ?? TransportError(.protocolError, "\(summary): no response"))
            }
            state.result = result
            defer { state.waiter = nil }
            return (state.waiter, result)
        }
        waiter?.resume(returning: result)
    }

    /// Waits for the end; one caller.
    func result() async -> Result<HTTPResponse, TransportError> {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }
}
