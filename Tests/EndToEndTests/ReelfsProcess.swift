import Glibc
import Synchronization
import TestSupport
import Testing

/// The built program with configuration, cache, runtime and home directories of its own. `with` ends whatever is still
/// running and mounted, also when a test fails half-way.
final class ReelfsProcess: Sendable {
    let directory: TemporaryDirectory
    let binary: String
    /// Variables on top of the usual ones.
    private let variables: [String: String]
    private let mountPoints = Mutex<[String]>([])

    /// Beside the test bundle, or `REELFS_BINARY`.
    static let builtBinary: String? = {
        if let named = TestTools.environment["REELFS_BINARY"] { return named }
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let bundle = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = bundle.lastIndex(of: "/") else { return nil }
        let candidate = bundle[..<slash] + "/reelfs"
        return access(String(candidate), X_OK) == 0 ? String(candidate) : nil
    }()

    private init(_ variables: [String: String]) throws {
        self.variables = variables
        binary = try #require(Self.builtBinary, "reelfs is not built beside the tests")
        directory = try TemporaryDirectory("e2e")
        for name in ["config", "cache", "run", "home"] { _ = try directory.directory(name) }
        chmod("\(directory.path)/run", 0o700)
    }

    /// - Parameter variables: of the environment, on top of the usual ones and instead of them.
    static func with(_ variables: [String: String] = [:], _ body: (ReelfsProcess) async throws -> Void) async throws {
        let reelfs = try ReelfsProcess(variables)
        do {
            try await body(reelfs)
        } catch {
            await reelfs.close()
            throw error
        }
        await reelfs.close()
    }

    var cacheDirectory: String { "\(directory.path)/cache/reelfs" }

    var environment: [String: String] {
        let path = directory.path
        let usual = [
            "PATH": TestTools.environment["PATH"] ?? "/usr/bin:/bin", "HOME": "\(path)/home", "LANG": "C.UTF-8", "TMPDIR": path,
            "XDG_CONFIG_HOME": "\(path)/config", "XDG_CACHE_HOME": "\(path)/cache", "XDG_RUNTIME_DIR": "\(path)/run", "no_proxy": "127.0.0.1",
        ]
        return usual.merging(variables) { $1 }
    }

    /// The daemon's log: it was started in the background.
    var log: String {
        let state = "\(directory.path)/home/.local/state/reelfs"
        return ((try? FileTree.names(state)) ?? []).compactMap { try? FileTree.read("\(state)/\($0)") }.map { String(decoding: $0, as: UTF8.self) }
            .joined()
    }

    func command(_ arguments: [String], input: [UInt8] = [], deadline: Double = 60) -> Command {
        Command([binary] + arguments, environment: environment, input: input, deadline: deadline)
    }

    @discardableResult
    func check(_ arguments: String..., input: String = "", deadline: Double = 60) async throws -> Command.Result {
        try await command(arguments, input: Array(input.utf8), deadline: deadline).check()
    }

    /// Mounts what the arguments say on a directory of its own.
    ///
    /// - Returns: the mount point; it answers.
    func mount(_ arguments: [String], input: String = "", at name: String = "mnt") async throws -> String {
        let point = "\(directory.path)/\(name)"
        try FileTree.makeDirectory(point)
        mountPoints.withLock { $0.append(point) }
        try await command(["mount"] + arguments + [point], input: Array(input.utf8)).check()
        return point
    }

    /// A directory that `close` unmounts.
    func mountPoint(_ name: String) throws -> String {
        let point = "\(directory.path)/\(name)"
        try FileTree.makeDirectory(point)
        mountPoints.withLock { $0.append(point) }
        return point
    }

    /// A file for `--password-file` and the like.
    func secretFile(_ text: String, _ name: String = "secret") throws -> String {
        let file = try directory.file(name, text)
        chmod(file, 0o600)
        return file
    }

    /// The daemon's process, by the lock file that it holds.
    var daemonPid: Int32? {
        guard let text = try? FileTree.read("\(cacheDirectory)/lock") else { return nil }
        let digits = String(decoding: text, as: UTF8.self).prefix { $0.isNumber }
        guard let pid = Int32(digits), pid > 1, Self.isAlive(pid) else { return nil }
        return pid
    }

    /// Whether the process runs. What has ended and waits to be reaped by somebody else does not.
    static func isAlive(_ pid: Int32) -> Bool {
        guard let bytes = try? FileTree.read("/proc/\(pid)/stat") else { return false }
        let state = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.first { $0 != " " }
        return state != nil && state != "Z" && state != "X"
    }

    /// Ends the daemon with everything it mounted, without waiting until it is idle.
    func stopDaemon() async throws {
        guard let pid = daemonPid else { return }
        kill(pid, SIGTERM)
        guard try await daemonEnds(within: 15) else { throw TestSupportError("the daemon does not end") }
    }

    /// Waits until the daemon is gone.
    func daemonEnds(within seconds: Int) async throws -> Bool {
        for _ in 0..<(seconds * 20) {
            if daemonPid == nil { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return daemonPid == nil
    }

    static func isMounted(_ path: String) -> Bool {
        guard let bytes = try? FileTree.read("/proc/self/mountinfo") else { return false }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains {
            $0.split(separator: " ").dropFirst(4).first.map(String.init) == path
        }
    }

    func close() async {
        _ = try? await command(["unmount", "--all"], deadline: 20).run()
        if let pid = daemonPid {
            kill(pid, SIGTERM)
            if (try? await daemonEnds(within: 6)) != true { kill(pid, SIGKILL) }
        }
        for point in mountPoints.withLock({ $0 }) where Self.isMounted(point) {
            _ = try? await Command(["fusermount3", "-u", "-z", point], deadline: 10).run()
        }
    }
}

/// What a file on a mount has, read by system calls on a thread that may wait.
func contents(_ path: String) async throws -> Octets { try await Blocking.run { Octets(try FileTree.read(path)) } }

/// Runs a program that must succeed.
@discardableResult
func shell(_ arguments: String..., deadline: Double = 60) async throws -> Command.Result {
    try await Command(arguments, deadline: deadline).check()
}

/// Paths, sizes and bytes of two trees agree.
func expectSameTree(
    _ mounted: String, _ original: String, comment: String = "", hiding isHidden: @escaping @Sendable (String) -> Bool = { _ in false },
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let differences: [String] = try await Blocking.run {
        let wanted = try FileTree.files(below: original).filter { !isHidden($0) }
        let found = try FileTree.files(below: mounted)
        var differences = Set(wanted).symmetricDifference(found).map { "\(wanted.contains($0) ? "missing" : "too much"): \($0)" }
        for file in Set(wanted).intersection(found) {
            let bytes = try FileTree.read("\(original)/\(file)")
            if try FileTree.facts("\(mounted)/\(file)").size != UInt64(bytes.count) { differences.append("size: \(file)") }
            do {
                if try FileTree.read("\(mounted)/\(file)") != bytes { differences.append("bytes: \(file)") }
            } catch { differences.append("\(file): \(error)") }
        }
        return differences.sorted()
    }
    #expect(differences.isEmpty, "\(comment)", sourceLocation: sourceLocation)
}

/// Waits for what comes in its own time, as long as 20 seconds.
func becomesTrue(within seconds: Double = 20, _ condition: @escaping @Sendable () throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        if try await Blocking.run(condition) { return true }
        try await Task.sleep(for: .milliseconds(50))
    }
    return try await Blocking.run(condition)
}
