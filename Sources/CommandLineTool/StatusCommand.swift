internal import ControlProtocol
internal import ControlSocket

/// `reelfs status`.
enum StatusCommand {
    private struct NotRunning: Encodable {
        var running = false
        var cacheDirectory: String
    }

    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        guard let client = try context.client() else {
            if context.wantsJSON {
                context.printJSON(NotRunning(cacheDirectory: context.cacheDirectory))
            } else {
                context.print("reelfs is not running")
            }
            return .notRunning
        }
        if context.arguments.has("watch") {
            try controlling { () throws(ControlError) in
                try client.send(.status(everyMilliseconds: 1000), silence: .seconds(15)) { event in
                    guard case .status(let report) = event else { return }
                    if context.wantsJSON {
                        context.print(ControlMessage.compact(report))
                    } else {
                        // Home, then clear what is below each line and below the last.
                        let text = StatusFormatter.text(report).split(separator: "\n", omittingEmptySubsequences: false).joined(
                            separator: "\u{1B}[K\n")
                        context.console.out(context.console.isOutputTerminal ? "\u{1B}[H" + text + "\u{1B}[J" : StatusFormatter.text(report) + "\n")
                    }
                }
            }
            return .success
        }
        let answer = try controlling { () throws(ControlError) in try client.send(.status(everyMilliseconds: nil), silence: .seconds(15)) }
        guard case .status(let report) = answer else { throw .unexpected }
        if context.wantsJSON { context.printJSON(report) } else { context.console.out(StatusFormatter.text(report)) }
        return .success
    }
}
