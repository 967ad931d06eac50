internal import MediaFiles

/// `reelfs subtitles`.
enum SubtitlesCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let command = MediaCommand(context)
        let given = context.arguments.operands[0]
        let result = try command.running { () throws(MediaFileError) in
            try SubtitleExtraction.run(
                path: context.absolute(given), directory: context.arguments.value("to").map(context.absolute),
                replaces: context.arguments.has("force"), isCancelled: command.isCancelled
            ) { command.show(given, $0, $1) }
        }
        for reason in result.leftOut { context.warn("\(given): \(reason)") }
        for path in result.paths { context.print(path) }
        guard !result.paths.isEmpty else { throw CommandFailure(.failure, "\(given): there are no text subtitles in it") }
        return result.leftOut.isEmpty ? .success : .partial
    }
}
