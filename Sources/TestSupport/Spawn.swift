internal import CLinux
internal import Glibc

/// Starts a child in a process group of its own, with signals at their defaults and no descriptors but 0, 1, 2.
enum Spawn {
    static func start(
        _ command: [String], environment: [String: String]?, directory: String?, input: CInt, output: CInt, errors: CInt
    ) throws -> pid_t {
        let arguments = (directory.map { ["env", "-C", $0] } ?? []) + command
        guard let program = arguments.first else { throw TestSupportError("no program to start") }
        guard let path = program.contains("/") ? program : TestTools.find(program) else { throw TestSupportError("\(program) is not installed") }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        reelfs_spawn_close_from(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var all = sigset_t(), none = sigset_t()
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))

        let argv = arguments.map { strdup($0) } + [nil]
        let variables = environment ?? TestTools.environment
        let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }

        var pid: pid_t = 0
        let code = posix_spawn(&pid, path, &actions, &attributes, argv, envp)
        guard code == 0 else { throw TestSupportError("start \(program): \(errorText(code))") }
        return pid
    }

    /// The exit code (128 + signal when killed), or `nil` while it runs.
    static func reap(_ pid: pid_t) -> CInt? {
        var status: CInt = 0
        let got = waitpid(pid, &status, WNOHANG)
        if got == 0 || (got < 0 && errno == EINTR) { return nil }
        guard got == pid else { return 255 }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    /// Waits up to `seconds` for the child's end.
    static func wait(_ pid: pid_t, seconds: Double) -> CInt? {
        let end = now() + seconds
        while true {
            if let code = reap(pid) { return code }
            if now() >= end { return nil }
            usleep(3000)
        }
    }

    /// TERM to the whole group, KILL to what is left after `patience` seconds; reaps the leader.
    @discardableResult
    static func stop(_ pid: pid_t, patience: Double) -> CInt? {
        kill(-pid, SIGTERM)
        let code = wait(pid, seconds: patience)
        kill(-pid, SIGKILL)
        return code ?? wait(pid, seconds: 5)
    }

    /// Seconds on a clock that only goes forward.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
