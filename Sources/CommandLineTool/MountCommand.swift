internal import Configuration
internal import ControlProtocol
internal import ControlSocket
internal import Diagnostics
internal import Glibc

/// `reelfs mount`.
enum MountCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> Int32 {
        var words = context.arguments.operands
        guard let last = words.popLast() else { throw .usage("MOUNTPOINT is missing") }
        if last.contains("://") { throw .usage("\(Redaction.url(last)) is not a directory", advice: "the last word is the mount point") }
        let mountPoint = context.real(last)
        let content = try content(words, context)
        try prepare(mountPoint, context)
        let request = MountRequest(content: content, mountPoint: mountPoint, options: context.mountOptions)
        if context.arguments.has("foreground") { return try foreground(request, context) }
        let client = try DaemonStarter(context: context).client()
        try mount(request, client, context)
        return ExitCode.success.rawValue
    }

    private static func mount(_ request: MountRequest, _ client: ControlClient, _ context: CommandContext) throws(CommandFailure) {
        let answer = try controlling { () throws(ControlError) in
            try client.send(.mount(request: request), silence: .seconds(90)) { if case .note(let text) = $0 { context.say(text) } }
        }
        guard case .mounted(let mount) = answer else { throw .unexpected }
        context.say("mounted \(mount.sources.joined(separator: ", ")) on \(mount.mountPoint)")
    }

    /// What the words before the mount point mean: nothing (all configured sources), names, or URLs.
    static func content(_ words: [String], _ context: CommandContext) throws(CommandFailure) -> MountRequest.Content {
        let hasURLs = words.contains(where: isURL)
        if !hasURLs, let flag = CommandTable.sourceFlags.first(where: { context.arguments.has($0.name) }) {
            throw .usage("--\(flag.name) goes with a URL", advice: "for a configured source: reelfs set NAME --\(flag.name) …")
        }
        if words.isEmpty {
            let loaded = context.configuration.load()
            context.report(loaded.problems)
            guard !loaded.sources.isEmpty else {
                throw CommandFailure(.failure, "no sources are configured", advice: "add one: reelfs add URL, or name a URL before the mount point")
            }
            return .configured
        }
        if !hasURLs {
            var names: [SourceName] = []
            for word in words {
                let name = try context.sourceName(word)
                _ = try context.configuredSource(name)
                guard !names.contains(name) else { throw .usage("\(word) is named twice") }
                names.append(name)
            }
            return .named(names: names)
        }
        return .inline(sources: try inline(words, context))
    }

    private static func isURL(_ word: String) -> Bool { word == "-" || word.contains("://") || PathText.isLocalPath(word) }

    private static func inline(_ words: [String], _ context: CommandContext) throws(CommandFailure) -> [InlineSource] {
        var options = SourceOptions(context)
        var sources: [ConfiguredSource] = []
        var taken: Set<SourceName> = []
        var hosts: Set<String> = []
        for word in words where !isURL(word) { taken.insert(try context.sourceName(word)) }
        for word in words {
            guard isURL(word) else {
                sources.append(try context.configuredSource(try context.sourceName(word)))
                continue
            }
            let (place, link) = try options.location(word)
            let type = context.arguments.value("type").flatMap(SourceType.init(rawValue:)) ?? place.impliedType
            let name = SourceName.derived(from: place.url, type: type, taken: taken)
            taken.insert(name)
            hosts.insert(place.origin)
            sources.append(AddCommand.make(name, place, link))
        }
        let secretFlags = ["user", "password-file", "password-command", "bearer-file", "header-file", "netrc"]
        if hosts.count > 1, let flag = secretFlags.first(where: context.arguments.has) {
            throw .usage("--\(flag) would go to several hosts", advice: "add the sources one by one: reelfs add URL --\(flag) …")
        }
        // The flags are the same for all URLs; what they read is read once.
        var pattern: ConfiguredSource?
        for (index, word) in words.enumerated() where isURL(word) {
            var source = sources[index]
            if let pattern {
                source.take(from: pattern)
            } else {
                try options.apply(to: &source)
                try options.askForPassword(&source)
                pattern = source
            }
            sources[index] = source
        }
        return sources.map(InlineSource.init)
    }

    /// Makes a mount point that does not exist. Everything else about it the daemon looks at.
    private static func prepare(_ mountPoint: String, _ context: CommandContext) throws(CommandFailure) {
        var info = stat()
        guard lstat(mountPoint, &info) != 0, errno == ENOENT else { return }
        guard mkdir(mountPoint, 0o755) == 0 else {
            throw CommandFailure(.mountFailed, "cannot make \(mountPoint): \(String(cString: strerror(errno)))", advice: "make the directory first")
        }
        context.say("made the directory \(mountPoint)")
    }

    // MARK: - In the foreground

    private static func foreground(_ request: MountRequest, _ context: CommandContext) throws(CommandFailure) -> Int32 {
        if let client = try context.client() {
            try mount(request, client, context)
            return try stay(request.mountPoint, client)
        }
        var options = try DaemonCommand.options(context, style: .foreground)
        options.mounts = [request]
        options.endsWhenIdle = true
        return context.hooks.runDaemon(options)
    }

    /// A daemon that runs already has the mount: wait until it is gone, or unmount it at a signal.
    private static func stay(_ mountPoint: String, _ client: ControlClient) throws(CommandFailure) -> Int32 {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while true {
            var second = timespec(tv_sec: 1, tv_nsec: 0)
            if sigtimedwait(&signals, nil, &second) > 0 {
                try controlling { () throws(ControlError) in _ = try client.send(.unmount(target: .mountPoint(path: mountPoint), lazy: false)) }
                return ExitCode.success.rawValue
            }
            let answer = try controlling { () throws(ControlError) in try client.send(.mounts) }
            guard case .mounts(let mounts) = answer, mounts.contains(where: { $0.mountPoint == mountPoint }) else { return ExitCode.success.rawValue }
        }
    }
}

extension ConfiguredSource {
    /// Everything that flags can say, from a source that has it; what the URL said stays.
    fileprivate mutating func take(from pattern: ConfiguredSource) {
        var definition = pattern.definition
        definition.name = self.definition.name
        definition.url = self.definition.url
        definition.isLinkSecret = self.definition.isLinkSecret
        definition.type = definition.type ?? self.definition.type
        definition.user = definition.user ?? self.definition.user
        let link = secrets.link
        let password = secrets.password
        self.definition = definition
        secrets = pattern.secrets
        secrets.link = link
        secrets.password = secrets.password ?? password
    }
}
