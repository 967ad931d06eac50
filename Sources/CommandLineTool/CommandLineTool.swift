internal import Configuration
internal import ControlProtocol
internal import Diagnostics
internal import Glibc

/// The program `reelfs`, and `mount.reelfs` when it is called by that name.
package enum CommandLineTool {
    /// Runs one command line. Blocks until it is done; call it on the main thread.
    /// - Parameters:
    ///   - arguments: all words, the program's name first.
    /// - Returns: the exit status.
    package static func run(arguments: [String], environment: [String: String], hooks: CommandLineHooks) -> Int32 {
        // Writing to a reader that went away gives EPIPE, which the console takes as a quiet end.
        signal(SIGPIPE, SIG_IGN)
        umask(0o022)
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let directory =
            getcwd(&buffer, buffer.count) == nil ? "/" : String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return run(arguments: arguments, environment: environment, hooks: hooks, console: .standard(), workingDirectory: directory)
    }

    static func run(arguments: [String], environment: [String: String], hooks: CommandLineHooks, console: Console, workingDirectory: String) -> Int32
    {
        do throws(CommandFailure) {
            let name = arguments.first?.split(separator: "/").last ?? ""
            var words = Array(arguments.dropFirst())
            if name == "mount.reelfs" {
                guard let translated = try MountHelper.translate(words) else { return ExitCode.success.rawValue }
                words = translated
            }
            switch try ArgumentParser.parse(words) {
            case .version:
                console.out("reelfs \(ProgramVersion.text)\n")
                return ExitCode.success.rawValue
            case .help(let path):
                return try help(path, console)
            case .run(let parsed):
                let context = CommandContext(parsed, environment: environment, hooks: hooks, console: console, workingDirectory: workingDirectory)
                return try execute(context)
            }
        } catch {
            console.error(error.line + "\n")
            return error.exit.rawValue
        }
    }

    private static func help(_ path: [String], _ console: Console) throws(CommandFailure) -> Int32 {
        if path.isEmpty {
            console.out(HelpWriter.program())
        } else if let text = HelpWriter.command(path) {
            console.out(text)
        } else {
            throw .usage("there is no command \(path.joined(separator: " "))", advice: "see: reelfs --help")
        }
        return ExitCode.success.rawValue
    }

    private static func execute(_ context: CommandContext) throws(CommandFailure) -> Int32 {
        if context.arguments.command.name != "list", context.arguments.command.name != "doctor" { context.report(context.settingsProblems) }
        // Every command takes it, also those that start nothing.
        _ = try context.logLevel()
        let code: ExitCode
        switch context.arguments.path[0] {
        case "add": code = try AddCommand.run(context)
        case "list": code = try ListCommand.run(context)
        case "set": code = try SetCommand.run(context)
        case "remove": code = try RemoveCommand.run(context)
        case "refresh": code = try RefreshCommand.run(context)
        case "mount": return try MountCommand.run(context)
        case "unmount": code = try UnmountCommand.run(context)
        case "status": code = try StatusCommand.run(context)
        case "cache": code = try CacheCommand.run(context)
        case "get": code = try GetCommand.run(context)
        case "remux": code = try RemuxCommand.run(context)
        case "probe": code = try ProbeCommand.run(context)
        case "subtitles": code = try SubtitlesCommand.run(context)
        case "doctor": code = try DoctorCommand.run(context)
        case "selftest": code = try SelfTestCommand.run(context)
        case "demo": return try DemoCommand.run(context)
        case "daemon": return try DaemonCommand.run(context)
        case "_generate": code = try GenerateCommand.run(context)
        default: throw .usage("this command is not built in")
        }
        return code.rawValue
    }
}
