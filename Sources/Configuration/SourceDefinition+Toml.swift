extension SourceDefinition {
    /// The keys of a source's file, in the order in which a new one is written.
    var tomlEntries: [(key: String, value: TomlValue?)] {
        [
            ("type", type.map { .string($0.rawValue) }),
            ("url", .string(url)),
            ("secret_link", isLinkSecret ? .boolean(true) : nil),
            ("user", user.map(TomlValue.string)),
            ("password_command", passwordCommand.map(TomlValue.string)),
            ("netrc", usesNetrc ? .boolean(true) : nil),
            ("ca_cert", caCertificate.map(TomlValue.string)),
            ("client_cert", clientCertificate.map(TomlValue.string)),
            ("client_key", clientKey.map(TomlValue.string)),
            ("proxy", proxy.map(TomlValue.string)),
            ("cache_key", cacheKey.map { .string($0.text) }),
            ("rewrite", rewrites.isEmpty ? nil : .array(rewrites.map { .array([.string($0.from), .string($0.to)]) })),
            ("allow_private", allowsPrivate ? .boolean(true) : nil),
            ("allow_insecure_redirect", allowsInsecureRedirects ? .boolean(true) : nil),
            ("accept_type", acceptedTypes.isEmpty ? nil : .array(acceptedTypes.map(TomlValue.string))),
            ("listing_seconds", listingSeconds.map { .integer(Int64($0)) }),
            ("connections", maximumConnections.map { .integer(Int64($0)) }),
        ]
    }

    /// Reads a source's file. Unknown keys and optional values that cannot be are reported and left out; without a usable `url` there is no
    /// source.
    static func read(_ name: SourceName, _ document: TomlDocument, path: String, problems: inout [ConfigurationProblem]) -> SourceDefinition? {
        var reader = TomlReader(document: document, path: path)
        defer { problems += reader.problems }
        guard let text = reader.string("url") else {
            reader.report(.damaged, "url", "there is no url in it", advice: "add a line: url = \"https://…\"")
            return nil
        }
        guard let place = try? SourceLocation(text, relativeTo: nil) else {
            guard text.hasPrefix("/") else {
                reader.report(.damaged, "url", "the url is not one", advice: "it begins with https:// or http://, or is the path of a list")
                return nil
            }
            var definition = SourceDefinition(name: name, type: .list, url: text)
            definition.readOptions(&reader)
            definition.type = .list
            return definition
        }
        var definition = SourceDefinition(name: name, type: place.impliedType, url: place.url)
        definition.user = place.user
        if place.password != nil {
            reader.report(
                .invalidValue, "url", "a password stands in the url and is not used",
                advice: "run: reelfs set \(name.text) --password-file FILE, and take it out of the url")
        }
        definition.readOptions(&reader)
        return definition
    }

    private mutating func readOptions(_ reader: inout TomlReader) {
        if let text = reader.string("type") {
            if let known = SourceType(rawValue: text) {
                type = known
            } else {
                reader.report(.invalidValue, "type", "no such type", advice: "webdav, http or list")
            }
        }
        if let text = reader.string("name"), text != name.text {
            reader.report(.invalidValue, "name", "the name of the file is the name of the source; this key is not used")
        }
        isLinkSecret = reader.boolean("secret_link") ?? false
        user = reader.string("user") ?? user
        passwordCommand = reader.string("password_command")
        usesNetrc = reader.boolean("netrc") ?? false
        caCertificate = reader.string("ca_cert")
        clientCertificate = reader.string("client_cert")
        clientKey = reader.string("client_key")
        proxy = reader.string("proxy")
        if let text = reader.string("cache_key") {
            cacheKey = CacheKeyOption(text)
            if cacheKey == nil { reader.report(.invalidValue, "cache_key", "not a rule", advice: "strip-query or strip-query:NAME,NAME") }
        }
        for pair in reader.array("rewrite") {
            if case .array(let ends) = pair, ends.count == 2, case .string(let from) = ends[0], case .string(let to) = ends[1], !from.isEmpty {
                rewrites.append(Rewrite(from: from, to: to))
            } else {
                reader.report(.invalidValue, "rewrite", "not a list of pairs", advice: "rewrite = [[\"FROM\", \"TO\"]]")
            }
        }
        allowsPrivate = reader.boolean("allow_private") ?? false
        allowsInsecureRedirects = reader.boolean("allow_insecure_redirect") ?? false
        for item in reader.array("accept_type") {
            if case .string(let text) = item {
                acceptedTypes.append(text)
            } else {
                reader.report(.invalidValue, "accept_type", "not a list of texts")
            }
        }
        listingSeconds = reader.number("listing_seconds", in: 0...86_400)
        maximumConnections = reader.number("connections", in: 1...64)
        reader.reportUnknownKeys()
    }
}
