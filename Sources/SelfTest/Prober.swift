package import Transport

/// Asks a server one question after another, within bounds of bytes and time.
package final class Prober: Sendable {
    /// All replies together.
    package static let maximumBytes: UInt64 = 16 << 20
    package static let maximumTime = Duration.seconds(120)
    /// Of one listing; a directory that tells more is not looked at as a whole.
    package static let largestBody = 4 << 20
    /// Of one question. What a mount waits for longer is still told.
    package static let patience = HTTPDeadlines(connect: .seconds(10), idle: .seconds(10), total: .seconds(20))

    let client: HTTPClient
    private let started = ContinuousClock.now

    /// - Parameter client: one of its own, made with `patience` and `largestBody`: what it receives is what is counted.
    package init(client: HTTPClient) { self.client = client }

    /// One attempt. A body longer than `limit` is cut off there, at the bound of all bytes, or after `time`.
    func ask(_ request: HTTPRequest, limit: Int, time: Duration? = nil) async -> ProbeReply {
        let room = Int(bytesLeft)
        return await withCheckedContinuation { continuation in
            _ = client.start(request, handler: ProbeHandler(limit: min(limit, room), time: time) { continuation.resume(returning: $0) })
        }
    }

    var isOver: Bool { ContinuousClock.now - started > Self.maximumTime }
    var seconds: Double { (ContinuousClock.now - started) / .seconds(1) }
    /// Those of the product's own code, and of redirects, included.
    var requests: Int { Int(clamping: client.statistics.requests) }
    var bytes: UInt64 { client.statistics.bytesReceived }
    var bytesLeft: UInt64 { Self.maximumBytes - min(Self.maximumBytes, bytes) }
}
