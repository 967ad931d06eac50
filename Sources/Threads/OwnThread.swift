internal import CLinux
internal import Glibc

/// A thread that may block, apart from Swift's pool. Signals meant for the process never arrive in it.
package final class OwnThread: Sendable {
    private let ended = MonitoredValue(false)
    private let thread = MonitoredValue<pthread_t?>(nil)

    private init() {}

    /// - Parameter name: for `ps -L`, at most 15 bytes.
    /// - Returns: `nil` when the system has no thread to give.
    package static func start(_ name: StaticString, _ body: @escaping @Sendable () -> Void) -> OwnThread? {
        let own = OwnThread()
        let start = ThreadStart(name: name, ended: own.ended, body: body)
        let context = Unmanaged.passRetained(start)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        // The identifier stays usable until `ended` opens, which is the last thing the thread does: see `wake`.
        var identifier = pthread_t()
        let failure = pthread_create(&identifier, &attributes, { ThreadStart.run($0) }, context.toOpaque())
        guard failure == 0 else {
            context.release()
            return nil
        }
        own.thread.change { $0 = identifier }
        start.mayEnd.open()
        return own
    }

    /// Whether the body returned within the time.
    package func hasEnded(within limit: Duration?) -> Bool { ended.waitUntilOpen(within: limit) }

    /// Lets a blocking call of the thread return with EINTR.
    package func wake() {
        // `ended` cannot open while it is read here, so the thread is still there when the signal is sent.
        let identifier = thread.change { $0 }
        ended.change { hasEnded in
            if !hasEnded, let identifier { pthread_kill(identifier, WakeSignal.number) }
        }
    }
}

private final class ThreadStart: Sendable {
    let name: StaticString
    let ended: MonitoredValue<Bool>
    /// A body that returns at once must not end before its identifier was noted.
    let mayEnd = MonitoredValue(false)
    let body: @Sendable () -> Void

    init(name: StaticString, ended: MonitoredValue<Bool>, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.ended = ended
        self.body = body
    }

    static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
        var signals = sigset_t()
        sigfillset(&signals)
        sigdelset(&signals, WakeSignal.number)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { sigdelset(&signals, fault) }
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        start.name.withUTF8Buffer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { reelfs_name_thread($0.baseAddress) }
        }
        start.body()
        _ = start.mayEnd.waitUntilOpen(within: nil)
        start.ended.open()
        return nil
    }
}

/// A real-time signal that does nothing but end a blocking call: libfuse's loop waits on a semaphore that only a signal
/// or a request ends, and after a lazy unmount there are no more requests.
enum WakeSignal {
    static let number: CInt = {
        // Four above the first free one: the lowest are what other libraries take first.
        let number = __libc_current_sigrtmin() + 4
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        sigemptyset(&action.sa_mask)
        action.sa_flags = 0  // no SA_RESTART
        sigaction(number, &action, nil)
        return number
    }()
}
