import Diagnostics
import Glibc
import MemoryTree
import TestSupport
import Testing
import Threads

@testable import FuseAdapter

extension MountedSuites {
    @Suite("Unmounting")
    struct UnmountTests {
        /// Unmounts lazily and checks the time: five seconds are promised.
        private static func end(_ mount: TestMount) async throws {
            let clock = ContinuousClock()
            let start = clock.now
            try await mount.end()
            #expect(clock.now - start < .seconds(25))
            #expect(MountTable.mount(at: mount.path) == nil)
        }

        @Test("a busy mount refuses, unless it may be lazy; waiting readers are answered then", arguments: [true, false])
        func busy(answersCancel: Bool) async throws {
            let tree = MemoryTree()
            tree.add("stuck", answersCancel ? .stuck(size: 1 << 20) : .dead(size: 1 << 20))
            tree.add("file", .bytes([1, 2, 3]))
            let mount = try await TestMount(tree)
            let path = mount.path
            let held = await offPool { open("\(path)/file", O_RDONLY) }
            let error = MonitoredValue<CInt?>(nil)
            let reader = OwnThread.start("reader") {
                let descriptor = open("\(path)/stuck", O_RDONLY)
                var byte: UInt8 = 0
                let result = failure { read(descriptor, &byte, 1) }
                close(descriptor)
                error.change { $0 = result }
            }
            #expect(await eventually { mount.mount.statistics.waitingRequests > 0 })
            #expect(mount.mount.statistics.openFiles == 2)
            await #expect(throws: MountError.self) { try await offPool { try mount.mount.unmount(lazy: false) } }
            #expect(mount.mount.isMounted)
            #expect(try await Command(["cat", "\(path)/file"]).check().outputBytes == [1, 2, 3])

            try await Self.end(mount)
            #expect(await offPool { reader?.hasEnded(within: .seconds(5)) } == true)
            // A failed read-ahead is asked again by the kernel, by then of nobody.
            let answer = error.change { $0 }
            #expect(answer == EIO || answer == ECONNABORTED || answer == ENOTCONN, "\(String(describing: answer))")
            let later = await offPool { () -> CInt in
                var byte: UInt8 = 0
                defer { close(held) }
                return failure { pread(held, &byte, 1, 4096) }
            }
            #expect(later == ENOTCONN || later == 0, "\(later)")
            #expect(tree.openFiles == 0)
        }

        @Test("somebody's working directory does not hold it")
        func workingDirectory() async throws {
            let mount = try await TestMount(MemoryTree())
            async let sleeper = Command(["sleep", "1.5"], directory: mount.path).run()
            try await Task.sleep(for: .milliseconds(500))
            try await Self.end(mount)
            _ = try await sleeper
        }

        @Test("fusermount3 -u from outside ends it, and is told once")
        func external() async throws {
            let tree = MemoryTree()
            let directory = try TemporaryDirectory("fuse")
            let path = try directory.directory("mnt")
            let told = MonitoredValue(0)
            let mount = try await offPool {
                let mount = try FuseMount(tree: tree, mountPoint: path, options: MountOptions(), log: .silent)
                mount.onEnd { told.change { $0 += 1 } }
                try mount.start()
                return mount
            }
            try await Command(["fusermount3", "-u", path]).check()
            #expect(await offPool { told.wait(within: .seconds(10)) { $0 == 1 ? true : nil } } == true)
            #expect(!mount.isMounted)
            try await offPool { try mount.unmount(lazy: true) }
            #expect(told.change { $0 } == 1)
            #expect(MountTable.mount(at: path) == nil)
        }

        @Test("the place can be mounted again and again")
        func again() async throws {
            let tree = MemoryTree()
            tree.add("hello", .bytes(Array("hello".utf8)))
            let directory = try TemporaryDirectory("fuse")
            let path = try directory.directory("mnt")
            for _ in 0..<20 {
                try await offPool {
                    let mount = try FuseMount(tree: tree, mountPoint: path, options: MountOptions(), log: .silent)
                    try mount.start()
                    let descriptor = open("\(path)/hello", O_RDONLY)
                    var byte: UInt8 = 0
                    let count = read(descriptor, &byte, 1)
                    close(descriptor)
                    try mount.unmount(lazy: false)
                    guard count == 1, byte == UInt8(ascii: "h") else { throw MountError(.failed, "read \(count)") }
                }
            }
            #expect(MountTable.mount(at: path) == nil)
        }
    }
}
