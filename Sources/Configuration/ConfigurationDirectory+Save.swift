internal import Glibc

extension ConfigurationDirectory {
    /// Writes a source and its secrets. Comments and unknown keys in an existing file stay (see `TomlEditor`); secrets that are `nil` now are
    /// removed.
    /// - Parameter replaces: `false` refuses a name that is taken.
    /// - Throws: `.exists`, `.invalid`, or what the file system says; then either the old or the new source is there, whole.
    package func save(_ source: ConfiguredSource, replaces: Bool) throws(ConfigurationError) {
        guard source.definition.isLinkSecret == (source.secrets.link != nil) else {
            throw ConfigurationError(.invalid, "a secret link goes with its flag")
        }
        try whileLocked { () throws(ConfigurationError) in
            let file = sourcePath(source.name)
            var problems: [ConfigurationProblem] = []
            var text = ""
            if access(file, F_OK) == 0 {
                guard replaces else {
                    throw ConfigurationError(.exists, "there is a source of this name: \(source.name.text)",
                        advice: "choose another with --name, or change it with: reelfs set \(source.name.text)")
                }
                text = String(decoding: try files.read(file, .notWritableByOthers, problems: &problems) ?? [], as: UTF8.self)
            }
            // Secrets first: a source without its password would be refused by its origin, a password without a source does nothing.
            for kind in SecretKind.allCases where source.secrets.text(kind) != nil {
                try writer.write(Array((source.secrets.text(kind) ?? "").utf8), to: secretPath(source.name, kind), mode: 0o600, keepsBackup: false)
            }
            let edited = TomlEditor.edited(text, changes: source.definition.tomlEntries)
            try writer.write(Array(edited.utf8), to: file, mode: 0o600, keepsBackup: true)
            for kind in SecretKind.allCases where source.secrets.text(kind) == nil { unlink(secretPath(source.name, kind)) }
            try writer.syncDirectory(secretsPath)
        }
    }

    /// Removes a source: its file, the backup and its secrets.
    /// - Throws: `.notFound`.
    package func remove(_ name: SourceName) throws(ConfigurationError) {
        try whileLocked { () throws(ConfigurationError) in
            let file = sourcePath(name)
            if unlink(file) != 0 {
                let code = errno
                if code == ENOENT { throw ConfigurationError(.notFound, "there is no source \(name.text)", advice: "run: reelfs list") }
                throw .system(code, "cannot remove \(file)")
            }
            unlink(file + ".bak")
            for kind in SecretKind.allCases { unlink(secretPath(name, kind)) }
            try writer.syncDirectory(sourcesPath)
            try writer.syncDirectory(secretsPath)
        }
    }

    /// Writes `reelfs.toml`, keeping its comments.
    package func save(_ settings: Settings) throws(ConfigurationError) {
        try whileLocked { () throws(ConfigurationError) in
            var problems: [ConfigurationProblem] = []
            let text = String(decoding: try files.read(settingsPath, .notWritableByOthers, problems: &problems) ?? [], as: UTF8.self)
            let edited = TomlEditor.edited(text, changes: settings.tomlEntries)
            try writer.write(Array(edited.utf8), to: settingsPath, mode: 0o600, keepsBackup: true)
        }
    }
}
