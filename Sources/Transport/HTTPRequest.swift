package import Bytes

/// How long a request may take.
package struct HTTPDeadlines: Hashable, Sendable {
    /// Name, TCP and TLS together.
    package var connect: Duration
    /// Without any byte from the origin once connected.
    package var idle: Duration
    /// From the start, waiting for a free connection and redirects included.
    package var total: Duration?

    package init(connect: Duration = .seconds(10), idle: Duration = .seconds(20), total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }

    /// The shorter of both, each by itself.
    package func bounded(by other: HTTPDeadlines) -> HTTPDeadlines {
        HTTPDeadlines(
            connect: min(connect, other.connect), idle: min(idle, other.idle), total: [total, other.total].compactMap { $0 }.min())
    }
}

/// One request. Redirects are followed by the rules of `RedirectPolicy`.
package struct HTTPRequest: Sendable {
    package var method: String
    package var url: HTTPURL
    package var fields: [HTTPField]
    package var body: [UInt8]?
    /// Adds `Range: bytes=first-last`; must not be empty.
    package var range: FileRange?
    package var access: HTTPAccess
    package var deadlines: HTTPDeadlines
    /// Nobody waits for it: it starts after all that somebody waits for, and never takes an origin's last connection.
    package var isBackground: Bool

    package init(
        method: String = "GET", url: HTTPURL, fields: [HTTPField] = [], body: [UInt8]? = nil, range: FileRange? = nil,
        access: HTTPAccess = HTTPAccess(),
        deadlines: HTTPDeadlines = HTTPDeadlines(), isBackground: Bool = false
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.range = range
        self.access = access
        self.deadlines = deadlines
        self.isBackground = isBackground
    }

    /// For logs and errors, nothing secret in it: `GET https://host/a?token=… bytes 0-99`.
    package var summary: String { "\(method) \(url.redacted)" + (range.map { " \($0)" } ?? "") }
}
