internal import ControlProtocol
internal import Diagnostics
internal import Glibc
internal import MediaFiles
internal import Synchronization
internal import Threads

/// What `reelfs remux`, `probe` and `subtitles` share: Ctrl-C, progress, and what errors mean for the exit status.
struct MediaCommand {
    let context: CommandContext
    private let printer: ProgressPrinter
    private let started = ContinuousClock.now

    private static let wasInterrupted = Atomic<Bool>(false)

    init(_ context: CommandContext) {
        self.context = context
        printer = ProgressPrinter(context)
        Self.wasInterrupted.store(false, ordering: .relaxed)
        Self.watchSignals()
    }

    /// SIGINT, SIGTERM and SIGHUP, unless nohup(1) had that ignored.
    private static func watchSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var before = sigaction()
            sigaction(number, nil, &before)
            if number == SIGHUP, let handler = before.__sigaction_handler.sa_handler, unsafeBitCast(handler, to: Int.self) == 1 { continue }
            signal(number) { _ in MediaCommand.wasInterrupted.store(true, ordering: .relaxed) }
            sigaddset(&signals, number)
        }
        let watched = signals
        // A thread of their own: a read from a mount that does not answer ends neither by itself nor by a handler.
        guard OwnThread.start("signals", { endAfterSignal(watched) }) != nil else { return }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private static func endAfterSignal(_ signals: sigset_t) {
        var signals = signals, number: Int32 = 0
        sigwait(&signals, &number)
        wasInterrupted.store(true, ordering: .relaxed)
        var grace = timespec(tv_sec: graceSeconds, tv_nsec: 0)
        while sigtimedwait(&signals, nil, &grace) < 0, errno == EINTR {}
        UnfinishedFiles.removeAll()
        let words = Array("\nreelfs: stopped while a file did not answer; nothing was left behind\n".utf8)
        _ = write(STDERR_FILENO, words, words.count)
        _exit(ExitCode.interrupted.rawValue)
    }

    /// So long a command may take to end by itself; a second signal ends it at once.
    private static let graceSeconds = 2

    func isCancelled() -> Bool { Self.wasInterrupted.load(ordering: .relaxed) }

    func show(_ item: String, _ done: UInt64, _ total: UInt64) {
        let seconds = max((ContinuousClock.now - started) / .seconds(1), 0.001)
        printer.take(
            .progress(
                progress: TransferProgress(
                    item: item, itemsDone: 0, itemsTotal: 1, bytesDone: done, bytesTotal: total, bytesPerSecond: UInt64(Double(done) / seconds))))
    }

    /// Runs `body`, turning what goes wrong with files into failures of the command.
    func running<Result>(_ body: () throws(MediaFileError) -> Result) throws(CommandFailure) -> Result {
        defer { printer.finish() }
        do throws(MediaFileError) { return try body() } catch {
            throw CommandFailure(Self.exit(error.code), error.path.isEmpty ? error.detail : "\(error)")
        }
    }

    private static func exit(_ code: MediaFileError.Code) -> ExitCode {
        switch code {
        case .refused, .encrypted: .refused
        case .cancelled: .interrupted
        case .unreadable, .notMedia, .damaged, .unwritable, .exists: .failure
        }
    }
}
