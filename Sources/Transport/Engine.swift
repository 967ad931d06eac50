internal import CCurl
internal import CLinux
internal import Diagnostics
internal import Glibc
internal import Synchronization

/// The thread that speaks to all origins: libcurl's multi interface, and around it who may start when, what a redirect or
/// a challenge leads to, and who has waited too long.
///
/// SAFETY: `inbox` is behind its lock, `counters` are atomic, the `let`s are immutable; everything under "the thread's own"
/// is touched by `run` and what it calls. `multi` is used by other threads for `curl_multi_wakeup` alone, under the inbox's
/// lock and before `hasEnded`.
final class Engine: @unchecked Sendable {
    private struct Inbox {
        var started: [Exchange] = []
        var cancelled: [Exchange] = []
        var isClosed = false
        var hasEnded = false
        /// One wake-up is enough until the thread has looked.
        var isWoken = false
    }

    let counters = TransportCounters()
    let isPublic: @Sendable (NetworkAddress) -> Bool
    private let log: Log
    private let environment: ProxyEnvironment
    private let multi: UnsafeMutableRawPointer?
    private let inbox = Mutex(Inbox())
    private let thread = Mutex<pthread_t?>(nil)

    // The thread's own
    private var queue = OriginQueue<Exchange>()
    private var running: [UnsafeMutableRawPointer: Exchange] = [:]
    private var pool = EasyPool()
    private var authenticator = Authenticator()
    /// Origins where an HTTP/2 connection fell silent: others must not be put on it.
    private var freshUntil: [HTTPOrigin: ContinuousClock.Instant] = [:]
    private var lastSweep = ContinuousClock.now

    /// How often deadlines are looked at: a deadline holds with this slack.
    private static let sweepInterval = Duration.milliseconds(100)

