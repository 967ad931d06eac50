import Diagnostics
import FuseAdapter
import Glibc
import MemoryTree
import Synchronization
import TestSupport
import Testing

/// Runs what blocks off Swift's pool; a test that hangs in a system call would stop all others.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value { await Blocking.run(body) }

func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value { try await Blocking.run(body) }

/// Whether this process can mount at all.
enum Mounting {
    static let isPossible: Bool = {
        let descriptor = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return geteuid() == 0 || TestTools.has("fusermount3")
    }()

    static let reason: Comment = "/dev/fuse cannot be opened here: tests that mount are left out"
}

/// A mount of a tree in memory at a directory of one test.
final class TestMount: Sendable {
    let tree: MemoryTree
    let mount: FuseMount
    let directory: TemporaryDirectory
    let path: String
    private let lines: Lines

    private final class Lines: Sendable {
        let lines = Mutex<[String]>([])
    }

    init(_ tree: MemoryTree, name: String = "mnt", options: String = "") async throws {
        let directory = try TemporaryDirectory("fuse")
        let path = try directory.directory(name)
        let lines = Lines()
        let log = Log(minimum: .debug) { event in lines.lines.withLock { $0.append(event.line) } }
        self.tree = tree
        self.directory = directory
        self.path = path
        self.lines = lines
        self.mount = try await offPool {
            let mount = try FuseMount(tree: tree, mountPoint: path, options: try MountOptions.parse(options), log: log)
            try mount.start()
            return mount
        }
    }

    var log: [String] { lines.lines.withLock { $0 } }

    func end() async throws { try await offPool { [mount] in try mount.unmount(lazy: true) } }
}

/// Mounts, runs the body, unmounts whatever happened.
func withMount(_ tree: MemoryTree, name: String = "mnt", options: String = "", _ body: (TestMount) async throws -> Void) async throws {
    let mount = try await TestMount(tree, name: name, options: options)
    do {
        try await body(mount)
    } catch {
        try? await mount.end()
        throw error
    }
    try await mount.end()
    #expect(MountTable.mount(at: mount.path) == nil)
}

/// A system call's errno, 0 when it did well.
func failure(_ call: () -> Int) -> CInt { call() < 0 ? errno : 0 }

/// Polls until it holds, for at most so long.
func eventually(_ limit: Duration = .seconds(10), _ condition: () async throws -> Bool) async rethrows -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while clock.now < deadline {
        if try await condition() { return true }
        try? await Task.sleep(for: .milliseconds(20))
    }
    return try await condition()
}
