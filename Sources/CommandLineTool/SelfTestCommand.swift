internal import Configuration
internal import Diagnostics
internal import OriginReport

/// `reelfs selftest`.
enum SelfTestCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let source = try source(context.arguments.operands[0], context)
        let report = context.hooks.selfTest(source) { if context.isVerbose { context.say($0) } }
        if context.wantsJSON {
            context.printJSON(report)
        } else {
            context.console.out(text(report, width: context.console.isOutputTerminal ? context.console.columns() : 120, isQuiet: context.isQuiet))
        }
        return switch report.verdict {
        case .full: .success
        case .limited: .partial
        case .unusable: .failure
        }
    }

    private static func source(_ word: String, _ context: CommandContext) throws(CommandFailure) -> ConfiguredSource {
        var options = SourceOptions(context)
        guard word == "-" || word.contains("://") else {
            if let flag = CommandTable.sourceFlags.first(where: { context.arguments.has($0.name) }) {
                throw .usage("--\(flag.name) goes with a URL", advice: "for a configured source: reelfs set NAME --\(flag.name) …")
            }
            if PathText.isLocalPath(word) { throw .usage("\(word) is on this machine", advice: "name a URL") }
            let source = try context.configuredSource(try context.sourceName(word))
            guard !source.location.reveal().hasPrefix("/") else { throw .usage("\(word) is a list on this machine", advice: "name a URL of it") }
            return source
        }
        let (place, link) = try options.location(word)
        let type = context.arguments.value("type").flatMap(SourceType.init(rawValue:)) ?? place.impliedType
        var source = AddCommand.make(SourceName.derived(from: place.url, type: type, taken: []), place, link)
        try options.apply(to: &source)
        try options.askForPassword(&source)
        return source
    }

    // MARK: - Printing

    static func text(_ report: OriginReport, width: Int, isQuiet: Bool = false) -> String {
        var lines = [Redaction.line("\(report.address)\(report.type.map { " (\($0))" } ?? "")") + "\n"]
        for area in OriginFinding.Area.allCases {
            let findings = report.findings.filter { $0.area == area && (!isQuiet || $0.level != .ok) }
            guard !findings.isEmpty else { continue }
            lines.append("\n\(area.rawValue)\n")
            let column = findings.map { TextColumns.width($0.check) }.max() ?? 0
            var previous: String?
            for finding in findings {
                lines.append(row(finding, column: column, width: max(width, 60), saysEffect: finding.effect != previous))
                previous = finding.effect
            }
        }
        let amount = "\(report.requests) requests, \(ByteSize.format(report.bytes)), \(Double(Int(report.seconds * 10)) / 10) s"
        lines.append("\n\(verdict(report)) (\(amount))\n")
        return lines.joined()
    }

    private static func row(_ finding: OriginFinding, column: Int, width: Int, saysEffect: Bool) -> String {
        let mark =
            switch finding.level {
            case .ok: "ok  "
            case .note: "note"
            case .bad: "BAD "
            }
        let lead = "  \(mark)  \(TextColumns.padded(finding.check, column))  "
        let indent = lead.count
        let seen = TextColumns.wrapped(Redaction.line(finding.seen), limit: width - indent, indent: 0)
        let pad = String(repeating: " ", count: indent)
        var text = lead + seen.split(separator: "\n").joined(separator: "\n" + pad) + "\n"
        // What the line before said holds here, too.
        if saysEffect, let effect = finding.effect {
            let wrapped = TextColumns.wrapped("-> reelfs " + Redaction.line(effect), limit: width - indent, indent: 3)
            text += pad + wrapped.split(separator: "\n").joined(separator: "\n" + pad) + "\n"
        }
        return text
    }

    static func verdict(_ report: OriginReport) -> String {
        switch report.verdict {
        case .full: "This server can be used in full."
        case .limited: "This server can be used with limits: see what is BAD above."
        case .unusable: "This server cannot be used as it is: see what is BAD above."
        }
    }
}
