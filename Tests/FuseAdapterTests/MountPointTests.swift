import Diagnostics
import Glibc
import MemoryTree
import TestSupport
import Testing

@testable import FuseAdapter

extension MountedSuites {
    @Suite("The mount point")
    struct MountPointTests {
        static func refusal(_ path: String) async -> MountError? {
            await offPool {
                do {
                    _ = try FuseMount(tree: MemoryTree(), mountPoint: path, options: MountOptions(), log: .silent)
                    return nil
                } catch {
                    return error as? MountError
                }
            }
        }

        @Test("what cannot be mounted on is refused with its reason")
        func refused() async throws {
            let directory = try TemporaryDirectory("fuse")
            let file = try directory.file("file", "x")
            #expect(await Self.refusal("\(directory.path)/none")?.code == .missing)
            #expect(await Self.refusal(file)?.code == .notDirectory)
            #expect(await Self.refusal("\(file)/below")?.code == .notDirectory)
            #expect(await Self.refusal("/proc")?.code == .alreadyMounted)
            #expect(await Self.refusal("")?.code == .missing)
        }

        @Test("a living mount is not mounted over, by a link to it neither")
        func living() async throws {
            try await withMount(MemoryTree()) { mount in
                #expect(await Self.refusal(mount.path)?.code == .alreadyMounted)
                let other = "\(mount.directory.path)/link"
                #expect(symlink(mount.path, other) == 0)
                #expect(await Self.refusal(other)?.code == .alreadyMounted)
                let listed = try await Command(["ls", mount.path]).check()
                #expect(listed.lines == [])
            }
        }

        /// Starts the program that mounts in a process of its own, and kills it without mercy.
        private static func leaveDeadMount(_ path: String) async throws {
            let program = try MountProgram.path()
            let script = "coproc \"$0\" \"$1\"; read -r word <&\"${COPROC[0]}\" && [ \"$word\" = mounted ] && kill -9 \"$COPROC_PID\"; wait; true"
            try await Command(["bash", "-c", script, program, path]).check()
        }

        @Test("a mount whose daemon was killed is replaced", arguments: ["mnt", "with space \\ 影片"])
        func stale(name: String) async throws {
            let directory = try TemporaryDirectory("fuse")
            let path = try directory.directory(name)
            try await Self.leaveDeadMount(path)
            #expect(await offPool { failure { Int(access(path, F_OK)) } } == ENOTCONN)
            #expect(MountTable.mount(at: path)?.isReelfs == true)
            let tree = MemoryTree()
            tree.add("hello", .bytes(Array("hello".utf8)))
            try await offPool {
                let mount = try FuseMount(tree: tree, mountPoint: path, options: MountOptions(), log: .silent)
                try mount.start()
                defer { try? mount.unmount(lazy: true) }
                let descriptor = open("\(path)/hello", O_RDONLY)
                var byte: UInt8 = 0
                guard read(descriptor, &byte, 1) == 1 else { throw MountError(.failed, "not readable") }
                close(descriptor)
            }
            #expect(MountTable.mount(at: path) == nil)
        }

        @Test("a dead mount of another kind is left alone", .enabled(if: TestTools.isRoot, "needs root"))
        func foreignDead() async throws {
            let directory = try TemporaryDirectory("fuse")
            let path = try directory.directory("mnt")
            let device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
            #expect(Glibc.mount("other", path, "fuse.other", UInt(MS_NOSUID | MS_NODEV), "fd=\(device),rootmode=40000,user_id=0,group_id=0") == 0)
            close(device)
            let refusal = await Self.refusal(path)
            #expect(refusal?.code == .foreignMount)
            #expect(MountTable.mount(at: path)?.type == "fuse.other")
            try await Command(["umount", "-l", path]).check()
        }

        @Test("what somebody mounts over ours is never unmounted", .enabled(if: TestTools.isRoot, "needs root"))
        func covered() async throws {
            let mount = try await TestMount(MemoryTree())
            try await Command(["mount", "-t", "tmpfs", "cover", mount.path]).check()
            await #expect(throws: MountError.self) { try await mount.end() }
            #expect(MountTable.mount(at: mount.path)?.type == "tmpfs")
            #expect(!mount.mount.isMounted)
            try await Command(["umount", mount.path]).check()
            #expect(MountTable.mount(at: mount.path)?.isReelfs == true)
            #expect(await Self.refusal(mount.path) == nil)  // dead by now: taken away
            #expect(MountTable.mount(at: mount.path) == nil)
        }
    }
}
