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
    let log: Log
    private let environment: ProxyEnvironment
    let multi: UnsafeMutableRawPointer?
    private let inbox = Mutex(Inbox())
    private let thread = Mutex<pthread_t?>(nil)

    // The thread's own
    var queue = OriginQueue<Exchange>()
    var running: [UnsafeMutableRawPointer: Exchange] = [:]
    var pool = EasyPool()
    var authenticator = Authenticator()
    /// Origins where an HTTP/2 connection fell silent: others must not be put on it.
    var freshUntil: [HTTPOrigin: ContinuousClock.Instant] = [:]
    var lastSweep = ContinuousClock.now

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

    func enqueue(_ exchange: Exchange, isFirst: Bool) {
        let entry = OriginQueue<Exchange>.Entry(
            item: exchange, limit: exchange.request.access.maximumConnections, isBackground: exchange.request.isBackground)
        queue.add(entry, to: exchange.url.origin, isFirst: isFirst)
    }

    func startReady(at origin: HTTPOrigin) {
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

private func runEngine(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // No signal is handled here; a peer that hangs up must not end the process with SIGPIPE.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    if let context { Unmanaged<Engine>.fromOpaque(context).takeRetainedValue().run() }
    return nil
}
