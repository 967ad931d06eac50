private import Glibc

/// What tests do with files and directories. Paths are text; names in them may be any UTF-8.
package enum FileTree {
    package struct Facts: Hashable, Sendable {
        package var isDirectory: Bool
        package var size: UInt64
        package var modifiedSeconds: Int64
        package var inode: UInt64
        package var device: UInt64
        package var mode: UInt32
    }

    package static func facts(_ path: String) throws -> Facts {
        var info = stat()
        guard lstat(path, &info) == 0 else { throw TestSupportError("stat \(path): \(errorText())") }
        return Facts(
            isDirectory: info.st_mode & S_IFMT == S_IFDIR, size: UInt64(clamping: info.st_size), modifiedSeconds: Int64(info.st_mtim.tv_sec),
            inode: UInt64(info.st_ino), device: UInt64(info.st_dev), mode: info.st_mode & 0o7777)
    }

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Names in a directory, sorted by their bytes, without `.` and `..`.
    package static func names(_ path: String) throws -> [String] {
        guard let directory = opendir(path) else { throw TestSupportError("opendir \(path): \(errorText())") }
        defer { closedir(directory) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw TestSupportError("readdir \(path): \(errorText())") }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Every file below a directory, as paths relative to it, sorted by bytes.
    package static func files(below root: String) throws -> [String] {
        var found: [String] = []
        func walk(_ relative: String) throws {
            for name in try names(relative.isEmpty ? root : "\(root)/\(relative)") {
                let below = relative.isEmpty ? name : "\(relative)/\(name)"
                if try facts("\(root)/\(below)").isDirectory { try walk(below) } else { found.append(below) }
            }
        }
        try walk("")
        return found
    }

    /// Makes the directory and those above it.
    package static func makeDirectory(_ path: String) throws {
        if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeDirectory(String(path[..<slash]))
            if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        }
        throw TestSupportError("mkdir \(path): \(errorText())")
    }

    package static func write(_ bytes: [UInt8], to path: String, modifiedSeconds: Int64? = nil) throws {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw TestSupportError("create \(path): \(errorText())") }
        defer { close(descriptor) }
        try bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = Glibc.write(descriptor, buffer.baseAddress! + done, buffer.count - done)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { throw TestSupportError("write \(path): \(errorText())") }
                done += count
            }
        }
        if let modifiedSeconds { try setModified(path, modifiedSeconds) }
    }

    package static func setModified(_ path: String, _ seconds: Int64) throws {
        let time = timespec(tv_sec: Int(seconds), tv_nsec: 0)
        guard utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW) == 0 else { throw TestSupportError("utimensat \(path): \(errorText())") }
    }

    package static func read(_ path: String) throws -> [UInt8] {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw TestSupportError("open \(path): \(errorText())") }
        defer { close(descriptor) }
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw TestSupportError("read \(path): \(errorText())") }
            if count == 0 { return result }
            result.append(contentsOf: chunk[..<count])
        }
    }

    /// Removes a tree without leaving its file system and without following links. Faults are ignored: it cleans up.
    package static func remove(_ path: String) {
        guard let device = try? facts(path).device else { return }
        remove(path, device: device)
    }

    private static func remove(_ path: String, device: UInt64) {
        guard let found = try? facts(path), found.device == device else { return }
        guard found.isDirectory else {
            unlink(path)
            return
        }
        if let names = try? names(path) {
            for name in names { remove("\(path)/\(name)", device: device) }
        }
        rmdir(path)
    }
}

/// errno of the call that just failed, as text.
func errorText(_ code: CInt = errno) -> String { String(cString: strerror(code)) }
