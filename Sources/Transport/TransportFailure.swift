internal import CCurl

/// What an error of libcurl means for callers.
struct TransportFailure {
    let error: TransportError

    init(_ code: CURLcode, _ exchange: Exchange) {
        if exchange.wasAddressRefused, code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK {
            error = exchange.error(.refused, "redirect from a public origin to a private address, \(exchange.url.origin)")
            return
        }
        let text = exchange.easy?.failureText ?? ""
        var reason = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
        if exchange.isProxied, code == CURLE_COULDNT_CONNECT || code == CURLE_PROXY { reason = "by its proxy: " + reason }
        error = exchange.error(Self.meaning(code, reason: reason), reason)
    }

    private static func meaning(_ code: CURLcode, reason: String) -> TransportError.Code {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .resolveFailed
        // User or password (RFC 1929), or no way to log in that both know: the same tomorrow.
        case CURLE_PROXY where reason.contains("rejected") || reason.contains("uthentication"): .unusableAccess
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED: .connectFailed
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        // A handshake that breaks off is the network's doing, one that is refused is not: only the words differ.
        case CURLE_SSL_CONNECT_ERROR: reason.contains("SYSCALL") || reason.contains("reset by peer") ? .reset : .tlsFailed
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_CLIENTCERT:
            .tlsFailed
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_READ_ERROR, CURLE_FILE_COULDNT_READ_FILE: .unusableAccess
        case CURLE_PARTIAL_FILE: .shortBody
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_SEND_FAIL_REWIND, CURLE_AGAIN: .reset
        case CURLE_URL_MALFORMAT: .refused
        default: .protocolError
        }
    }
}
