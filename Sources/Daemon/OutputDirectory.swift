internal import CLinux
internal import ControlProtocol
internal import Glibc

/// A directory that files are copied into. Each is written as `.NAME.part` and gets its name when it is whole; no symbolic
/// link inside the directory is ever followed. Blocks: not for the cooperative pool.
final class OutputDirectory: Sendable {
    private let descriptor: Int32
    private let shown: String

    /// Opens the directory, made if it lacks. Its own path may hold symbolic links: the user named it.
    init(path: String) throws(ControlError) {
        mkdir(path, 0o777)
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        shown = path
        guard descriptor >= 0 else { throw Self.failure("cannot open \(path)") }
    }

    deinit { close(descriptor) }

    /// What is to be written at `path` below the directory.
    final class File: Sendable {
        private let parent: Int32
        private let descriptor: Int32
        private let name: String
        private let partName: String
        private let shown: String

        fileprivate init(parent: Int32, name: String, shown: String) throws(ControlError) {
            self.parent = parent
            self.name = name
            self.shown = shown
            // Long names would not fit with the marks around them.
            var stem = name
            while stem.utf8.count > 240 { stem.removeLast() }
            partName = ".\(stem).part"
            unlinkat(parent, partName, 0)
            descriptor = reelfs_openat(parent, partName, O_WRONLY | O_CREAT | O_EXCL, 0o666)
            guard descriptor >= 0 else {
                let error = OutputDirectory.failure("cannot write \(shown)")
                close(parent)
                throw error
            }
        }

        deinit {
            close(descriptor)
            close(parent)
        }

        func write(_ bytes: [UInt8]) throws(ControlError) {
            var offset = 0
            while offset < bytes.count {
                let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress?.advanced(by: offset), bytes.count - offset) }
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { throw OutputDirectory.failure("cannot write \(shown)") }
                offset += count
            }
        }

        /// Sets the time, syncs and gives the file its name.
        func finish(modified: Int64?) throws(ControlError) {
            if let modified {
                let times = [timespec(tv_sec: Int(modified), tv_nsec: 0), timespec(tv_sec: Int(modified), tv_nsec: 0)]
                futimens(descriptor, times)
            }
            guard fdatasync(descriptor) == 0, renameat(parent, partName, parent, name) == 0 else {
                throw OutputDirectory.failure("cannot finish \(shown)")
            }
        }

        func abandon() { unlinkat(parent, partName, 0) }
    }

    /// - Parameters:
    ///   - path: names below the directory; none is `.` or `..` or holds `/`.
    func create(_ path: [String]) throws(ControlError) -> File {
        let shown = ([self.shown] + path).joined(separator: "/")
        guard let name = path.last else { throw ControlError(.invalid, "a file needs a name") }
        return try File(parent: try openParent(path.dropLast()), name: name, shown: shown)
    }

    func makeDirectory(_ path: [String]) throws(ControlError) { close(try openParent(path[...])) }

    /// Whether a file of this size and time is there already.
    func holds(_ path: [String], size: UInt64, modified: Int64?) -> Bool {
        guard let modified, let name = path.last, let parent = try? openParent(path.dropLast()) else { return false }
        defer { close(parent) }
        var info = stat()
        guard fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) == 0, info.st_mode & S_IFMT == S_IFREG else { return false }
        return UInt64(max(0, info.st_size)) == size && Int64(info.st_mtim.tv_sec) == modified
    }

    /// - Returns: a descriptor that the caller closes.
    private func openParent(_ path: ArraySlice<String>) throws(ControlError) -> Int32 {
        var current = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard current >= 0 else { throw Self.failure("cannot open \(shown)") }
        for name in path {
            mkdirat(current, name, 0o777)
            let next = reelfs_openat(current, name, O_RDONLY | O_DIRECTORY, 0)
            let error = next < 0 ? Self.failure("cannot open the directory \(name) in \(shown)") : nil
            close(current)
            if let error { throw error }
            current = next
        }
        return current
    }

    fileprivate static func failure(_ what: String) -> ControlError {
        let code = errno
        return ControlError(
            .cacheFailed, "\(what): \(String(cString: strerror(code)))",
            advice: code == ENOSPC ? "free some space and try again: what came is not lost" : nil)
    }
}
