/// What one source is, without its secrets: the content of `sources/NAME.toml`.
package struct SourceDefinition: Hashable, Sendable, Codable {
    package var name: SourceName
    /// `nil`: found out by the daemon when it first speaks to the origin.
    package var type: SourceType?
    /// `http(s)://…` without user information, or the absolute path of a local list. When `isLinkSecret`, only its public part: the whole
    /// link is `SourceSecrets.link`.
    package var url: String
    package var isLinkSecret: Bool = false
    package var user: String?
    /// A shell command that prints the password: `PasswordCommand` runs it.
    package var passwordCommand: String?
    /// Use `~/.netrc` for this source.
    package var usesNetrc: Bool = false
    /// Paths of PEM files.
    package var caCertificate: String?
    package var clientCertificate: String?
    package var clientKey: String?
    /// `http://host:port` or `socks5h://host:port`; `nil`: the environment's.
    package var proxy: String?
    /// `strip-query` or `strip-query:NAME,NAME`; `nil`: the whole URL is the key of the cache.
    package var cacheKey: CacheKeyOption?
    package var rewrites: [Rewrite] = []
    /// Whether a public origin may lead to loopback and private addresses.
    package var allowsPrivate: Bool = false
    /// Whether https may lead to http.
    package var allowsInsecureRedirects: Bool = false
    /// Media types that count as files although they look like a login page (`text/html`).
    package var acceptedTypes: [String] = []
    /// How long a listing is answered from memory without asking, in seconds; `nil`: the daemon's default.
    package var listingSeconds: UInt32?
    /// Connections per origin; `nil`: the daemon's default.
    package var maximumConnections: UInt32?

    package init(name: SourceName, type: SourceType? = nil, url: String) {
        self.name = name
        self.type = type
        self.url = url
    }
}

/// Which part of a URL is not part of the cache's key, because it changes with every link to the same bytes.
package enum CacheKeyOption: Hashable, Sendable {
    case stripQuery
    /// Only these names of the query are dropped.
    case stripNames([String])

    /// `strip-query` or `strip-query:NAME[,NAME]…`; `nil`: neither.
    package init?(_ text: String) {
        if text == "strip-query" {
            self = .stripQuery
        } else if text.hasPrefix("strip-query:") {
            let names = text.dropFirst("strip-query:".count).split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard !names.isEmpty, names.allSatisfy({ !$0.isEmpty }) else { return nil }
            self = .stripNames(names)
        } else {
            return nil
        }
    }

    package var text: String {
        switch self {
        case .stripQuery: "strip-query"
        case .stripNames(let names): "strip-query:" + names.joined(separator: ",")
        }
    }
}

extension CacheKeyOption: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let option = CacheKeyOption(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a cache key option"))
        }
        self = option
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// A part of URLs that stands for another in keys of the cache, `*` for any run of characters but `/`: `FROM=TO`, split at the first `=`
/// behind which a URL begins, else at the first `=`.
package struct Rewrite: Hashable, Sendable, Codable {
    package var from: String
    package var to: String

    package init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    package init?(_ text: String) {
        let equals = text.indices.filter { text[$0] == "=" }
        let chosen = equals.first { text[text.index(after: $0)...].hasPrefix("http") } ?? equals.first
        guard let chosen, chosen != text.startIndex else { return nil }
        from = String(text[..<chosen])
        to = String(text[text.index(after: chosen)...])
    }

    package var text: String { from + "=" + to }
}
