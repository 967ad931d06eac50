package import Diagnostics

/// The kinds of secret files: `secrets/NAME.KIND`.
enum SecretKind: String, CaseIterable {
    case password, bearer, headers, link
}

extension ConfigurationDirectory {
    func secretPath(_ name: SourceName, _ kind: SecretKind) -> String { "\(secretsPath)/\(name.text).\(kind.rawValue)" }
}

extension SourceSecrets {
    /// The content of the file of this kind; `nil`: there is none.
    func text(_ kind: SecretKind) -> String? {
        switch kind {
        case .password: password.map { $0.reveal() + "\n" }
        case .bearer: bearer.map { $0.reveal() + "\n" }
        case .headers: headers.isEmpty ? nil : headers.map { "\($0.name): \($0.value.reveal())\n" }.joined()
        case .link: link.map { $0.reveal() + "\n" }
        }
    }

    mutating func set(_ kind: SecretKind, _ text: String, path: String) throws(ConfigurationError) {
        switch kind {
        case .password: password = Self.oneLine(text)
        case .bearer: bearer = Self.oneLine(text)
        case .link: link = Self.oneLine(text)
        case .headers:
            guard let parsed = SecretHeader.parse(lines: text) else {
                throw ConfigurationError(.damaged, "a line of \(path) is not a header", advice: "each line is NAME: VALUE")
            }
            headers = parsed
        }
    }

    /// A secret as it stands in a file or comes from a command: without the line break that editors and `echo` add. `nil`: empty.
    package static func oneLine(_ text: String) -> Secret? {
        var text = text[...]
        if text.last?.isNewline == true { text.removeLast() }
        return text.isEmpty ? nil : Secret(String(text))
    }
}
