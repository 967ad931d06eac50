private import Glibc
private import Synchronization

/// A server program under test: started on a free port, its own process group, its output in a file that a failure shows.
/// It is ended by `stop`, by the last reference going, and, through a guard process, also when the test process dies.
package final class ServerProcess: Sendable {
    package let name: String
    package let port: UInt16
    package let pid: Int32
    private let outputFile: ScratchFile
    private let guardPid: Int32
    private let guardPipe: CInt
    private let hasEnded = Mutex(false)

    /// Starts `arguments(port)` and returns when the port answers.
    ///
    /// - Throws: when it ends first or does not answer within `patience` seconds; the error has its output. A start that
    ///   ends at once is tried again on another port, twice: somebody else may have taken it.
    package static func start(
        _ name: String, environment: [String: String]? = nil, directory: String? = nil, patience: Double = 20,
        arguments: @escaping @Sendable (UInt16) throws -> [String]
    ) async throws -> ServerProcess {
        try await Blocking.run {
            var last: TestSupportError?
            for _ in 0..<3 {
                let port = try LoopbackPort.free()
                let server = try ServerProcess(
                    name, port: port, arguments: try arguments(port), environment: environment, directory: directory)
                do {
                    try server.waitUntilAnswering(patience)
                    return server
                } catch let error as TestSupportError {
                    server.stopBlocking()
                    last = error
                }
            }
            throw last ?? TestSupportError("\(name) did not start")
        }
    }

    private init(_ name: String, port: UInt16, arguments: [String], environment: [String: String]?, directory: String?) throws {
        self.name = name
        self.port = port
        outputFile = try ScratchFile()
        let input = try ScratchFile()
        pid = try Spawn.start(
            arguments, environment: environment, directory: directory, input: input.descriptor, output: outputFile.descriptor,
            errors: outputFile.descriptor)

        // The guard reads a pipe whose other end only this process holds: end of file means that this process is gone.
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw TestSupportError("pipe: \(errorText())") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let quiet = try ScratchFile()
        guardPid = try Spawn.start(
            Self.guardCommand(group: pid), environment: nil, directory: nil, input: ends[0], output: quiet.descriptor,
            errors: quiet.descriptor)
        close(ends[0])
        guardPipe = ends[1]
    }

    deinit { stopBlocking() }

    /// Ends a process group once its standard input ends.
    package static func guardCommand(group: Int32) -> [String] { ["/bin/sh", "-c", "read -r _; kill -s KILL -- -\(group)"] }

    /// What it printed so far.
    package var output: String { String(decoding: outputFile.bytes(), as: UTF8.self) }

    /// TERM to the group, KILL after five seconds. Harmless when it ended already.
    package func stop() async { await Blocking.run { self.stopBlocking() } }

    /// Ends it without a farewell, as a crash does.
    package func crash() async {
        kill(-pid, SIGKILL)
        await stop()
    }

    /// Stops or continues the whole group: a server that hangs with its connections open.
    package func setFrozen(_ frozen: Bool) { kill(-pid, frozen ? SIGSTOP : SIGCONT) }

    private func stopBlocking() {
        let isFirst = hasEnded.withLock { ended in
            defer { ended = true }
            return !ended
        }
        guard isFirst else { return }
        kill(guardPid, SIGKILL)
        _ = Spawn.wait(guardPid, seconds: 5)
        close(guardPipe)
        kill(-pid, SIGCONT)
        Spawn.stop(pid, patience: 5)
    }

    private func waitUntilAnswering(_ patience: Double) throws {
        let end = Spawn.now() + patience
        while Spawn.now() < end {
            if LoopbackPort.answers(port) { return }
            // WNOWAIT keeps the child for `stop`, which reaps it.
            var info = siginfo_t()
            if waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0, info.si_signo == SIGCHLD {
                throw TestSupportError("\(name) ended at its start:\n\(output)")
            }
            usleep(20_000)
        }
        throw TestSupportError("\(name) did not answer on port \(port) within \(patience) s:\n\(output)")
    }
}
