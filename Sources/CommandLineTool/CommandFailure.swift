internal import Configuration
internal import ControlProtocol
internal import Diagnostics

/// Why a command ends: one line for the standard error that says what to do, and a status.
struct CommandFailure: Error, Hashable {
    var exit: ExitCode
    var message: String
    var advice: String?

    init(_ exit: ExitCode, _ message: String, advice: String? = nil) {
        self.exit = exit
        self.message = message
        self.advice = advice
    }

    static func usage(_ message: String, advice: String? = nil) -> CommandFailure { CommandFailure(.usage, message, advice: advice) }

    init(_ error: ControlError) {
        let exit: ExitCode =
            switch error.code {
            case .notRunning: .notRunning
            case .mountFailed: .mountFailed
            default: .failure
            }
        self.init(exit, error.message, advice: error.advice)
    }

    init(_ error: ConfigurationError) { self.init(.failure, error.message, advice: error.advice) }

    /// Safe for a terminal: what came from outside cannot drive it.
    var line: String { "reelfs: " + text }

    /// The line without the program's name in front.
    var text: String { Redaction.line(message + (advice.map { "; \($0)" } ?? "")) }
}

/// Runs `body`, turning errors of the configuration into failures of the command.
@discardableResult
func configuring<Result>(_ body: () throws(ConfigurationError) -> Result) throws(CommandFailure) -> Result {
    do throws(ConfigurationError) { return try body() } catch { throw CommandFailure(error) }
}

/// Runs `body`, turning errors of the control socket into failures of the command.
@discardableResult
func controlling<Result>(_ body: () throws(ControlError) -> Result) throws(CommandFailure) -> Result {
    do throws(ControlError) { return try body() } catch { throw CommandFailure(error) }
}
