internal import Configuration
internal import ControlProtocol
internal import ControlSocket

/// `reelfs get`.
enum GetCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let client = try DaemonStarter(context: context).client()
        let printer = ProgressPrinter(context)
        let request = ControlRequest.get(
            paths: context.arguments.operands.map(context.reference), directory: context.arguments.value("to").map(context.absolute))
        let answer: ControlAnswer
        do throws(ControlError) { answer = try client.send(request, silence: .seconds(300), onEvent: printer.take) } catch {
            printer.finish()
            throw CommandFailure(error)
        }
        printer.finish()
        return try report(answer, context)
    }

    static func report(_ answer: ControlAnswer, _ context: CommandContext) throws(CommandFailure) -> ExitCode {
        guard case .fetched(let report) = answer else { throw .unexpected }
        for failure in report.failures { context.warn(failure.line) }
        if context.wantsJSON {
            context.printJSON(report)
        } else {
            let there = report.bytesAlreadyThere > 0 ? " (\(ByteSize.format(report.bytesAlreadyThere)) were there already)" : ""
            let failed = report.failures.isEmpty ? "" : ", \(report.failures.count) failed"
            context.say("\(counted(report.files, "file")), \(ByteSize.format(report.bytes))\(there)\(failed)")
        }
        return report.failures.isEmpty ? .success : report.files > 0 ? .partial : .failure
    }
}
