internal import ControlProtocol
internal import Diagnostics
internal import Glibc
internal import MediaFiles
internal import Synchronization

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
        signal(SIGINT) { _ in MediaCommand.wasInterrupted.store(true, ordering: .relaxed) }
        signal(SIGTERM) { _ in MediaCommand.wasInterrupted.store(true, ordering: .relaxed) }
    }

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
