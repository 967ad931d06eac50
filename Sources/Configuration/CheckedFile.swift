internal import Glibc

/// Reads files of the configuration after a look at who could have written them.
struct CheckedFile {
    enum Rule {
        /// Readable by others, writable only by the owner: the TOML files.
        case notWritableByOthers
        /// Only for the owner: secrets. Wider modes are corrected when the file is ours.
        case ownerOnly
    }

    /// Who reads. Root takes only what root owns; others take what they or root own.
    var user: uid_t = geteuid()
    /// More than any sane file here: what is larger is refused, not read.
    static let maximumBytes = 1 << 20

    /// - Returns: `nil` when there is no such file.
    func read(_ path: String, _ rule: Rule, problems: inout [ConfigurationProblem]) throws(ConfigurationError) -> [UInt8]? {
        // A secret may not be a symbolic link; other files may (people keep them in a repository).
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (rule == .ownerOnly ? O_NOFOLLOW : 0)
        let descriptor = open(path, flags)
        if descriptor < 0 {
            let code = errno
            if code == ENOENT { return nil }
            throw .system(code, "cannot open \(path)")
        }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw .system(errno, "cannot look at \(path)") }
        guard info.st_mode & S_IFMT == S_IFREG else { throw ConfigurationError(.unsafe, "\(path) is not a file") }
        guard info.st_uid == user || info.st_uid == 0 else {
            throw ConfigurationError(.unsafe, "\(path) belongs to another user (uid \(info.st_uid))", advice: "run: chown \(user) '\(path)'")
        }
        switch rule {
        case .notWritableByOthers:
            guard info.st_mode & 0o022 == 0 else {
                throw ConfigurationError(.unsafe, "others may write to \(path)", advice: "check its content, then run: chmod go-w '\(path)'")
            }
        case .ownerOnly:
            if info.st_mode & 0o077 != 0 {
                guard fchmod(descriptor, 0o600) == 0 else {
                    throw ConfigurationError(.unsafe, "others may read \(path)", advice: "run: chmod 600 '\(path)'")
                }
                problems.append(ConfigurationProblem(.tightened, path: path, "others could read this secret: its mode is 0600 now",
                    advice: "change the password if others use this machine"))
            }
        }
        guard info.st_size <= Self.maximumBytes else { throw ConfigurationError(.damaged, "\(path) is too large (\(info.st_size) bytes)") }
        return try Self.readAll(descriptor, path)
    }

    private static func readAll(_ descriptor: Int32, _ path: String) throws(ConfigurationError) -> [UInt8] {
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                throw .system(code, "cannot read \(path)")
            }
            if count == 0 { return result }
            result += chunk[..<count]
            guard result.count <= maximumBytes else { throw ConfigurationError(.damaged, "\(path) is too large") }
        }
    }
}

extension ConfigurationError {
    static func system(_ code: Int32, _ message: String) -> ConfigurationError {
        ConfigurationError(.system(errno: code), "\(message): \(String(cString: strerror(code)))")
    }
}
