/// Why no whole response came. A response with a status of failure is no transport error.
package struct TransportError: Error, Hashable, Sendable {
    package enum Code: Hashable, Sendable, CaseIterable {
        /// The name is unknown, or nobody answers for it.
        case resolveFailed
        case connectFailed
        /// The peer's certificate or the handshake: the same tomorrow, until somebody changes something.
        case tlsFailed
        /// Not connected, no byte, or not done within a deadline.
        case timedOut
        /// The connection broke.
        case reset
        /// What came is not HTTP, or contradicts itself.
        case protocolError
        case tooManyRedirects
        /// A rule of ours: scheme, redirect, address, a field that cannot be sent.
        case refused
        /// More than the caller takes.
        case bodyTooLarge
        /// The body ended before its promised length.
        case shortBody
        /// A file of the access (certificate, key, authorities) cannot be used.
        case unusableAccess
        case cancelled
        /// The client was shut down.
        case shutDown
    }

    package var code: Code
    /// What failed, where and why; URLs redacted.
    package var detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Whether the same request may succeed a little later without anybody changing anything.
    package var isTransient: Bool {
        switch code {
        case .resolveFailed, .connectFailed, .timedOut, .reset, .shortBody: true
        case .tlsFailed, .protocolError, .tooManyRedirects, .refused, .bodyTooLarge, .unusableAccess, .cancelled, .shutDown: false
        }
    }
}

extension TransportError: CustomStringConvertible {
    package var description: String { detail }
}
