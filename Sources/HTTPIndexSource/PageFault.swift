internal import Diagnostics
internal import SourceAPI
internal import Transport

/// What a failed GET of a page means.
enum PageFault {
    static func sourceError(_ error: TransportError) -> SourceError {
        let code: SourceError.Code =
            switch error.code {
            case .resolveFailed, .connectFailed, .tlsFailed, .reset, .shortBody: .unreachable
            case .timedOut: .timedOut
            case .protocolError, .bodyTooLarge: .malformed
            case .tooManyRedirects, .refused, .unusableAccess: .refused
            case .cancelled, .shutDown: .cancelled
            }
        return SourceError(code, error.detail, cause: error)
    }

    static func sourceError(_ head: HTTPResponseHead, _ request: HTTPRequest) -> SourceError {
        let code: SourceError.Code =
            switch head.status {
            case 401, 407: .loginRequired
            case 403: .denied
            case 404: .notFound
            case 410: .linkExpired
            case 429, 503: .throttled(retryAfter: head.fields["retry-after"].flatMap { Int64($0) }.map { .seconds(max(0, min($0, 3600))) })
            case 405, 501: .unsupported
            case 500...599: .unreachable
            default: .malformed
            }
        return SourceError(code, "\(request.summary): status \(head.status)")
    }
}
