internal import Bytes
package import ControlProtocol
internal import Glibc

/// Where the socket of the daemon of one cache directory is: in a directory that only the user can enter.
package struct SocketLocation: Hashable, Sendable {
    package let directory: String
    package let name: String

    package var path: String { directory + "/" + name }

    package init(directory: String, name: String) {
        self.directory = directory
        self.name = name
    }

    /// Where to look, best first: `$XDG_RUNTIME_DIR/reelfs`, `/run/user/UID/reelfs` (a command started by cron lacks the variable, its daemon
    /// may not), `/tmp/reelfs-UID`. The daemon listens at the first; commands try all. A runtime directory of another user (after `su`) is
    /// passed over.
    package static func candidates(cacheDirectory: String, environment: [String: String], user: UInt32 = geteuid()) -> [SocketLocation] {
        var bases: [String] = []
        for base in [environment["XDG_RUNTIME_DIR"], "/run/user/\(user)"] {
            guard let base, base.hasPrefix("/"), isDirectory(base, of: user), !bases.contains(base + "/reelfs") else { continue }
            bases.append(base + "/reelfs")
        }
        bases.append("/tmp/reelfs-\(user)")
        let name = socketName(cacheDirectory: cacheDirectory)
        return bases.map { SocketLocation(directory: $0, name: name) }
    }

    /// The same for every way to write the directory's path, also before it exists.
    static func socketName(cacheDirectory: String) -> String {
        var hash = StableHash()
        hash.combine(canonical(cacheDirectory))
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + ".sock"
    }

    /// The path without symbolic links, as far as it exists.
    private static func canonical(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        var trimmed = path
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        guard let slash = trimmed.lastIndex(of: "/"), trimmed != "/" else { return trimmed }
        let parent = slash == trimmed.startIndex ? "/" : canonical(String(trimmed[..<slash]))
        return (parent == "/" ? "" : parent) + trimmed[slash...]
    }

    private static func isDirectory(_ path: String, of user: UInt32) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR && info.st_uid == user
    }

    /// For `doctor`: whether the directory, if it exists, is safe.
    package func check() throws(ControlError) {
        if let descriptor = try openDirectory(makes: false) { close(descriptor) }
    }

    /// Opens the directory after a check: a real directory (no symbolic link), ours, closed to others. Whoever could replace the socket could
    /// take the secrets that commands send.
    /// - Parameter makes: make it (0700) when it lacks.
    /// - Returns: a descriptor that the caller closes; `nil` when it does not exist.
    func openDirectory(makes: Bool, user: UInt32 = geteuid()) throws(ControlError) -> Int32? {
        if makes { mkdir(directory, 0o700) }
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 {
            let code = errno
            if code == ENOENT { return nil }
            if code == ELOOP || code == ENOTDIR {
                throw ControlError(.unsafe, "\(directory) is not a directory of its own", advice: "remove it; another user may have put it there")
            }
            throw ControlError(
                .unsafe, "cannot open \(directory): \(String(cString: strerror(code)))", advice: "set XDG_RUNTIME_DIR to a directory of yours")
        }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_uid == user else {
            close(descriptor)
            throw ControlError(.unsafe, "\(directory) belongs to another user", advice: "set XDG_RUNTIME_DIR to a directory of yours (mode 0700)")
        }
        guard info.st_mode & 0o077 == 0 else {
            close(descriptor)
            throw ControlError(.unsafe, "others may enter \(directory)", advice: "run: chmod 700 '\(directory)'")
        }
        return descriptor
    }
}
