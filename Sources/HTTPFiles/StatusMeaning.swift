package import Bytes
package import SourceAPI
package import Transport

/// The one table of HTTP statuses and transport errors.
package enum StatusMeaning {
    /// Why a response that is no success is none.
    package static func error(_ head: HTTPResponseHead, summary: String, now: UnixTime) -> SourceError {
        let retryAfter = Backoff.retryAfter(head.fields["Retry-After"], now: now)
        let detail = "\(summary): status \(head.status)"
        switch head.status {
        case 401: return SourceError(.loginRequired, detail, advice: "check user and password of the source")
        case 407: return SourceError(.loginRequired, detail, advice: "check user and password of the proxy")
        case 402, 403, 451: return SourceError(.denied, detail)
        case 404: return SourceError(.notFound, detail)
        case 410: return SourceError(.linkExpired, detail)
        case 429: return SourceError(.throttled(retryAfter: retryAfter), detail)
        case 503 where retryAfter != nil, 509: return SourceError(.throttled(retryAfter: retryAfter), detail)
        case 405, 501, 505: return SourceError(.unsupported, detail)
        case 408, 423, 425, 500, 502, 503, 504: return SourceError(.unreachable, detail)
        case 520...530: return SourceError(.unreachable, detail)  // a CDN could not reach its own origin
        case 300..<400:
            return SourceError(
                .notFound, detail + (head.fields["Location"] == nil ? "" : ", a redirect that is not followed"), advice: "check the address")
        default: return SourceError(.malformed, detail)
        }
    }

    package static func error(_ error: TransportError) -> SourceError {
        let code: SourceError.Code =
            switch error.code {
            case .resolveFailed, .connectFailed, .tlsFailed, .reset, .shortBody: .unreachable
            case .timedOut: .timedOut
            case .protocolError, .tooManyRedirects, .bodyTooLarge: .malformed
            case .refused, .unusableAccess: .refused
            case .cancelled, .shutDown: .cancelled
            }
        return SourceError(code, error.detail, advice: advice(error.code), cause: error)
    }

    private static func advice(_ code: TransportError.Code) -> String? {
        switch code {
        case .tlsFailed: "if the server has a certificate of its own authority, name it with --ca-cert"
        case .unusableAccess: "check the files of certificates and the proxy of the source"
        case .resolveFailed, .connectFailed, .timedOut, .reset, .protocolError, .tooManyRedirects, .refused, .bodyTooLarge, .shortBody, .cancelled,
            .shutDown:
            nil
        }
    }
}
