internal import Glibc

/// The directory of the configuration: `sources/NAME.toml`, `secrets/NAME.*` and `reelfs.toml`. Reads and changes files when asked and keeps
/// nothing: any number of processes may use it, changes take turns by a lock on the directory.
package struct ConfigurationDirectory: Sendable {
    /// Absolute.
    package let path: String
    let home: String?
    let files: CheckedFile
    let writer: AtomicFile

    /// - Parameter path: absolute. It need not exist: it is made at the first change.
    package init(path: String, home: String? = nil) {
        self.init(path: path, home: home, files: CheckedFile(), writer: AtomicFile())
    }

    init(path: String, home: String?, files: CheckedFile, writer: AtomicFile) {
        self.path = path
        self.home = home
        self.files = files
        self.writer = writer
    }

    var sourcesPath: String { path + "/sources" }
    var secretsPath: String { path + "/secrets" }
    package var settingsPath: String { path + "/reelfs.toml" }

    /// Where the source's file is or would be.
    package func sourcePath(_ name: SourceName) -> String { "\(sourcesPath)/\(name.text).toml" }

    /// Makes the directories that lack, 0700, and keeps others from changing anything while `body` runs.
    func whileLocked<Result>(_ body: () throws(ConfigurationError) -> Result) throws(ConfigurationError) -> Result {
        try makeDirectories()
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, "cannot open \(path)") }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            let code = errno
            if code != EINTR { throw .system(code, "cannot lock \(path)") }
        }
        return try body()
    }

    private func makeDirectories() throws(ConfigurationError) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            if mkdir(made, 0o700) != 0, errno != EEXIST, access(made, F_OK) != 0 { throw .system(errno, "cannot make \(made)") }
        }
        for directory in [sourcesPath, secretsPath] where mkdir(directory, 0o700) != 0 {
            let code = errno
            if code != EEXIST { throw .system(code, "cannot make \(directory)") }
        }
        var problems: [ConfigurationProblem] = []
        for directory in [path, sourcesPath, secretsPath] { try check(directory, problems: &problems) }
    }

    /// Whoever may write to a directory may replace its files. The directory of secrets is closed to others besides.
    /// - Returns: whether it exists.
    @discardableResult
    func check(_ directory: String, problems: inout [ConfigurationProblem]) throws(ConfigurationError) -> Bool {
        var info = stat()
        guard stat(directory, &info) == 0 else {
            let code = errno
            if code == ENOENT { return false }
            throw .system(code, "cannot look at \(directory)")
        }
        guard info.st_mode & S_IFMT == S_IFDIR else { throw ConfigurationError(.unsafe, "\(directory) is not a directory") }
        guard info.st_uid == files.user || info.st_uid == 0 else {
            throw ConfigurationError(.unsafe, "\(directory) belongs to another user (uid \(info.st_uid))",
                advice: "run: chown -R \(files.user) '\(directory)', or use another one with --config-dir")
        }
        guard info.st_mode & 0o022 == 0 else {
            throw ConfigurationError(.unsafe, "others may write to \(directory)", advice: "check its content, then run: chmod go-w '\(directory)'")
        }
        if directory == secretsPath, info.st_mode & 0o077 != 0 {
            guard chmod(directory, 0o700) == 0 else { throw .system(errno, "cannot close \(directory) to others") }
            problems.append(ConfigurationProblem(.tightened, path: directory, "others could look into it: its mode is 0700 now"))
        }
        return true
    }
}
