internal import Configuration
internal import Diagnostics
internal import MediaFiles

/// `reelfs remux`.
enum RemuxCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        guard !(context.arguments.has("fragmented") && context.arguments.has("faststart")) else {
            throw .usage("--fragmented and --faststart exclude each other", advice: "a fragmented file begins at once anyway")
        }
        let input = context.arguments.operands[0], output = context.arguments.operands[1]
        let request = RemuxRequest(
            input: context.absolute(input), output: context.absolute(output),
            layout: context.arguments.has("fragmented") ? .fragmented : context.arguments.has("faststart") ? .fastStart : .progressive,
            wantsSubtitles: !context.arguments.has("no-subtitles"), writesSubRip: context.arguments.has("srt"),
            replaces: context.arguments.has("force"))
        let command = MediaCommand(context)
        let report = try command.running { () throws(MediaFileError) in
            try Remuxer.run(request, isCancelled: command.isCancelled) { command.show(input, $0, $1) }
        }
        if context.wantsJSON {
            context.printJSON(report)
        } else {
            for track in report.film.tracks where !track.isCarried { context.warn("\(input): track \(track.number) (\(track.codec)) \(track.note)") }
            for note in report.film.notes { context.warn("\(input): \(note)") }
            let damages = report.film.damages.prefix(20)
            for damage in damages { context.warn("\(input): damaged at \(damage.offset): \(damage.detail)") }
            if report.film.damageCount > damages.count { context.warn("\(input): damaged at \(report.film.damageCount - damages.count) more places") }
            let carried = report.film.tracks.filter(\.isCarried).count
            context.say("\(output): \(ByteSize.format(report.bytes)), \(carried) of \(report.film.tracks.count) tracks")
            for path in report.sidecars { context.say(path) }
        }
        return .success
    }
}
