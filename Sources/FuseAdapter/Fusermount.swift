internal import CFuse
internal import Glibc

/// Unmounts for users who are not root, by the set-user-id program that libfuse brings.
enum Fusermount {
    /// Where libfuse looks for it: its own place first, then along PATH.
    private static var places: [String] {
        ["/usr/bin", "/bin"] + (getenv("PATH").map { String(cString: $0).split(separator: ":").map(String.init) } ?? [])
    }

    /// Why ordinary users cannot mount with it, and what to do; `nil` when nothing is wrong with it.
    static var problem: (message: String, advice: String)? {
        for place in places {
            let path = place + "/fusermount3"
            var info = stat()
            guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { continue }
            if access(path, X_OK) != 0 { return ("\(path) may not be run", "sudo apt install --reinstall fuse3") }
            if info.st_uid != 0 || info.st_mode & S_ISUID == 0 { return ("\(path) is not set-uid root", "sudo apt install --reinstall fuse3") }
            return nil
        }
        return ("fusermount3 is not installed", "sudo apt install fuse3")
    }

    /// - Returns: `nil` when the program says that it worked, else what it printed.
    static func unmount(_ path: String, lazy: Bool, within limit: Duration) -> String? {
        var words = ["fusermount3", "-u"]
        if lazy { words.append("-z") }
        words += ["--", path]
        var pipeEnds: [CInt] = [-1, -1]
        guard pipe(&pipeEnds) == 0 else { return "no pipe" }
        for end in pipeEnds { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(pipeEnds[0], F_SETFL, O_NONBLOCK)
        defer { close(pipeEnds[0]) }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], 2)

        // The child starts without the signals that the caller blocks.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, CShort(POSIX_SPAWN_SETSIGMASK))

        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let failure = posix_spawnp(&child, "fusermount3", &actions, &attributes, arguments, environ)
        close(pipeEnds[1])
        guard failure == 0 else { return "fusermount3: \(String(cString: strerror(failure)))" }
        let status = wait(for: child, within: limit)
        if status == 0 { return nil }
        var text = [UInt8](repeating: 0, count: 1024)
        let count = max(read(pipeEnds[0], &text, text.count), 0)
        let said = String(decoding: text[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return said.isEmpty ? "fusermount3 failed" : said
    }

    /// - Returns: the exit status; 0 also when somebody else collected the child (the mount table then tells the truth).
    private static func wait(for child: pid_t, within limit: Duration) -> CInt {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        var status: CInt = 0
        while true {
            let result = waitpid(child, &status, WNOHANG)
            if result == child { return status }
            if result < 0 && errno != EINTR { return 0 }
            if clock.now > deadline {
                kill(child, SIGKILL)
                waitpid(child, &status, 0)
                return -1
            }
            usleep(2_000)
        }
    }
}
