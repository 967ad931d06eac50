internal import Configuration
internal import Diagnostics
internal import Glibc

/// Applies the flags that describe a source. Reads the files that they name.
struct SourceOptions {
    let context: CommandContext
    /// Whether the standard input was taken by one of them.
    var isInputTaken = false

    init(_ context: CommandContext) { self.context = context }

    /// The URL operand; `-` reads it from the standard input.
    /// - Returns: the place, and the whole link when it came as a secret.
    mutating func location(_ word: String) throws(CommandFailure) -> (place: SourceLocation, link: Secret?) {
        guard word == "-" else {
            return (try configuring { () throws(ConfigurationError) in try SourceLocation(word, relativeTo: context.workingDirectory) }, nil)
        }
        guard let secret = SourceSecrets.oneLine(try input()) else { throw CommandFailure(.failure, "there is no URL on the standard input") }
        var place = try configuring { () throws(ConfigurationError) in try SourceLocation(secret.reveal(), relativeTo: nil) }
        let link = Secret(place.url)
        // In a link that is a secret, path and query may both be the secret.
        place.url = place.origin + "/"
        return (place, link)
    }

    /// Changes what the flags name and leaves the rest.
    mutating func apply(to source: inout ConfiguredSource) throws(CommandFailure) {
        let arguments = context.arguments
        if let text = arguments.value("type") {
            guard let type = SourceType(rawValue: text) else {
                throw .usage("there is no type \(text)", advice: SourceType.allCases.map(\.rawValue).joined(separator: ", "))
            }
            source.definition.type = type
        }
        if let user = arguments.value("user") { source.definition.user = user }
        if let command = arguments.value("password-command") {
            source.definition.passwordCommand = command
            source.secrets.password = nil
        }
        if let file = arguments.value("password-file") {
            source.secrets.password = try secret(file, "--password-file")
            source.definition.passwordCommand = nil
        }
        if let file = arguments.value("bearer-file") { source.secrets.bearer = try secret(file, "--bearer-file") }
        if let file = arguments.value("header-file") {
            guard let headers = SecretHeader.parse(lines: try content(file, "--header-file")) else {
                throw CommandFailure(.failure, "a line of \(file) is not a header", advice: "each line is NAME: VALUE")
            }
            source.secrets.headers = headers
        }
        if arguments.has("netrc") { source.definition.usesNetrc = true }
        if let file = arguments.value("ca-cert") { source.definition.caCertificate = try existing(file) }
        if let file = arguments.value("client-cert") { source.definition.clientCertificate = try existing(file) }
        if let file = arguments.value("client-key") { source.definition.clientKey = try existing(file) }
        if let proxy = arguments.value("proxy") {
            guard ["http://", "https://", "socks5h://", "socks5://"].contains(where: proxy.hasPrefix) else {
                throw .usage("\(Redaction.url(proxy)) is not a proxy", advice: "http://HOST:PORT or socks5h://HOST:PORT")
            }
            source.definition.proxy = proxy
        }
        try applyCacheRules(&source)
        if arguments.has("allow-private") { source.definition.allowsPrivate = true }
        if arguments.has("allow-insecure-redirect") { source.definition.allowsInsecureRedirects = true }
        if let seconds = try context.number("listing-seconds", in: 0...86_400) { source.definition.listingSeconds = seconds }
        if let count = try context.number("connections", in: 1...64) { source.definition.maximumConnections = count }
    }

    private func applyCacheRules(_ source: inout ConfiguredSource) throws(CommandFailure) {
        let arguments = context.arguments
        if let text = arguments.value("cache-key") {
            guard let rule = CacheKeyOption(text) else { throw .usage("\(text) is not a rule", advice: "strip-query or strip-query:NAME,NAME") }
            source.definition.cacheKey = rule
        }
        if arguments.has("rewrite") {
            var rewrites: [Rewrite] = []
            for text in arguments.all("rewrite") {
                guard let rewrite = Rewrite(text) else { throw .usage("\(text) is not a rewrite", advice: "--rewrite FROM=TO") }
                rewrites.append(rewrite)
            }
            source.definition.rewrites = rewrites
        }
        if arguments.has("accept-type") { source.definition.acceptedTypes = arguments.all("accept-type").map { $0.lowercased() } }
    }

    /// Asks for the password where a user was named and nothing says how to get it.
    func askForPassword(_ source: inout ConfiguredSource) throws(CommandFailure) {
        guard context.arguments.has("user"), let user = source.definition.user, source.secrets.password == nil,
            source.definition.passwordCommand == nil,
            source.secrets.bearer == nil, !source.definition.usesNetrc
        else { return }
        let question = Redaction.line("Password of \(user) at \(source.publicURL): ")
        guard let password = context.console.askSecret(question) else {
            context.say("no password was given; set one with --password-file, --password-command or (later) reelfs set NAME --password")
            return
        }
        source.secrets.password = password
    }

    private mutating func secret(_ file: String, _ flag: String) throws(CommandFailure) -> Secret {
        guard let secret = SourceSecrets.oneLine(try content(file, flag)) else {
            throw CommandFailure(.failure, "\(file) is empty", advice: "see \(flag)")
        }
        return secret
    }

    /// The content of a file that the user names; `-` is the standard input.
    private mutating func content(_ file: String, _ flag: String) throws(CommandFailure) -> String {
        if file == "-" { return try input() }
        guard let text = TextFile.read(context.absolute(file)) else {
            throw CommandFailure(.failure, "cannot read \(file)", advice: "\(flag) takes the path of a text file of at most 1 MiB")
        }
        return text
    }

    mutating func input() throws(CommandFailure) -> String {
        guard !isInputTaken else { throw .usage("only one thing can come from the standard input") }
        isInputTaken = true
        guard let text = context.console.readInput() else { throw CommandFailure(.failure, "the standard input is not a short text") }
        return text
    }

    private func existing(_ file: String) throws(CommandFailure) -> String {
        let path = context.absolute(file)
        guard access(path, R_OK) == 0 else { throw CommandFailure(.failure, "cannot read \(path)", advice: String(cString: strerror(errno))) }
        return path
    }
}
