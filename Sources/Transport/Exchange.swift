internal import Diagnostics
internal import Synchronization

/// One request from its start to its end, over all redirects.
///
/// SAFETY: made by the thread that submits it, then touched by the engine's thread alone, which is also the only one that
/// calls the handler; `isCancelled` is atomic.
final class Exchange: @unchecked Sendable {
    let engine: Engine
    let request: HTTPRequest
    let handler: any HTTPResponseHandler
    let started: ContinuousClock.Instant
    let isCancelled = Atomic<Bool>(false)

    // The hop under way
    var url: HTTPURL
    var method: String
    var sendsBody: Bool
    var easy: EasyHandle?
    var parser = ResponseHeadParser()
    var disposition: Disposition?
    /// A body that is read only to keep the connection.
    var swallowed = 0
    var isConnected = false
    var isProxied = false
    var peerIsPublic: Bool?
    var wasAddressRefused = false
    /// The schemes with which this hop identifies itself, as libcurl's mask.
    var authentication: UInt = 0
    var offered: Set<AuthenticationScheme> = []

    // The way so far
    var redirects = 0
    var reauthentications = 0
    /// The origin that the caller named was left: nothing secret is sent any more, also if the way leads back.
    var hasLeftOrigin = false
    var cameFromPublic = false
    var mustBePublic: Bool { cameFromPublic && !request.access.allowsPrivateRedirects }

    // What came
    var received: UInt64 = 0
    var contentLength: UInt64?
    var stopReason: StopReason?
    var lastActivity: ContinuousClock.Instant
    var sawActivity = false
    var isFinished = false

    enum Disposition {
        case deliver
        case follow(HTTPURL, method: String, keepsBody: Bool)
        case reauthenticate(AuthenticationScheme)
        case fail(TransportError)
    }

    enum StopReason { case handler, cancelled, swallowedEnough }

    init(engine: Engine, request: HTTPRequest, handler: any HTTPResponseHandler) {
        self.engine = engine
        self.request = request
        self.handler = handler
        url = request.url
        method = request.method
        sendsBody = true
        started = .now
        lastActivity = started
    }

    /// The access as far as the current hop may use it.
    var effectiveAccess: HTTPAccess {
        guard hasLeftOrigin else { return request.access }
        var access = request.access
        access.credentials = .none
        access.extraFields = []
        access.clientCertificate = nil
        access.clientKey = nil
        return access
    }

    func error(_ code: TransportError.Code, _ reason: String) -> TransportError {
        let place = redirects > 0 ? " (redirected to \(url.redacted))" : ""
        return TransportError(code, "\(request.summary)\(place): \(reason)")
    }

    func prepareForHop() {
        parser = ResponseHeadParser()
        disposition = nil
        swallowed = 0
        isConnected = false
        peerIsPublic = nil
        wasAddressRefused = false
        offered = []
        received = 0
        contentLength = nil
        stopReason = nil
        lastActivity = .now
        sawActivity = false
    }

    // MARK: From libcurl's callbacks

    func takeHeadLine(_ line: UnsafeRawBufferPointer) {
        sawActivity = true
        parser.take(line)
        if parser.status == 401, line.count <= 2 { offered.formUnion(AuthenticationScheme.offered(in: parser.fields.values(of: "WWW-Authenticate"))) }
    }

    /// - Returns: whether to go on.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        sawActivity = true
        if isCancelled.load(ordering: .relaxed) {
            stopReason = .cancelled
            return false
        }
        if disposition == nil { decide() }
        guard stopReason == nil else { return false }
        guard case .deliver? = disposition else {
            swallowed += bytes.count
            // What a redirect says to people; past this a new connection is cheaper.
            if swallowed > 65536 { stopReason = .swallowedEnough }
            return stopReason == nil
        }
        received &+= UInt64(bytes.count)
        engine.counters.bytesReceived.add(UInt64(bytes.count))
        if !handler.body(bytes) {
            stopReason = .handler
            return false
        }
        return true
    }

    /// Looks at the head that is complete now, and delivers it if it is the answer. Called at the first byte of the body,
    /// or at the end if there is none: not for a challenge that libcurl answers, whose body it hides.
    func decide() {
        let policy = RedirectPolicy(access: request.access, isPublic: engine.isPublic)
        let isPublic = cameFromPublic || isPeerPublic
        let decision = policy.decide(
            status: parser.status, location: parser.fields["Location"], method: method, from: url, followed: redirects, cameFromPublic: isPublic)
        switch decision {
        case .follow(let target, let method, let keepsBody): disposition = .follow(target, method: method, keepsBody: keepsBody)
        case .refuse(let code, let reason): disposition = .fail(error(code, reason))
        case .deliver:
            if parser.status == 401, let scheme = Authenticator.alternative(to: authentication, offered: offered, at: url.origin),
                reauthentications == 0
            {
                disposition = .reauthenticate(scheme)
            } else {
                deliverHead()
            }
        }
    }

    /// Whether this hop's peer is out in the internet; through a proxy only the URL can tell.
    var isPeerPublic: Bool {
        if let peerIsPublic, !isProxied { return peerIsPublic }
        return NetworkAddress(url.host).map(engine.isPublic) ?? !NetworkAddress.isLoopback(host: url.host)
    }

    private func deliverHead() {
        do throws(ResponseHeadParser.ContradictoryLength) {
            contentLength = try parser.contentLength()
        } catch {
            disposition = .fail(self.error(.protocolError, "lengths that contradict each other"))
            return
        }
        disposition = .deliver
        let head = HTTPResponseHead(status: parser.status, fields: parser.fields, url: url, contentLength: contentLength)
        if !handler.head(head) { stopReason = .handler }
    }

    /// The body's length by its framing; `nil` when the response has none or does not tell.
    var promisedLength: UInt64? { method == "HEAD" || parser.status == 204 || parser.status == 304 ? nil : contentLength }
}
