package import Bytes

/// How long to wait before the same request is tried again.
///
/// | attempt failed | waits |
/// | --- | --- |
/// | first | 0.25…0.5 s |
/// | second | 0.5…1 s |
/// | third | 1…2 s |
/// | later | up to 4…8 s |
package enum Backoff {
    static let first = Duration.milliseconds(500)
    static let longest = Duration.seconds(8)

    /// - Parameters:
    ///   - attempt: how many attempts have failed, at least 1.
    ///   - random: 0..<1; half of the wait is drawn, so that many clients do not come back together.
    ///   - retryAfter: what the origin asked for; never undercut.
    package static func delay(afterAttempt attempt: Int, random: Double, retryAfter: Duration?) -> Duration {
        let doublings = min(max(attempt, 1), 17) - 1
        let whole = min(first * (1 << doublings), longest)
        let drawn = whole / 2 + (whole / 2) * (random > 0 ? min(random, 1) : 0)
        return max(drawn, retryAfter ?? .zero)
    }

    /// `Retry-After` (RFC 9110 §10.2.3): seconds, or a date. A date in the past is no wait; more than a day counts as one.
    package static func retryAfter(_ text: String?, now: UnixTime) -> Duration? {
        guard let text else { return nil }
        let longest: Int64 = 86400
        let digits = text.filter { $0 != " " }
        if !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) { return .seconds(min(Int64(digits) ?? longest, longest)) }
        guard let date = HTTPDate.parse(text) else { return nil }
        let (wait, overflow) = date.seconds.subtractingReportingOverflow(now.seconds)
        return .seconds(overflow ? 0 : min(max(wait, 0), longest))
    }

    /// Statuses that a later attempt may not meet again.
    static func isWorthRetrying(status: Int) -> Bool { [429, 500, 502, 503, 504].contains(status) }
}
