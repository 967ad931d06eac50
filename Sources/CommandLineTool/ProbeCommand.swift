internal import Configuration
internal import Diagnostics
internal import MediaFiles

/// `reelfs probe`.
enum ProbeCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let command = MediaCommand(context)
        let given = context.arguments.operands[0]
        var report = try command.running { () throws(MediaFileError) in
            try FilmProbe.report(path: context.absolute(given), readsAll: context.arguments.has("full"), isCancelled: command.isCancelled) {
                command.show(given, $0, $1)
            }
        }
        report.path = given
        if context.wantsJSON { context.printJSON(report) } else { context.console.out(text(report)) }
        return report.refusal == nil ? .success : .refused
    }

    static func text(_ report: FilmReport) -> String {
        var lines = ["\(report.path): \(report.container), \(ByteSize.format(report.bytes))"]
        if let title = report.title { lines.append("title: \(title)") }
        if let seconds = report.seconds { lines.append("duration: \(ProgressFormatter.duration(UInt64(max(0, min(seconds.rounded(), 1e15)))))") }
        lines.append("index: \(report.index)")
        for track in report.tracks {
            var marks = [track.language ?? "", track.name.map { "“\($0)”" } ?? "", track.isDefault ? "default" : "", track.isForced ? "forced" : ""]
            marks.insert(track.details, at: 0)
            let described = marks.filter { !$0.isEmpty }.joined(separator: ", ")
            lines.append("track \(track.number): \(track.kind), \(track.codec)\(described.isEmpty ? "" : ", " + described)")
            lines.append("  \(track.note)")
        }
        if !report.chapters.isEmpty { lines.append("chapters: \(report.chapters.count)") }
        if report.hasCover { lines.append("cover: goes in") }
        let others = report.attachments - (report.hasCover ? 1 : 0)
        if others > 0 { lines.append("attachments: \(others), left out") }
        lines += report.notes
        let whole = report.isComplete ? "" : " in its first part (--full looks through all of it)"
        lines.append(
            report.damages.isEmpty
                ? "damage: none found\(whole)" : "damage: \(report.damageCount == 1 ? "1 place" : "\(report.damageCount) places")\(whole)")
        let damages = report.damages.prefix(20)
        for damage in damages {
            lines.append("  at \(damage.offset)\(damage.lostBytes > 0 ? ", \(damage.lostBytes) bytes lost" : ""): \(damage.detail)")
        }
        if report.damageCount > damages.count { lines.append("  and \(report.damageCount - damages.count) more") }
        lines.append(report.refusal.map { "no MP4 can be made of it: \($0)" } ?? "an MP4 can be made of it: reelfs remux")
        return lines.map { Redaction.line($0) + "\n" }.joined()
    }
}
