import Glibc
import TestSupport
import Testing

@Suite("Through the mount: its life and death", .serialized)
struct MountLifeTests {
    let directory: TemporaryDirectory
    let root: String
    let bytes: [UInt8]

    init() throws {
        directory = try TemporaryDirectory("life")
        root = try directory.directory("root")
        bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 1_000_000)
    }

    @Test("a busy mount is unmounted within seconds; the program that holds a file keeps it")
    func busy() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", server.url])
            let descriptor = Glibc.open("\(mnt)/file.bin", O_RDONLY | O_CLOEXEC)
            #expect(descriptor >= 0)
            defer { Glibc.close(descriptor) }
            let result = try await reelfs.command(["unmount", mnt], deadline: 30).run()
            #expect(result.status == 0, "\(result)")
            #expect(result.seconds < 25)
            #expect(!ReelfsProcess.isMounted(mnt))
        }
    }

    @Test("SIGTERM to the daemon unmounts, also when busy, and it ends")
    func terminated() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", server.url])
            let descriptor = Glibc.open("\(mnt)/file.bin", O_RDONLY | O_CLOEXEC)
            defer { Glibc.close(descriptor) }
            kill(try #require(reelfs.daemonPid), SIGTERM)
            #expect(try await reelfs.daemonEnds(within: 25))
            #expect(!ReelfsProcess.isMounted(mnt))
        }
    }

    @Test("fusermount3 -u is a clean end", .enabled(if: TestTools.has("fusermount3")))
    func fusermount() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", server.url])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            try await shell("fusermount3", "-u", mnt)
            #expect(!ReelfsProcess.isMounted(mnt))
            #expect(try await reelfs.mount(["--type", "webdav", server.url]) == mnt)
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
        }
    }

    @Test("after kill -9 the stale mount is replaced, and the cache is whole")
    func stale() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", server.url])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            kill(try #require(reelfs.daemonPid), SIGKILL)
            #expect(try await reelfs.daemonEnds(within: 5))
            #expect(try await reelfs.command(["doctor", "--offline"]).run().output.contains("\(mnt) was left behind"))
            #expect(try await Command(["ls", mnt]).run().status != 0)
            #expect(try await reelfs.mount(["--type", "webdav", server.url]) == mnt)
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            try await reelfs.check("cache", "verify")
        }
    }

    @Test("one daemon serves two mounts, and one of them goes alone")
    func twoMounts() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            let first = try await reelfs.mount(["--type", "webdav", server.url], at: "first")
            let pid = try #require(reelfs.daemonPid)
            let second = try await reelfs.mount(["--type", "http", server.url], at: "second")
            #expect(reelfs.daemonPid == pid)
            #expect(try await contents("\(first)/file.bin") == Octets(bytes))
            #expect(try await contents("\(second)/file.bin") == Octets(bytes))
            try await reelfs.check("unmount", first)
            #expect(!ReelfsProcess.isMounted(first))
            #expect(try await contents("\(second)/file.bin") == Octets(bytes))
            try await reelfs.check("unmount", second)
        }
    }

    @Test("a second daemon on the same cache directory is refused by name")
    func secondDaemon() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", server.url])
            let pid = try #require(reelfs.daemonPid)
            let result = try await reelfs.command(["daemon"], deadline: 15).run()
            #expect(result.status != 0 && result.status != nil)
            #expect(result.errors.contains("\(pid)"), "\(result)")
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
        }
    }

    @Test("in the foreground, Ctrl-C unmounts and ends it")
    func foreground() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try reelfs.mountPoint("mnt")
            let running = Task { try await reelfs.command(["mount", "-f", "--type", "webdav", server.url, mnt], deadline: 60).run() }
            for _ in 0..<400 where !ReelfsProcess.isMounted(mnt) { try await Task.sleep(for: .milliseconds(50)) }
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            kill(try #require(reelfs.daemonPid), SIGINT)
            let result = try await running.value
            #expect(result.status == 0 || result.status == 130, "\(result)")
            #expect(!ReelfsProcess.isMounted(mnt))
        }
    }

    @Test("nothing but reelfs is ever unmounted", .enabled(if: TestTools.isRoot))
    func foreign() async throws {
        try await ReelfsProcess.with { reelfs in
            let point = try reelfs.directory.directory("tmpfs")
            try await shell("mount", "-t", "tmpfs", "none", point)
            let result = try await reelfs.command(["unmount", point]).run()
            #expect(result.status != 0 && result.status != nil)
            #expect(ReelfsProcess.isMounted(point))
            let server = try await Origin.demoDav.start(root)
            _ = try await reelfs.command(["mount", "--type", "webdav", server.url, point]).run()
            _ = try await reelfs.command(["unmount", "--all"]).run()
            #expect(ReelfsProcess.isMounted(point))
            try await shell("umount", point)
        }
    }

    @Test("configured sources are directories of one mount, and changes show at once")
    func configured() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.url, "--name", "drive", "--type", "webdav")
            let mnt = try await reelfs.mount([])
            #expect(try await contents("\(mnt)/drive/file.bin") == Octets(bytes))
            try await reelfs.check("add", server.url, "--name", "页面", "--type", "http")
            #expect(try await Blocking.run { try FileTree.names(mnt) } == ["drive", "页面"])
            #expect(try await contents("\(mnt)/页面/file.bin") == Octets(bytes))
            #expect(try await reelfs.check("list").output.contains("页面"))
            try await reelfs.check("remove", "drive")
            #expect(try await Blocking.run { try FileTree.names(mnt) } == ["页面"])
        }
    }

    @Test("allow_other, uid, gid and umask show in the files", .enabled(if: TestTools.isRoot))
    func options() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["-o", "allow_other,uid=1234,gid=4321,umask=027", "--type", "webdav", server.url])
            #expect(try await shell("stat", "-c", "%u %g %a", "\(mnt)/file.bin").output == "1234 4321 640\n")
            let line = try await shell("findmnt", "-n", "-o", "FSTYPE,OPTIONS", mnt).output
            for word in ["fuse.reelfs", "nosuid", "nodev", "ro", "allow_other"] { #expect(line.contains(word), "\(line)") }
        }
    }

    @Test("mount.reelfs takes a line of fstab, and umount is its end", .enabled(if: TestTools.isRoot))
    func helper() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            let helper = "\(reelfs.directory.path)/mount.reelfs"
            try await shell("ln", "-s", reelfs.binary, helper)
            let mnt = try reelfs.mountPoint("mnt")
            let options = "rw,noauto,_netdev,x-systemd.automount,allow_other"
            try await Command([helper, server.url, mnt, "-o", options], environment: reelfs.environment).check()
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            try await shell("umount", mnt)
            #expect(!ReelfsProcess.isMounted(mnt))
        }
    }
}
