/// Why an origin did not give what was asked. The code is what callers branch on; the detail is for people.
package struct SourceError: Error, Sendable {
    package enum Code: Hashable, Sendable {
        /// The origin says that there is no such file or directory.
        case notFound
        /// The origin refuses (403, or a rule of its own).
        case denied
        /// Credentials are missing or wrong (401), or a login page came in place of data.
        case loginRequired
        /// A link whose time is over (410, or an expiry that the source knows).
        case linkExpired
        /// Another version than the one listed or opened: bytes must not be mixed.
        case changedUpstream
        /// The origin asks to come later (429, 503 with Retry-After).
        case throttled(retryAfter: Duration?)
        /// No connection: name, network, TLS, reset, or a server error that may pass (500, 502, 503, 504).
        case unreachable
        /// Nothing came within the deadline.
        case timedOut
        /// An answer that cannot be what was asked: not XML, wrong Content-Range, truncated listing.
        case malformed
        /// The origin gives this file from its start only, and the asked offset is too far ahead.
        case sequentialOnly
        /// No request tells this file's size.
        case sizeUnknown
        /// A rule of ours refuses: scheme, redirect to a private address, https to http.
        case refused
        /// This kind of origin or file is not supported.
        case unsupported
        /// Nobody waits for it any more, or the daemon stops.
        case cancelled
    }

    package var code: Code
    /// What failed and where, with URLs redacted: `GET https://host/a.mkv bytes 0-99: status 416`.
    package var detail: String
    /// What the user can do about it, when there is something.
    package var advice: String?
    package var cause: (any Error)?

    package init(_ code: Code, _ detail: String, advice: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.detail = detail
        self.advice = advice
        self.cause = cause
    }

    /// Whether the same request may succeed a little later without anybody changing anything.
    package var isTransient: Bool {
        switch code {
        case .throttled, .unreachable, .timedOut: true
        case .notFound, .denied, .loginRequired, .linkExpired, .changedUpstream, .malformed, .sequentialOnly, .sizeUnknown, .refused, .unsupported,
            .cancelled:
            false
        }
    }
}

extension SourceError: CustomStringConvertible {
    package var description: String { advice.map { "\(detail) (\($0))" } ?? detail }
}
