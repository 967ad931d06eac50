internal import ControlProtocol
internal import Diagnostics
internal import Synchronization

/// Shows progress on the standard error: a bar on a terminal, else a line now and then.
final class ProgressPrinter: Sendable {
    private struct State {
        var plain = PlainProgress()
        var hasBar = false
    }

    private let context: CommandContext
    private let state = Mutex(State())

    init(_ context: CommandContext) { self.context = context }

    func take(_ event: ControlEvent) {
        switch event {
        case .progress(let progress): show(progress)
        case .note(let text):
            finish()
            context.warn(text)
        case .status: break
        }
    }

    private func show(_ progress: TransferProgress) {
        guard !context.isQuiet else { return }
        if context.console.isErrorTerminal {
            // Back to the first column, then clear what is behind the text.
            context.console.error("\r" + ProgressFormatter.bar(progress, width: context.console.columns()) + "\u{1B}[K")
            state.withLock { $0.hasBar = true }
        } else if let line = state.withLock({ $0.plain.line(progress, at: .now) }) {
            context.console.error(line + "\n")
        }
    }

    /// Ends the bar's line, if there is one.
    func finish() {
        let hadBar = state.withLock { state in
            defer { state.hasBar = false }
            return state.hasBar
        }
        if hadBar { context.console.error("\n") }
    }
}
