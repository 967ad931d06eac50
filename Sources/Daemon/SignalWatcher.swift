internal import CLinux
internal import Glibc
internal import Synchronization

/// Turns SIGTERM, SIGINT and SIGHUP into calls on a thread of its own, where anything may be done.
///
/// `block()` must run before any other thread starts, since threads inherit the mask; else the kernel hands the signal to
/// a thread that dies of it.
package final class SignalWatcher: Sendable {
    package enum Event: Sendable {
        /// SIGTERM or SIGINT: end cleanly.
        case stop
        /// SIGHUP: read the configuration again.
        case reload
    }

    /// Blocks the watched signals in this thread and all that it starts from now on, and ignores SIGPIPE.
    package static func block() {
        var set = watchedSet()
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Starts the thread. It runs as long as the process.
    package static func start(_ handler: @escaping @Sendable (Event) -> Void) {
        let context = Unmanaged.passRetained(Handler(handler)).toOpaque()
        var thread = pthread_t()
        pthread_create(&thread, nil, { context in
            guard let context else { return nil }
            SignalWatcher.run(Unmanaged<Handler>.fromOpaque(context).takeRetainedValue())
            return nil
        }, context)
        pthread_detach(thread)
    }

    private static func run(_ handler: Handler) {
        reelfs_name_thread("signals")
        var set = watchedSet()
        while true {
            var number: CInt = 0
            guard sigwait(&set, &number) == 0 else { continue }
            handler.call(number == SIGHUP ? .reload : .stop)
        }
    }

    private static func watchedSet() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, number) }
        return set
    }

    private final class Handler: Sendable {
        let call: @Sendable (Event) -> Void
        init(_ call: @escaping @Sendable (Event) -> Void) { self.call = call }
    }
}
