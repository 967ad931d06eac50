internal import Glibc

/// Small programs of the system, found by PATH.
enum ChildProcess {
    /// Starts it; `nil`: it cannot be started.
    static func start(_ words: [String], discardsOutput: Bool = false) -> pid_t? {
        guard let program = words.first else { return nil }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, 2, 1)
        if discardsOutput {
            for descriptor: Int32 in [1, 2] { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0) }
        }
        let argv: [UnsafeMutablePointer<CChar>?] = words.map { (word: String) in strdup(word) }
        defer { for word in argv { free(word) } }
        var pid: pid_t = 0
        return posix_spawnp(&pid, program, &actions, nil, argv + [nil], environ) == 0 ? pid : nil
    }

    /// The exit status (128 + signal when one ended it); `nil`: it runs on after the deadline, and is killed (which a hanging mount may delay).
    static func wait(_ pid: pid_t, for time: Duration) -> Int32? {
        let deadline = ContinuousClock.now + time
        var status: Int32 = 0
        while true {
            let ended = waitpid(pid, &status, WNOHANG)
            if ended == pid { return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F) }
            if ended < 0, errno != EINTR { return 128 }
            if ContinuousClock.now >= deadline {
                kill(pid, SIGKILL)
                return nil
            }
            usleep(2000)
        }
    }
}
