internal import Configuration
internal import ControlProtocol
internal import Diagnostics

/// `reelfs doctor`.
enum DoctorCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        var names: [SourceName] = []
        for word in context.arguments.operands { names.append(try context.sourceName(word)) }
        var findings = MachineChecks(context: context).all()
        let loaded = context.configuration.load()
        findings += configuration(loaded, context)
        if !context.arguments.has("offline") { findings += sources(names.isEmpty ? loaded.sources.map(\.name) : names, context) }

        let isFaulty = findings.contains { $0.level == .fault }
        if context.wantsJSON {
            context.printJSON(findings)
        } else {
            for finding in findings where !context.isQuiet || finding.level == .fault { context.console.out(text(finding)) }
            let faults = findings.filter { $0.level == .fault }.count
            let warnings = findings.filter { $0.level == .warning }.count
            if !context.isQuiet {
                context.print(faults + warnings == 0 ? "Everything is well." : "\(counted(faults, "fault")), \(counted(warnings, "warning")).")
            }
        }
        return isFaulty ? .failure : .success
    }

    /// `ok     subject: message` and, below it, what to do.
    static func text(_ finding: Finding) -> String {
        let mark =
            switch finding.level {
            case .good: "ok   "
            case .note: "note "
            case .warning: "WARN "
            case .fault: "FAULT"
            }
        return Redaction.line("\(mark)  \(finding.subject): \(finding.message)") + "\n"
            + (finding.advice.map { Redaction.line("       -> \($0)") + "\n" } ?? "")
    }

    private static func configuration(_ loaded: Configuration, _ context: CommandContext) -> [Finding] {
        var findings = loaded.problems.map { problem in
            let level: Finding.Level =
                switch problem.kind {
                case .damaged, .unsafe, .unreadable: .fault
                case .invalidValue, .unknownKey: .warning
                case .tightened: .note
                }
            return Finding(
                level, "configuration", problem.line.map { "\(problem.path):\($0): \(problem.message)" } ?? "\(problem.path): \(problem.message)",
                advice: problem.advice)
        }
        if loaded.sources.isEmpty {
            findings.append(
                Finding(
                    .note, "configuration", "no sources are configured in \(context.configuration.path)",
                    advice: "reelfs add URL, or try: reelfs demo"))
        } else {
            findings.append(Finding(.good, "configuration", "\(loaded.sources.count) sources in \(context.configuration.path)"))
        }
        return findings
    }

    private static func sources(_ names: [SourceName], _ context: CommandContext) -> [Finding] {
        guard !names.isEmpty else { return [] }
        do throws(CommandFailure) {
            guard case .checks(let findings) = try context.ask(.check(sources: names)) else { throw .unexpected }
            return findings
        } catch {
            return [Finding(.fault, "sources", error.message, advice: error.advice)]
        }
    }
}
