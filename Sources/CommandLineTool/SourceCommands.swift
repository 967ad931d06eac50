internal import Configuration
internal import ControlProtocol
internal import ControlSocket
internal import Diagnostics

/// `reelfs add`.
enum AddCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        var options = SourceOptions(context)
        let (place, link) = try options.location(context.arguments.operands[0])
        var problems: [ConfigurationProblem] = []
        let taken = Set(context.configuration.names(problems: &problems))
        context.report(problems)
        let name: SourceName
        if let text = context.arguments.value("name") {
            name = try context.sourceName(text)
        } else {
            let type = context.arguments.value("type").flatMap(SourceType.init(rawValue:)) ?? place.impliedType
            name = SourceName.derived(from: place.url, type: type, taken: taken)
        }
        var source = make(name, place, link)
        try options.apply(to: &source)
        try options.askForPassword(&source)
        try configuring { () throws(ConfigurationError) in try context.configuration.save(source, replaces: false) }
        if place.password != nil {
            context.say(
                "the password was taken out of the URL into \(context.configuration.path)/secrets; it may still stand in the history of your shell")
        }
        context.announceChange()
        context.print(Redaction.line(name.text))
        context.say("added \(source.publicURL); it is a directory wherever the configured sources are mounted (reelfs mount DIR)")
        return .success
    }

    /// A source from its place, with the user information of the URL.
    static func make(_ name: SourceName, _ place: SourceLocation, _ link: Secret?) -> ConfiguredSource {
        var definition = SourceDefinition(name: name, type: place.impliedType, url: place.url)
        definition.user = place.user
        definition.isLinkSecret = link != nil
        var secrets = SourceSecrets()
        secrets.password = place.password
        secrets.link = link
        return ConfiguredSource(definition: definition, secrets: secrets)
    }
}

/// `reelfs list`.
enum ListCommand {
    private struct Item: Encodable {
        var name: String
        var type: String?
        var url: String
        var user: String?
        var hasPassword: Bool
    }

    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let loaded = context.configuration.load()
        if context.arguments.has("names") {
            for source in loaded.sources { context.print(Redaction.line(source.name.text)) }
            return .success
        }
        context.report(loaded.problems)
        if context.wantsJSON {
            context.printJSON(
                loaded.sources.map {
                    Item(
                        name: $0.name.text, type: $0.definition.type?.rawValue, url: $0.publicURL, user: $0.definition.user,
                        hasPassword: $0.secrets.password != nil || $0.definition.passwordCommand != nil)
                })
        } else if loaded.sources.isEmpty {
            context.say("no sources yet; add one: reelfs add URL")
        } else {
            context.console.out(
                TextColumns.table(
                    ["NAME", "TYPE", "USER", "URL"],
                    loaded.sources.map { [$0.name.text, $0.definition.type?.rawValue ?? "auto", $0.definition.user ?? "-", $0.publicURL] }))
        }
        return .success
    }
}

/// `reelfs set`.
enum SetCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let name = try context.sourceName(context.arguments.operands[0])
        var source = try context.configuredSource(name)
        let before = source
        for key in context.arguments.all("clear") { try clear(key, &source) }
        var options = SourceOptions(context)
        if let word = context.arguments.value("url") {
            let (place, link) = try options.location(word)
            source.definition.url = place.url
            source.definition.isLinkSecret = link != nil
            source.secrets.link = link
            if let type = place.impliedType { source.definition.type = type }
            if let user = place.user { source.definition.user = user }
            if let password = place.password { source.secrets.password = password }
        }
        try options.apply(to: &source)
        if context.arguments.has("password") {
            guard let password = context.console.askSecret(Redaction.line("Password for \(name.text): ")) else {
                throw CommandFailure(.failure, "there is no terminal to ask on", advice: "use --password-file -")
            }
            source.secrets.password = password
            source.definition.passwordCommand = nil
        }
        guard source != before else {
            context.say("nothing changed; see: reelfs set --help")
            return .success
        }
        try configuring { () throws(ConfigurationError) in try context.configuration.save(source, replaces: true) }
        context.announceChange()
        return .success
    }

    private static func clear(_ key: String, _ source: inout ConfiguredSource) throws(CommandFailure) {
        switch key {
        case "type": source.definition.type = nil
        case "user": source.definition.user = nil
        case "password": source.secrets.password = nil
        case "password-command": source.definition.passwordCommand = nil
        case "bearer": source.secrets.bearer = nil
        case "headers": source.secrets.headers = []
        case "netrc": source.definition.usesNetrc = false
        case "ca-cert": source.definition.caCertificate = nil
        case "client-cert": source.definition.clientCertificate = nil
        case "client-key": source.definition.clientKey = nil
        case "proxy": source.definition.proxy = nil
        case "cache-key": source.definition.cacheKey = nil
        case "rewrite": source.definition.rewrites = []
        case "accept-type": source.definition.acceptedTypes = []
        case "allow-private": source.definition.allowsPrivate = false
        case "allow-insecure-redirect": source.definition.allowsInsecureRedirects = false
        case "listing-seconds": source.definition.listingSeconds = nil
        case "connections": source.definition.maximumConnections = nil
        default: throw .usage("\(key) cannot be cleared", advice: CommandTable.clearable.joined(separator: ", "))
        }
    }
}

/// `reelfs remove`.
enum RemoveCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        var names: [SourceName] = []
        for text in context.arguments.operands { names.append(try context.sourceName(text)) }
        let purges = context.arguments.has("purge")
        for name in names { try configuring { () throws(ConfigurationError) in try context.configuration.remove(name) } }
        let client = try context.client()
        if client != nil { context.announceChange() }
        for name in names where client != nil || purges {
            let answer = try context.ask(.forget(source: name, purge: purges))
            if purges, case .freed(let bytes, _, let kept) = answer {
                context.say("\(name.text): \(ByteSize.format(bytes)) freed" + (kept > 0 ? "; what is open stays until it is closed" : ""))
            }
        }
        return .success
    }
}

/// `reelfs refresh`.
enum RefreshCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let client = try context.runningClient()
        let paths: [PathReference?] = context.arguments.operands.isEmpty ? [nil] : context.arguments.operands.map(context.reference)
        var directories: UInt64 = 0
        var failures: [ItemFailure] = []
        for path in paths {
            let answer = try controlling { () throws(ControlError) in try client.send(.refresh(path: path), silence: .seconds(300)) }
            guard case .refreshed(let count, let failed) = answer else { throw .unexpected }
            directories &+= count
            failures += failed
        }
        for failure in failures { context.warn(failure.line) }
        context.say("\(directories) \(directories == 1 ? "directory" : "directories") listed again")
        return failures.isEmpty ? .success : directories > 0 ? .partial : .failure
    }
}

extension ItemFailure {
    var line: String { "\(item): \(message)" + (advice.map { "; \($0)" } ?? "") }
}

extension CommandFailure {
    /// The daemon gave another answer than its request has.
    static let unexpected = CommandFailure(
        .failure, "the daemon gave an answer that does not fit", advice: "it may be of another version: reelfs unmount --all")
}
