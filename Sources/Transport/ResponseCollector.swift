internal import Synchronization

/// Takes a response into memory and hands it to the task that waits for it.
final class ResponseCollector: HTTPResponseHandler {
    /// How much of the body is wanted.
    enum Appetite {
        case whole(maximum: Int)
        /// None: a short body is read to keep the connection, a long one is cut off.
        case headOnly
    }

    private struct State {
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        var error: TransportError?
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
        state.withLock { state in
            state.head = head
            switch appetite {
            case .headOnly:
                state.isHeadEnough = true
                return head.contentLength.map { $0 <= Self.shortBody } ?? false
            case .whole(let maximum):
                guard let length = head.contentLength else { return true }
                guard length <= UInt64(max(0, maximum)) else { return refuse(&state, maximum) }
                state.body.reserveCapacity(Int(length))
                return true
            }
        }
    }

    func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            guard case .whole(let maximum) = appetite else { return true }
            guard bytes.count <= maximum - state.body.count else { return refuse(&state, maximum) }
            state.body.append(contentsOf: bytes)
            return true
        }
    }

    private func refuse(_ state: inout State, _ maximum: Int) -> Bool {
        state.error = TransportError(.bodyTooLarge, "\(summary): the response is larger than \(maximum) bytes")
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
