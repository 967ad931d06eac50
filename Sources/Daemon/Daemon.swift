package import CommandLineTool
internal import ControlProtocol
internal import ControlSocket
internal import Diagnostics
internal import Dispatch
internal import FuseAdapter
internal import Glibc
internal import Synchronization
internal import VirtualTree

/// A daemon's life: its parts are wired, commands are answered, and at the end everything is put down in order.
package enum Daemon {
    /// Runs until a signal, a `stop` request, or (when asked for) until nothing is mounted any more. Blocks the caller; to
    /// be called on the main thread before others start, since signals are directed to a thread of their own.
    ///
    /// - Returns: the exit status: 0; 1 when the daemon could not start; 32 when a mount asked for in `options` failed.
    package static func run(_ options: DaemonOptions) -> Int32 {
        SignalWatcher.block()
        raiseDescriptorLimit()
        let sink = LogSinks.standardError(environment: options.environment, isForJournal: options.style == .systemd)
        let log = Log(minimum: options.logLevel ?? .info, sink: sink)
        let notifier = ServiceNotifier(environment: options.environment)
        let end = EndSignal()
        let services: Services
        let server: ControlServer
        let handler: RequestHandler
        do throws(ControlError) {
            services = try Services(options: options, log: log) { end.touch() }
            handler = RequestHandler(services: services) { end.stop() }
            server = try listen(options, handler, log)
        } catch {
            log.write(.error, "daemon", error.description)
            return 1
        }
        SignalWatcher.start { event in
            switch event {
            case .stop: end.stop()
            case .reload:
                log.write(.notice, "daemon", "reading the configuration again")
                services.followConfiguration()
            }
        }
        log.write(.notice, "daemon", "started", ["version": ProgramVersion.text, "pid": String(getpid()), "cache": options.cacheDirectory])

        var status: Int32 = 0
        for request in options.mounts where status == 0 {
            do throws(ControlError) {
                let mount = try services.mounts.mount(request)
                if options.style == .foreground {
                    say("mounted \(mount.tree.shelves.map(\.name).joined(separator: ", ")) on \(mount.mount.mountPoint)\n")
                }
            } catch {
                log.write(.error, "mount", error.description)
                status = 32
            }
        }
        if status == 0 {
            notifier.ready("\(services.mounts.all.count) mounts")
            wait(end, options, services, handler)
        }

        notifier.stopping()
        log.write(.notice, "daemon", "ending")
        server.stop(grace: .milliseconds(500))
        services.close()
        log.write(.notice, "daemon", "ended")
        return status
    }

    private static func listen(_ options: DaemonOptions, _ handler: RequestHandler, _ log: Log) throws(ControlError) -> ControlServer {
        let candidates = SocketLocation.candidates(cacheDirectory: options.cacheDirectory, environment: options.environment)
        var failure = ControlError(.internalFault, "no place for the control socket", advice: "set XDG_RUNTIME_DIR to a directory of yours")
        for location in candidates {
            do throws(ControlError) {
                return try ControlServer(location: location, log: log) { request, events throws(ControlError) in
                    try await handler.answer(request, events)
                }
            } catch {
                if error.code == .busy { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// How long an idle daemon waits for the next command before it ends.
    private static let idleGrace: Duration = .seconds(5)

    private static func wait(_ end: EndSignal, _ options: DaemonOptions, _ services: Services, _ handler: RequestHandler) {
        var idleSince: ContinuousClock.Instant?
        // At the start a command is about to come.
        let firstChance = ContinuousClock.now + .seconds(15)
        while !end.wait(for: .seconds(1)) {
            services.sampleRates()
            guard options.endsWhenIdle else { continue }
            let isIdle = services.mounts.all.isEmpty && !handler.isBusy
            let now = ContinuousClock.now
            guard isIdle else {
                idleSince = nil
                continue
            }
            // A mount in the foreground is all there is: when it goes, so does the daemon.
            if options.style == .foreground { return }
            if idleSince == nil { idleSince = now }
            if let since = idleSince, now - since >= idleGrace, now >= firstChance || end.wasTouched { return }
        }
    }

    /// Cached files hold two descriptors each while they are open.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func say(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(1, bytes, bytes.count)
    }
}

/// Wakes the main thread: the daemon is to end, or something changed.
final class EndSignal: Sendable {
    private let state = Mutex((isStopped: false, wasTouched: false))
    private let semaphore = DispatchSemaphore(value: 0)

    func stop() {
        state.withLock { $0.isStopped = true }
        semaphore.signal()
    }

    /// Something was mounted or unmounted: look again now.
    func touch() {
        state.withLock { $0.wasTouched = true }
        semaphore.signal()
    }

    var wasTouched: Bool { state.withLock { $0.wasTouched } }

    /// - Returns: whether the daemon is to end. Returns early when something changed.
    func wait(for duration: Duration) -> Bool {
        _ = semaphore.wait(timeout: .now() + .milliseconds(Int(duration / .milliseconds(1))))
        return state.withLock { $0.isStopped }
    }
}
