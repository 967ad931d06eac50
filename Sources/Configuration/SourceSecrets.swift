package import Diagnostics

/// What identifies the user to an origin. Lives in files that only the user can read, never in the TOML file.
package struct SourceSecrets: Hashable, Sendable {
    package var password: Secret?
    package var bearer: Secret?
    /// Fields added to every request to this origin.
    package var headers: [SecretHeader] = []
    /// The whole URL, when the link itself is a secret (`SourceDefinition.isLinkSecret`).
    package var link: Secret?

    package init() {}

    package var isEmpty: Bool { password == nil && bearer == nil && headers.isEmpty && link == nil }
}

/// A request field whose value is secret.
package struct SecretHeader: Hashable, Sendable {
    package var name: String
    package var value: Secret

    /// `nil`: the name is not a token (RFC 9110 §5.6.2) or the value holds line breaks or NUL.
    package init?(name: String, value: Secret) {
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte), value.reveal().utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            return nil
        }
        self.name = name
        self.value = value
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: Array("!#$%&'*+-.^_`|~".utf8).contains(byte)
        }
    }

    /// The lines `Name: value` of a file; empty lines and lines that begin with `#` are skipped. `nil`: another line is among them.
    package static func parse(lines text: String) -> [SecretHeader]? {
        var result: [SecretHeader] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let colon = line.firstIndex(of: ":"),
                let header = SecretHeader(name: String(line[..<colon]), value: Secret(String(line[line.index(after: colon)...].trimmed)))
            else { return nil }
            result.append(header)
        }
        return result
    }
}

/// A source as the daemon needs it: what it is, and who we are to it.
package struct ConfiguredSource: Hashable, Sendable {
    package var definition: SourceDefinition
    package var secrets: SourceSecrets

    package init(definition: SourceDefinition, secrets: SourceSecrets = SourceSecrets()) {
        self.definition = definition
        self.secrets = secrets
    }

    package var name: SourceName { definition.name }

    /// The URL to ask. Secret: it may be a signed link. For people there is `publicURL`.
    package var location: Secret { secrets.link ?? Secret(definition.url) }

    /// The URL without what could be secret in it.
    package var publicURL: String { Redaction.url(definition.url) }
}

extension Substring {
    /// Without spaces and tabs at both ends.
    var trimmed: Substring {
        var result = self
        while let first = result.first, first == " " || first == "\t" { result.removeFirst() }
        while let last = result.last, last == " " || last == "\t" { result.removeLast() }
        return result
    }
}