    init(log: Log, environment: ProxyEnvironment, isPublic: @escaping @Sendable (NetworkAddress) -> Bool) {
        self.log = log
        self.environment = environment
        self.isPublic = isPublic
        multi = Self.isLibraryReady ? curl_multi_init() : nil
        if let multi {
            ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
            ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 64)
        }
    }

    private static let isLibraryReady = ccurl_global_init() == CURLE_OK

    // MARK: From any thread

    /// Starts the thread, which keeps the engine alive until it is closed.
    func launch() {
        var handle = pthread_t()
        let status = pthread_create(&handle, nil, runEngine, Unmanaged.passRetained(self).toOpaque())
        guard status == 0 else {
            Unmanaged.passUnretained(self).release()
            inbox.withLock { $0.isClosed = true }
            log.write(.error, "transport", "cannot start the thread for HTTP", ["errno": "\(status)"])
            return
        }
        thread.withLock { $0 = handle }
    }

    /// - Returns: whether the engine takes it; if not, the handler was not called.
    func submit(_ exchange: Exchange) -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isClosed else { return false }
            inbox.started.append(exchange)
            wake(&inbox)
            return true
        }
    }

    func cancel(_ exchange: Exchange) {
        guard !exchange.isCancelled.exchange(true, ordering: .relaxed) else { return }
        inbox.withLock { inbox in
            guard !inbox.isClosed else { return }
            inbox.cancelled.append(exchange)
            wake(&inbox)
        }
    }

    func close() {
        inbox.withLock { inbox in
            inbox.isClosed = true
            wake(&inbox)
        }
    }

    /// Waits for the thread's end; once, and not from the thread itself.
    func join() {
        let handle = thread.withLock { handle in
            defer { handle = nil }
            return handle
        }
        guard let handle else { return }
        if pthread_equal(handle, pthread_self()) != 0 { pthread_detach(handle) } else { pthread_join(handle, nil) }
    }

    /// Gives the thread's memory back at its end without waiting for it.
    func detach() {
        let handle = thread.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let handle { pthread_detach(handle) }
    }

    private func wake(_ inbox: inout Inbox) {
        guard !inbox.isWoken, !inbox.hasEnded, let multi else { return }
        inbox.isWoken = true
        curl_multi_wakeup(multi)
    }

    // MARK: The thread

    fileprivate func run() {
        reelfs_name_thread("reelfs-http")
        guard let multi else {
            inbox.withLock { $0.isClosed = true }
            finishEverything()
            return
        }
        while takeInbox() {
            let before = ContinuousClock.now
            var count: CInt = 0
            curl_multi_perform(multi, &count)
            takeMessages(multi)
            let after = ContinuousClock.now
            excuse(after - before)
            if after - lastSweep >= Self.sweepInterval { sweep(now: after) }
            let isBusy = !running.isEmpty || queue.hasWaiting
            if curl_multi_poll(multi, nil, 0, isBusy ? CInt(Self.sweepInterval.wholeMilliseconds) : 60000, nil) != CURLM_OK { usleep(10000) }
        }
        finishEverything()
        pool.removeAll()
        inbox.withLock { $0.hasEnded = true }
        curl_multi_cleanup(multi)
    }

    /// - Returns: `false` once the engine is closed.
    private func takeInbox() -> Bool {
        let (started, cancelled, isClosed) = inbox.withLock { inbox in
            defer {
                inbox.started = []
                inbox.cancelled = []
                inbox.isWoken = false
            }
            return (inbox.started, inbox.cancelled, inbox.isClosed)
        }
        for exchange in started { enqueue(exchange, isFirst: false) }
        guard !isClosed else { return false }
        for origin in Set(started.map(\.url.origin)) { startReady(at: origin) }
        for exchange in cancelled { abort(exchange, exchange.error(.cancelled, "cancelled")) }
        return true
    }

    private func finishEverything() {
        for exchange in running.values { abort(exchange, exchange.error(.shutDown, "the client was shut down"), startsOthers: false) }
        for exchange in queue.remove(where: { _ in true }) { finish(exchange, exchange.error(.shutDown, "the client was shut down")) }
        let late = inbox.withLock { inbox in
            defer { inbox.started = [] }
            return inbox.started
        }
        for exchange in late { finish(exchange, exchange.error(.shutDown, "the client was shut down")) }
    }

    private func takeMessages(_ multi: UnsafeMutableRawPointer) {
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            let code = ccurl_message_result(message)
            if let exchange = running[handle] { conclude(exchange, code) }
        }
    }

    // MARK: Starting

    private func enqueue(_ exchange: Exchange, isFirst: Bool) {
        let entry = OriginQueue<Exchange>.Entry(
            item: exchange, limit: exchange.request.access.maximumConnections, isBackground: exchange.request.isBackground)
        queue.add(entry, to: exchange.url.origin, isFirst: isFirst)
    }

    private func startReady(at origin: HTTPOrigin) {
        while let entry = queue.next(for: origin) {
            if let error = start(entry.item) {
                queue.finished(at: origin, isBackground: entry.isBackground)
                finish(entry.item, error)
            }
        }
    }

    /// - Returns: why it cannot start.
    private func start(_ exchange: Exchange) -> TransportError? {
        guard let multi else { return exchange.error(.shutDown, "libcurl did not start") }
        exchange.prepareForHop()
        let origin = exchange.url.origin, access = exchange.effectiveAccess
        guard HTTPField(exchange.method, "").isSendable else { return exchange.error(.refused, "a method that cannot be sent") }
        let proxy: String
        switch environment.choose(for: origin, configured: exchange.request.access.proxy) {
        case .direct: proxy = ""
        case .through(let text): proxy = text
        case .unusable: return exchange.error(.unusableAccess, "the proxy is none of http, https, socks5 and socks5h")
        }
        exchange.isProxied = !proxy.isEmpty
        let hasURLUser = exchange.redirects == 0 && exchange.url.user != nil
        let mask = authenticator.mask(for: access.credentials, hasURLUser: hasURLUser, origin: origin, access: access)
        exchange.authentication = mask
        let use = EasyHandle.Use(origin: origin, access: access)
        guard let easy = pool.take(use, authentication: mask) ?? EasyHandle(use: use, engine: Unmanaged.passUnretained(self).toOpaque()) else {
            return exchange.error(.protocolError, "no memory for a request")
        }
        if let reason = easy.prepare(exchange, proxy: proxy, authentication: mask, isFresh: isFresh(origin)) {
            return exchange.error(.refused, reason)
        }
        guard curl_multi_add_handle(multi, easy.pointer) == CURLM_OK else {
            return exchange.error(.protocolError, "libcurl does not take the request")
        }
        exchange.easy = easy
        running[easy.pointer] = exchange
        return nil
    }

    private func isFresh(_ origin: HTTPOrigin) -> Bool {
        guard let until = freshUntil[origin] else { return false }
        if until > .now { return true }
        freshUntil[origin] = nil
        return false
    }

    // MARK: Ending

    /// Takes a hop off libcurl; its place at the origin is free afterwards.
    private func detach(_ exchange: Exchange, keepsHandle: Bool) {
        guard let easy = exchange.easy else { return }
        exchange.easy = nil
        running[easy.pointer] = nil
        curl_multi_remove_handle(multi, easy.pointer)
        queue.finished(at: exchange.url.origin, isBackground: exchange.request.isBackground)
        if keepsHandle { pool.put(easy) }
    }

    /// Ends it from outside: cancelled, too late, or the engine closes.
    private func abort(_ exchange: Exchange, _ error: TransportError, startsOthers: Bool = true) {
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

    private func finish(_ exchange: Exchange, _ error: TransportError?) {
        guard !exchange.isFinished else { return }
        exchange.isFinished = true
        if let error, error.code != .cancelled {
            counters.errors.add()
            log.write(.debug, "transport", error.detail)
        }
        exchange.handler.finished(error)
    }

    /// libcurl is done with a hop.
    private func conclude(_ exchange: Exchange, _ code: CURLcode) {
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
            if exchange.disposition == nil { exchange.decide() }
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

    // MARK: Deadlines

    /// Time that handlers took is not the origins' silence.
    private func excuse(_ duration: Duration) {
        guard duration > .milliseconds(250) else { return }
        for exchange in running.values { exchange.lastActivity += duration }
    }

    private func sweep(now: ContinuousClock.Instant) {
        lastSweep = now
        var late: [(Exchange, String)] = []
        for exchange in running.values {
            let deadlines = exchange.request.deadlines
            if exchange.sawActivity {
                exchange.lastActivity = now
                exchange.sawActivity = false
            }
            let silence = exchange.isConnected ? deadlines.idle : deadlines.connect + deadlines.idle
            if let total = deadlines.total, now - exchange.started > total {
                late.append((exchange, "not done within \(total)"))
            } else if now - exchange.lastActivity > silence {
                late.append((exchange, "no byte for \(silence)"))
            }
        }
        for (exchange, reason) in late {
            if let easy = exchange.easy, easy.number(CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0) {
                freshUntil[exchange.url.origin] = now + .seconds(30)
            }
            abort(exchange, exchange.error(.timedOut, reason))
        }
        let expired = queue.remove { exchange in exchange.request.deadlines.total.map { now - exchange.started > $0 } ?? false }
        for exchange in expired { finish(exchange, exchange.error(.timedOut, "no free connection to \(exchange.url.origin) within the deadline")) }
    }

    // MARK: From libcurl's callbacks, on the thread

    func allows(_ exchange: Exchange, _ peer: NetworkAddress) -> Bool { !exchange.mustBePublic || exchange.isProxied || isPublic(peer) }

    /// The hop has its connection. Whether the request may be sent on it.
    func admit(_ exchange: Exchange, _ peer: NetworkAddress?) -> Bool {
        exchange.isConnected = true
        exchange.sawActivity = true
        exchange.peerIsPublic = peer.map(isPublic)
        if exchange.mustBePublic, !exchange.isProxied, exchange.peerIsPublic != true {
            exchange.wasAddressRefused = true
            return false
        }
        counters.requests.add()
        return true
    }

    func connectionOpened() {
        counters.connections.add()
        counters.openConnections.add()
    }

    func closeConnection(_ socket: curl_socket_t) -> CInt {
        counters.openConnections.subtract()
        return Glibc.close(socket)
    }
}

extension Exchange.Disposition {
    /// Whether the caller sees the response, so that its faults count.
    fileprivate var isAnswer: Bool {
        if case .deliver = self { true } else { false }
    }
}

private func runEngine(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // No signal is handled here; a peer that hangs up must not end the process with SIGPIPE.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    if let context { Unmanaged<Engine>.fromOpaque(context).takeRetainedValue().run() }
    return nil
}
