internal import CCurl
internal import Diagnostics

/// How a hop ends: an answer, a redirect to follow, a challenge to answer, a fault.
extension Engine {
    /// Takes a hop off libcurl; its place at the origin is free afterwards.
    func detach(_ exchange: Exchange, keepsHandle: Bool) {
        guard let easy = exchange.easy else { return }
        exchange.easy = nil
        running[easy.pointer] = nil
        curl_multi_remove_handle(multi, easy.pointer)
        queue.finished(at: exchange.url.origin, isBackground: exchange.request.isBackground)
        if keepsHandle { pool.put(easy) }
    }

    /// Ends it from outside: cancelled, too late, or the engine closes.
    func abort(_ exchange: Exchange, _ error: TransportError, startsOthers: Bool = true) {
        guard !exchange.isFinished else { return }
        if exchange.easy != nil {
            let origin = exchange.url.origin
            detach(exchange, keepsHandle: error.code == .cancelled)
            finish(exchange, error)
            if startsOthers { startReady(at: origin) }
        } else if !queue.remove(where: { $0 === exchange }).isEmpty {
            finish(exchange, error)
        }
    }

    func finish(_ exchange: Exchange, _ error: TransportError?) {
        guard !exchange.isFinished else { return }
        exchange.isFinished = true
        if let error, error.code != .cancelled {
            counters.errors.add()
            log.write(.debug, "transport", error.detail)
        }
        exchange.handler.finished(error)
    }

    /// libcurl is done with a hop.
    func conclude(_ exchange: Exchange, _ code: CURLcode) {
        let origin = exchange.url.origin
        let failure = code == CURLE_OK ? nil : TransportFailure(code, exchange)
        let isClean = failure == nil || exchange.stopReason != nil
        detach(exchange, keepsHandle: isClean && exchange.parser.status != 401)
        act(on: exchange, failure)
        startReady(at: origin)
    }

    private func act(on exchange: Exchange, _ failure: TransportFailure?) {
        switch exchange.stopReason {
        case .handler?, .cancelled?: return finish(exchange, exchange.error(.cancelled, "stopped"))
        case .swallowedEnough?: break
        case nil:
            // What was decided stands, also if the words that come with a redirect broke off.
            if let failure, exchange.disposition.map(\.isAnswer) ?? true { return finish(exchange, failure.error) }
            if exchange.disposition == nil {
                // libcurl takes the end of a connection for the end of the head, too.
                guard exchange.parser.isComplete else { return finish(exchange, exchange.error(.reset, "the connection closed inside the head")) }
                exchange.decide()
            }
            if case .handler? = exchange.stopReason { return finish(exchange, exchange.error(.cancelled, "stopped")) }
        }
        switch exchange.disposition {
        case .deliver?: deliver(exchange)
        case .fail(let error)?: finish(exchange, error)
        case .reauthenticate(let scheme)?:
            authenticator.learn(scheme, origin: exchange.url.origin, access: exchange.effectiveAccess)
            exchange.reauthentications += 1
            goOn(exchange)
        case .follow(let target, let method, let keepsBody)?:
            exchange.cameFromPublic = exchange.cameFromPublic || exchange.isPeerPublic
            exchange.redirects += 1
            exchange.hasLeftOrigin = exchange.hasLeftOrigin || target.origin != exchange.request.url.origin
            exchange.url = target
            exchange.method = method
            exchange.sendsBody = exchange.sendsBody && keepsBody
            goOn(exchange)
        case nil: finish(exchange, exchange.error(.protocolError, "no response"))
        }
    }

    private func deliver(_ exchange: Exchange) {
        if exchange.parser.status != 401, !exchange.offered.isEmpty, exchange.authentication == Authenticator.basic | Authenticator.digest {
            let scheme: AuthenticationScheme = exchange.offered.contains(.digest) ? .digest : .basic
            authenticator.learn(scheme, origin: exchange.url.origin, access: exchange.effectiveAccess)
        }
        if let promised = exchange.promisedLength, exchange.received != promised {
            return finish(exchange, exchange.error(.shortBody, "\(exchange.received) bytes came of \(promised)"))
        }
        finish(exchange, nil)
    }

    private func goOn(_ exchange: Exchange) {
        enqueue(exchange, isFirst: true)
        startReady(at: exchange.url.origin)
    }
}

extension Exchange.Disposition {
    /// Whether the caller sees the response, so that its faults count.
    fileprivate var isAnswer: Bool {
        if case .deliver = self { true } else { false }
    }
}
