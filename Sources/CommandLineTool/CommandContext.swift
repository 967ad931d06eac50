internal import Configuration
internal import ControlProtocol
internal import ControlSocket
internal import Diagnostics

/// Everything a command works with.
struct CommandContext {
    let arguments: ParsedCommand
    let environment: [String: String]
    let hooks: CommandLineHooks
    let console: Console
    let workingDirectory: String
    let standard: StandardDirectories
    let configuration: ConfigurationDirectory
    /// Of `reelfs.toml`.
    let settings: Settings
    let settingsProblems: [ConfigurationProblem]
    let cacheDirectory: String
    let isQuiet: Bool
    let isVerbose: Bool

    init(_ arguments: ParsedCommand, environment: [String: String], hooks: CommandLineHooks, console: Console, workingDirectory: String) {
        self.arguments = arguments
        self.environment = environment
        self.hooks = hooks
        self.console = console
        self.workingDirectory = workingDirectory
        standard = StandardDirectories(environment: environment)
        let directory = arguments.value("config-dir").map { PathText.absolute($0, in: workingDirectory) } ?? standard.configuration
        configuration = ConfigurationDirectory(path: directory, home: standard.home)
        var problems: [ConfigurationProblem] = []
        settings = configuration.loadSettings(problems: &problems)
        settingsProblems = problems
        cacheDirectory = arguments.value("cache-dir").map { PathText.absolute($0, in: workingDirectory) } ?? settings.cacheDirectory ?? standard.cache
        isQuiet = arguments.has("quiet")
        isVerbose = arguments.has("verbose")
    }

    /// The words after `-o`.
    var mountOptions: [String] { arguments.all("option").flatMap { $0.split(separator: ",").map(String.init) } }

    var wantsJSON: Bool { arguments.has("json") }

    // MARK: - Printing

    func print(_ text: String) { console.out(text + "\n") }

    func printJSON(_ value: some Encodable) { console.out(ControlMessage.readable(value) + "\n") }

    /// For people, not data: the standard error, unless `--quiet`.
    func say(_ text: String) { if !isQuiet { console.error(Redaction.line(text) + "\n") } }

    func warn(_ text: String) { console.error("reelfs: " + Redaction.line(text) + "\n") }

    func report(_ problems: [ConfigurationProblem]) {
        for problem in problems where problem.isFault || !isQuiet { warn(problem.description) }
    }

    // MARK: - The daemon

    var locations: [SocketLocation] { SocketLocation.candidates(cacheDirectory: cacheDirectory, environment: environment) }

    /// `nil`: none runs.
    func client() throws(CommandFailure) -> ControlClient? {
        do throws(ControlError) { return try ControlClient(connectingTo: locations) } catch {
            if error.code == .notRunning { return nil }
            throw CommandFailure(error)
        }
    }

    /// - Throws: `.notRunning` with advice when there is none.
    func runningClient() throws(CommandFailure) -> ControlClient {
        try controlling { () throws(ControlError) in try ControlClient(connectingTo: locations) }
    }

    /// Asks the daemon, or without one the offline hook.
    func ask(_ request: ControlRequest, onEvent: (ControlEvent) -> Void = { _ in }) throws(CommandFailure) -> ControlAnswer {
        if let client = try client() {
            return try controlling { () throws(ControlError) in try client.send(request, silence: .seconds(300), onEvent: onEvent) }
        }
        let options = OfflineOptions(
            cacheDirectory: cacheDirectory, configurationDirectory: configuration.path, cacheSize: settings.cacheSize,
            minimumFree: settings.minimumFree)
        return try controlling { () throws(ControlError) in try hooks.offline(options, request, onEvent) }
    }

    /// Tells a running daemon that the configuration changed; nothing to do when there is none.
    func announceChange() {
        guard let client = try? client() else { return }
        do throws(ControlError) { try client.send(.sourcesChanged, silence: .seconds(30)) } catch {
            warn("saved, but the running daemon did not take it: \(error.description)")
        }
    }

    func reference(_ path: String) -> PathReference { PathReference(given: path, absolute: real(path)) }

    func absolute(_ path: String) -> String { PathText.absolute(path, in: workingDirectory) }

    /// Absolute and without symbolic links, as mounts are known to the kernel.
    func real(_ path: String) -> String { RealPath.resolve(absolute(path), mountPoints: MountInfo.mountPoints()) }

    /// - Throws: `.usage` for what is no number in the range.
    func number(_ flag: String, in range: ClosedRange<UInt32>) throws(CommandFailure) -> UInt32? {
        guard let text = arguments.value(flag) else { return nil }
        guard let number = UInt32(text), range.contains(number) else {
            throw .usage("--\(flag) takes a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func cacheSize(_ text: String?) throws(CommandFailure) -> CacheSize? {
        guard let text else { return nil }
        guard let size = CacheSize(text) else { throw .usage("\(text) is not a size", advice: "50G, 800M or 10%") }
        return size
    }

    func minimumFree() throws(CommandFailure) -> UInt64? {
        guard let text = arguments.value("min-free") else { return nil }
        guard let size = ByteSize.parse(text) else { throw .usage("\(text) is not a size", advice: "1G or 800M") }
        return size
    }

    func logLevel() throws(CommandFailure) -> Log.Level? {
        guard let text = arguments.value("log-level") else { return isVerbose ? .debug : nil }
        guard let level = Log.Level(named: text) else {
            throw .usage("there is no log level \(text)", advice: Log.Level.allCases.map { "\($0)" }.joined(separator: ", "))
        }
        return level
    }

    /// - Throws: `.usage` for what cannot be the name of a source.
    func sourceName(_ text: String) throws(CommandFailure) -> SourceName {
        guard let name = SourceName(text) else {
            throw .usage(
                "\(text) cannot be the name of a source",
                advice: "no /, no leading . or -, no control characters, at most \(SourceName.maximumBytes) bytes")
        }
        return name
    }

    /// The configured source; its problems are reported.
    func configuredSource(_ name: SourceName) throws(CommandFailure) -> ConfiguredSource {
        var problems: [ConfigurationProblem] = []
        let source = configuration.load(name, problems: &problems)
        report(problems)
        guard let source else {
            throw CommandFailure(.failure, "there is no usable source \(name.text)", advice: "see: reelfs list")
        }
        return source
    }
}
