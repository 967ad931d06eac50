internal import Glibc

/// Replaces a file so that after any failure or power cut either the old or the new content is there, whole.
struct AtomicFile {
    /// Where a fault can be injected by tests.
    enum Step: CaseIterable {
        case create, write, sync, backup, rename, syncDirectory
    }

    /// Called before each step; an errno makes the step fail. For tests.
    var fault: @Sendable (Step) -> Int32? = { _ in nil }

    /// Writes `bytes` aside, syncs, keeps the previous file as `PATH.bak` when wanted, renames, syncs the directory.
    /// - Throws: when the new content may not be there for good. The old file is untouched unless only the last sync failed.
    func write(_ bytes: [UInt8], to path: String, mode: mode_t, keepsBackup: Bool) throws(ConfigurationError) {
        guard let slash = path.lastIndex(of: "/") else { throw ConfigurationError(.invalid, "not an absolute path: \(path)") }
        let directory = String(path[..<slash])
        let aside = "\(directory)/.\(path[path.index(after: slash)...]).\(getpid()).new"
        var isAside = false
        defer { if isAside { unlink(aside) } }

        unlink(aside)
        let descriptor = try attempt(.create, aside) { open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode) }
        isAside = true
        do throws(ConfigurationError) {
            _ = try attempt(.create, aside) { fchmod(descriptor, mode) }
            var written = 0
            while written < bytes.count {
                let rest = bytes[written...]
                written += try attempt(.write, aside) { rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } }
            }
            _ = try attempt(.sync, aside) { fsync(descriptor) }
        } catch {
            close(descriptor)
            throw error
        }
        close(descriptor)
        if keepsBackup, access(path, F_OK) == 0 {
            // A hard link, not a rename: at no moment is the file missing.
            let backup = path + ".bak"
            unlink(backup)
            _ = try attempt(.backup, backup) { link(path, backup) }
        }
        _ = try attempt(.rename, path) { rename(aside, path) }
        isAside = false
        try syncDirectory(directory)
    }

    /// Makes the names of a directory durable.
    func syncDirectory(_ directory: String) throws(ConfigurationError) {
        let descriptor = try attempt(.syncDirectory, directory) { open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(descriptor) }
        _ = try attempt(.syncDirectory, directory) { fsync(descriptor) }
    }

    private func attempt(_ step: Step, _ path: String, _ call: () -> Int) throws(ConfigurationError) -> Int {
        if let code = fault(step) { throw .system(code, "cannot write \(path)") }
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw .system(code, "cannot write \(path)") }
        }
    }

    private func attempt(_ step: Step, _ path: String, _ call: () -> Int32) throws(ConfigurationError) -> Int32 {
        Int32(truncatingIfNeeded: try attempt(step, path) { Int(call()) })
    }
}
