internal import Diagnostics
internal import Glibc

/// Everything that is configured, and what is wrong with it.
package struct Configuration: Sendable {
    package var settings = Settings()
    /// In order of names.
    package var sources: [ConfiguredSource] = []
    package var problems: [ConfigurationProblem] = []

    package init() {}
}

extension ConfigurationDirectory {
    /// Reads everything. A damaged or unsafe file costs only itself and is in `problems`. No directory is an empty configuration.
    package func load() -> Configuration {
        var result = Configuration()
        guard isUsable(path, &result.problems) else { return result }
        result.settings = loadSettings(problems: &result.problems)
        for name in names(problems: &result.problems) {
            if let source = load(name, problems: &result.problems) { result.sources.append(source) }
        }
        return result
    }

    /// `reelfs.toml`, or defaults.
    package func loadSettings(problems: inout [ConfigurationProblem]) -> Settings {
        guard let document = document(settingsPath, problems: &problems) else { return Settings() }
        return Settings.read(document, path: settingsPath, home: home, problems: &problems)
    }

    /// The names of all source files, readable or not, in order.
    package func names(problems: inout [ConfigurationProblem]) -> [SourceName] {
        guard isUsable(sourcesPath, &problems), let directory = opendir(sourcesPath) else { return [] }
        defer { closedir(directory) }
        var result: [SourceName] = []
        while let entry = readdir(directory) {
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard let file = String(validating: bytes, as: UTF8.self) else {
                problems.append(ConfigurationProblem(.unreadable, path: sourcesPath, "a file whose name is not UTF-8 is not read"))
                continue
            }
            guard file.hasSuffix(".toml"), !file.hasPrefix(".") else { continue }
            if let name = SourceName(String(file.dropLast(5))) {
                result.append(name)
            } else {
                problems.append(ConfigurationProblem(.unreadable, path: "\(sourcesPath)/\(Redaction.line(file))",
                    "the name of this file cannot be the name of a source", advice: "rename it"))
            }
        }
        return result.sorted()
    }

    /// One source. `nil`: there is none, or `problems` says why.
    package func load(_ name: SourceName, problems: inout [ConfigurationProblem]) -> ConfiguredSource? {
        let file = sourcePath(name)
        guard let document = document(file, problems: &problems),
            let definition = SourceDefinition.read(name, document, path: file, problems: &problems)
        else { return nil }
        let secrets = loadSecrets(name, problems: &problems)
        if definition.isLinkSecret, secrets.link == nil {
            problems.append(ConfigurationProblem(.damaged, path: file, "its link is kept as a secret, which is missing",
                advice: "run: reelfs set \(name.text) --url -"))
            return nil
        }
        return ConfiguredSource(definition: definition, secrets: secrets)
    }

    private func isUsable(_ directory: String, _ problems: inout [ConfigurationProblem]) -> Bool {
        do throws(ConfigurationError) { return try check(directory, problems: &problems) } catch {
            problems.append(ConfigurationProblem(.unsafe, path: directory, error.message, advice: error.advice))
            return false
        }
    }

    private func document(_ file: String, problems: inout [ConfigurationProblem]) -> TomlDocument? {
        let bytes: [UInt8]
        do throws(ConfigurationError) {
            guard let found = try files.read(file, .notWritableByOthers, problems: &problems) else { return nil }
            bytes = found
        } catch {
            problems.append(ConfigurationProblem(error.code == .unsafe ? .unsafe : .unreadable, path: file, error.message, advice: error.advice))
            return nil
        }
        do throws(TomlDocument.Failure) {
            guard let text = String(validating: bytes, as: UTF8.self) else { throw TomlDocument.Failure(message: "it is not UTF-8", line: 0) }
            return try TomlDocument(parsing: text)
        } catch {
            let hasBackup = access(file + ".bak", F_OK) == 0
            // The words of the parser may quote the file: made fit for one line.
            problems.append(ConfigurationProblem(.damaged, path: file, line: error.line > 0 ? error.line : nil,
                "not a TOML file: \(Redaction.line(error.message))",
                advice: hasBackup ? "correct it, or take back the previous one: mv '\(file).bak' '\(file)'" : "correct or remove it"))
            return nil
        }
    }

    private func loadSecrets(_ name: SourceName, problems: inout [ConfigurationProblem]) -> SourceSecrets {
        var secrets = SourceSecrets()
        guard isUsable(secretsPath, &problems) else { return secrets }
        for kind in SecretKind.allCases {
            let file = secretPath(name, kind)
            do throws(ConfigurationError) {
                guard let bytes = try files.read(file, .ownerOnly, problems: &problems) else { continue }
                try secrets.set(kind, String(decoding: bytes, as: UTF8.self), path: file)
            } catch {
                problems.append(ConfigurationProblem(error.code == .unsafe ? .unsafe : .damaged, path: file, error.message, advice: error.advice))
            }
        }
        return secrets
    }
}
