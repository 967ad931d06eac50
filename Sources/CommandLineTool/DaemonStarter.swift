internal import CLinux
internal import Configuration
internal import ControlProtocol
internal import ControlSocket
internal import Glibc

/// Starts the daemon in the background: a new session, no open files of ours, messages to a log file. Nothing secret is in its arguments.
struct DaemonStarter {
    /// How long it may take until it answers.
    static let deadline: Duration = .seconds(20)

    let context: CommandContext

    /// A connection to the daemon, which is started when none runs. When two commands start one at once, one of the daemons finds the other's
    /// lock and ends: both commands then use the other.
    func client() throws(CommandFailure) -> ControlClient {
        if let client = try context.client() { return client }
        let log = try openLog()
        defer { close(log.descriptor) }
        let pid = try spawn(log.descriptor)
        let deadline = ContinuousClock.now + Self.deadline
        var giveUp = deadline
        var hasEnded = false
        while ContinuousClock.now < giveUp {
            if let client = try context.client() { return client }
            var status: Int32 = 0
            if !hasEnded, waitpid(pid, &status, WNOHANG) == pid {
                hasEnded = true
                giveUp = min(deadline, ContinuousClock.now + .seconds(2))
            }
            usleep(20_000)
        }
        if !hasEnded { kill(pid, SIGTERM) }
        throw CommandFailure(.failure, "the daemon did not start" + Self.lastLine(log), advice: "see its log: \(log.path)")
    }

    /// The words of the daemon's command line.
    func words() throws(CommandFailure) -> [String] {
        var words = ["reelfs", "daemon", "--until-unmounted", "--cache-dir", context.cacheDirectory, "--config-dir", context.configuration.path]
        if let size = try context.cacheSize(context.arguments.value("cache-size")) { words += ["--cache-size", size.text] }
        if let free = try context.minimumFree() { words += ["--min-free", String(free)] }
        if let level = try context.logLevel() { words += ["--log-level", "\(level)"] }
        return words
    }

    private struct LogFile {
        var path: String
        var descriptor: Int32
        /// Its size before the daemon was started.
        var start: off_t
    }

    /// `daemon-….log` in the state directory; a large one becomes `….log.1` first.
    private func openLog() throws(CommandFailure) -> LogFile {
        // Both are told at once: whoever mends the one meets the other next.
        // A cache that is there and cannot be written still gives what it has.
        let hindrance = access(context.cacheDirectory, F_OK) == 0 ? nil : WritablePlace.hindrance(to: context.cacheDirectory)
        let cache = hindrance.map { "the cache \(context.cacheDirectory) (\($0))" }
        let state = WritablePlace.hindrance(to: context.standard.state).map { "the log in \(context.standard.state) (\($0))" }
        if state != nil || cache != nil {
            throw CommandFailure(
                .failure, "the daemon cannot write \([cache, state].compactMap(\.self).joined(separator: ", nor "))",
                advice: "set HOME to a directory of yours, or XDG_CACHE_HOME and XDG_STATE_HOME")
        }
        var made = ""
        for part in context.standard.state.split(separator: "/") {
            made += "/" + part
            mkdir(made, 0o700)
        }
        let name = (context.locations.first?.name ?? "default.sock").dropLast(".sock".count)
        let path = "\(context.standard.state)/daemon-\(name).log"
        var info = stat()
        if stat(path, &info) == 0, info.st_size > 4 << 20 { rename(path, path + ".1") }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .failure, "cannot write the log \(path): \(String(cString: strerror(errno)))", advice: "set XDG_STATE_HOME to a directory of yours")
        }
        return LogFile(path: path, descriptor: descriptor, start: lseek(descriptor, 0, SEEK_END))
    }

    private static func lastLine(_ log: LogFile) -> String {
        let reader = open(log.path, O_RDONLY | O_CLOEXEC)
        guard reader >= 0 else { return "" }
        defer { close(reader) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = pread(reader, &bytes, bytes.count, log.start)
        guard count > 0 else { return "" }
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.last.map { ": \($0)" } ?? ""
    }

    private func spawn(_ log: Int32) throws(CommandFailure) -> pid_t {
        let words = try words()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, log, 1)
        posix_spawn_file_actions_adddup2(&actions, log, 2)
        guard reelfs_spawn_close_from(&actions, 3) == 0 else { throw CommandFailure(.failure, "cannot start the daemon: no memory") }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t(), all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let newSession: Int32 = 0x80  // POSIX_SPAWN_SETSID, a GNU extension that the Glibc module may lack
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | newSession))
        let argv: [UnsafeMutablePointer<CChar>?] = words.map { (word: String) in strdup(word) }
        let environment: [UnsafeMutablePointer<CChar>?] = context.environment.map { (name, value) in strdup("\(name)=\(value)") }
        defer { for text in argv + environment { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, argv + [nil], environment + [nil])
        guard code == 0 else { throw CommandFailure(.failure, "cannot start the daemon: \(String(cString: strerror(code)))") }
        return pid
    }
}
