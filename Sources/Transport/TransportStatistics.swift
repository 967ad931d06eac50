internal import Diagnostics

/// Figures since the client was made, for `status`.
package struct TransportStatistics: Hashable, Sendable {
    /// Requests sent, redirects and answers to challenges included.
    package var requests: UInt64
    /// Bytes of bodies handed on.
    package var bytesReceived: UInt64
    package var openConnections: UInt64
    /// Connections made, ever: far fewer than requests when they are reused.
    package var connections: UInt64
    /// Transfers that ended with an error, cancelled ones excluded.
    package var errors: UInt64
}

/// The counters behind it.
final class TransportCounters: Sendable {
    let requests = Counter()
    let bytesReceived = Counter()
    let openConnections = Counter()
    let connections = Counter()
    let errors = Counter()

    var snapshot: TransportStatistics {
        TransportStatistics(
            requests: requests.value, bytesReceived: bytesReceived.value, openConnections: openConnections.value, connections: connections.value,
            errors: errors.value)
    }
}
