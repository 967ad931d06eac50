package import Diagnostics
internal import Glibc

/// Asks a command of the user's for a password. Blocks the calling thread: never call it from a Swift task's pool.
package enum PasswordCommand {
    /// Runs `/bin/sh -c COMMAND` with nothing on its input; what it prints (at most 64 KiB, the last line break dropped) is the password. Its
    /// messages go to our standard error.
    /// - Parameter deadline: after it the command and its children are killed.
    /// - Throws: `.command`; the words name neither the command nor what it printed.
    package static func run(_ command: String, deadline: Duration = .seconds(30)) throws(ConfigurationError) -> Secret {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system(errno, "cannot make a pipe") }
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        _ = fcntl(reading, F_SETFD, FD_CLOEXEC)
        _ = fcntl(writing, F_SETFD, FD_CLOEXEC)
        var pid: pid_t = 0
        let code = spawn(command, output: writing, pid: &pid)
        close(writing)
        guard code == 0 else { throw .system(code, "cannot start the password command") }

        let output = read(reading, until: .now + deadline)
        if output == nil { kill(-pid, SIGKILL) }
        let status = wait(for: pid, until: .now + deadline)
        guard let output else {
            throw ConfigurationError(.command, "the password command took longer than \(deadline.components.seconds) s or printed too much")
        }
        guard let status, status == 0 else {
            throw ConfigurationError(.command, "the password command failed", advice: "run it in a terminal to see why")
        }
        guard let secret = SourceSecrets.oneLine(String(decoding: output, as: UTF8.self)) else {
            throw ConfigurationError(.command, "the password command printed nothing")
        }
        return secret
    }

    /// In a process group of its own, so that its children can be ended with it.
    private static func spawn(_ command: String, output: Int32, pid: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // We ignore SIGPIPE; a pipeline of the user's counts on it.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words: [UnsafeMutablePointer<CChar>?] = ["/bin/sh", "-c", command].map { (word: String) in strdup(word) }
        defer { for word in words { free(word) } }
        return posix_spawn(&pid, "/bin/sh", &actions, &attributes, words + [nil], environ)
    }

    /// `nil`: the deadline passed, or there was too much.
    private static func read(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> [UInt8]? {
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return nil }
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&poller, 1, Int32(clamping: left.components.seconds &* 1000 &+ 1000))
            if ready < 0, errno != EINTR { return nil }
            guard ready > 0 else { continue }
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return result }
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            result += chunk[..<count]
            if result.count > 65_536 { return nil }
        }
    }

    /// The exit status; `nil` when a signal ended it or it had to be killed (it closed its output and went on).
    private static func wait(for pid: pid_t, until deadline: ContinuousClock.Instant) -> Int32? {
        var status: Int32 = 0
        while true {
            let ended = waitpid(pid, &status, WNOHANG)
            if ended == pid { return status & 0x7F == 0 ? status >> 8 & 0xFF : nil }
            if ended < 0, errno != EINTR { return nil }
            if ContinuousClock.now >= deadline {
                kill(-pid, SIGKILL)
                waitpid(pid, &status, 0)
                return nil
            }
            usleep(5000)
        }
    }
}
