package import Configuration
internal import Diagnostics

/// A source that travels over the socket with its secrets: the only place where secrets are encoded. It prints without them.
package struct InlineSource: Hashable, Sendable {
    package var source: ConfiguredSource

    package init(_ source: ConfiguredSource) { self.source = source }
}

extension InlineSource: CustomStringConvertible {
    package var description: String { "\(source.name.text) \(source.publicURL)" }
}

extension InlineSource: Codable {
    private enum Key: String, CodingKey {
        case definition, password, bearer, headers, link
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        var secrets = SourceSecrets()
        secrets.password = try container.decodeIfPresent(String.self, forKey: .password).map(Secret.init)
        secrets.bearer = try container.decodeIfPresent(String.self, forKey: .bearer).map(Secret.init)
        secrets.link = try container.decodeIfPresent(String.self, forKey: .link).map(Secret.init)
        secrets.headers = try (container.decodeIfPresent([[String]].self, forKey: .headers) ?? []).map { pair in
            guard pair.count == 2, let name = pair.first, let value = pair.last, let header = SecretHeader(name: name, value: Secret(value)) else {
                throw DecodingError.dataCorruptedError(forKey: .headers, in: container, debugDescription: "not a header")
            }
            return header
        }
        source = ConfiguredSource(definition: try container.decode(SourceDefinition.self, forKey: .definition), secrets: secrets)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(source.definition, forKey: .definition)
        try container.encodeIfPresent(source.secrets.password?.reveal(), forKey: .password)
        try container.encodeIfPresent(source.secrets.bearer?.reveal(), forKey: .bearer)
        try container.encodeIfPresent(source.secrets.link?.reveal(), forKey: .link)
        if !source.secrets.headers.isEmpty {
            try container.encode(source.secrets.headers.map { [$0.name, $0.value.reveal()] }, forKey: .headers)
        }
    }
}
