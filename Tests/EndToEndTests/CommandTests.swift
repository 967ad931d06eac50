import FoundationEssentials
import TestSupport
import Testing

@Suite("The program's commands, with a daemon and without", .serialized)
struct CommandTests {
    let directory: TemporaryDirectory
    let root: String

    init() throws {
        directory = try TemporaryDirectory("commands")
        root = try directory.directory("root")
        try TreeMaker.makeManyFiles(at: root, count: 45)
        try TreeMaker.makeFile(at: "\(root)/top.bin", size: 1_500_000)
    }

    private struct Status: Decodable {
        struct Daemon: Decodable { var processID: Int32 }
        struct Mount: Decodable { var mountPoint: String }
        struct Cache: Decodable { var bytes: UInt64 }
        var daemon: Daemon
        var mounts: [Mount]
        var cache: Cache
    }

    @Test("status --json names daemon, mounts and cache; without a daemon it says so")
    func status() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            #expect(try await reelfs.command(["status"]).run().status == 3)
            let mnt = try await reelfs.mount(["--type", "webdav", server.url])
            _ = try await contents("\(mnt)/top.bin")
            let result = try await reelfs.check("status", "--json")
            let status = try JSONDecoder().decode(Status.self, from: Data(result.outputBytes))
            #expect(status.daemon.processID == reelfs.daemonPid)
            #expect(status.mounts.map(\.mountPoint) == [mnt])
            #expect(status.cache.bytes >= 1_500_000)
            #expect(try await reelfs.check("status").output.contains(mnt))
        }
    }

    @Test("get --to takes a directory out, whole, and a second run fetches nothing", .enabled(if: Nginx.missing == nil))
    func get() async throws {
        let server = try await Nginx.start(root)
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.url, "--name", "drive", "--type", "webdav")
            let out = "\(directory.path)/out"
            try await reelfs.check("get", "drive/part 1", "--to", out, deadline: 120)
            try await shell("diff", "-r", "\(root)/part 1", "\(out)/part 1")
            let asked = server.accessLog.filter { $0.hasPrefix("GET") }.count
            try await reelfs.check("get", "drive/part 1", "--to", out, deadline: 120)
            #expect(server.accessLog.filter { $0.hasPrefix("GET") }.count == asked)
            #expect(try FileTree.files(below: out).allSatisfy { !$0.hasSuffix(".part") })
        }
    }

    @Test("get into the cache makes later reads independent of the origin", .enabled(if: Nginx.missing == nil))
    func prefetch() async throws {
        let server = try await Nginx.start(root)
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.url, "--name", "drive", "--type", "webdav")
            let mnt = try await reelfs.mount([])
            try await shell("ls", "-lR", mnt)
            try await reelfs.check("get", "\(mnt)/drive/part 0", "drive/top.bin", deadline: 120)
            await server.stop()
            try await expectSameTree("\(mnt)/drive/part 0", "\(root)/part 0")
            #expect(try await contents("\(mnt)/drive/top.bin") == Octets(FileTree.read("\(root)/top.bin")))
        }
    }

    @Test("cache list, show, verify, export, drop, limit and clear", arguments: [true, false])
    func cache(whileMounted: Bool) async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.url, "--name", "drive", "--type", "webdav")
            let mnt = try await reelfs.mount([])
            let bytes = try await contents("\(mnt)/drive/top.bin")
            if !whileMounted {
                try await reelfs.check("unmount", mnt)
                #expect(try await reelfs.daemonEnds(within: 25))
            }
            #expect(try await reelfs.check("cache", "list").output.contains("top.bin"))
            let shown = try await reelfs.check("cache", "show", "drive/top.bin").output
            #expect(shown.contains("0-1500000\n") && !shown.contains("\\u{"), "\(shown)")
            try await reelfs.check("cache", "verify")
            let out = "\(directory.path)/export-\(whileMounted)"
            try await reelfs.check("cache", "export", "drive/top.bin", "--to", out)
            let exported = try FileTree.files(below: out)
            #expect(exported.count == 1)
            for file in exported { #expect(Octets(try FileTree.read("\(out)/\(file)")) == bytes) }
            try await reelfs.check("cache", "limit", "1G")
            #expect(try await reelfs.check("cache", "limit").output.contains("1"))
            try await reelfs.check("cache", "drop", "drive/top.bin")
            #expect(try await !reelfs.check("cache", "list").output.contains("top.bin"))
            try await reelfs.check("cache", "clear")
            if whileMounted { #expect(try await contents("\(mnt)/drive/top.bin") == bytes) }
        }
    }

    @Test("clear acts on no directory without the marker")
    func foreignDirectory() async throws {
        try await ReelfsProcess.with { reelfs in
            let foreign = try directory.directory("precious")
            try FileTree.write([1], to: "\(foreign)/precious.txt")
            let result = try await reelfs.command(["cache", "clear", "--cache-dir", foreign]).run()
            #expect(result.status != 0 && result.status != nil)
            #expect(try FileTree.names(foreign) == ["precious.txt"])
        }
    }

    @Test("damage on disk is a miss, counted, and never data")
    func damage() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.url, "--name", "drive", "--type", "webdav")
            let mnt = try await reelfs.mount([])
            let bytes = try await contents("\(mnt)/drive/top.bin")
            try await reelfs.check("unmount", mnt)
            #expect(try await reelfs.daemonEnds(within: 25))
            // The biggest file below the cache is the object's data: a byte in each 64 KiB is turned over.
            let script = """
                import os, sys
                files = [os.path.join(d, f) for d, _, fs in os.walk(sys.argv[1]) for f in fs if 'sqlite' not in f]
                data = max(files, key=os.path.getsize)
                with open(data, 'r+b') as f:
                    for o in range(100, os.path.getsize(data), 65536 * 3):
                        f.seek(o); b = f.read(1); f.seek(o); f.write(bytes([b[0] ^ 255]))
                """
            try await shell("python3", "-c", script, reelfs.cacheDirectory)
            #expect(try await reelfs.command(["cache", "verify"]).run().status == 1)
            _ = try await reelfs.mount([])
            #expect(try await contents("\(mnt)/drive/top.bin") == bytes)
        }
    }

    @Test("doctor, help, version and mistakes answer with the right status")
    func others() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.url, "--name", "drive", "--type", "webdav")
            let doctor = try await reelfs.command(["doctor"]).run()
            #expect(doctor.status != nil && doctor.output.contains("drive"), "\(doctor)")
            #expect(try await reelfs.check("--help").output.contains("mount"))
            let mistake = try await reelfs.command(["mount", "--no-such-flag"]).run()
            #expect(mistake.status == 2 && mistake.errors.contains("--no-such-flag"))
            #expect(try await reelfs.command(["unmount", "/nowhere/at/all"]).run().status != 0)
        }
    }

    @Test("a password stays in a file that only its owner can read")
    func secrets() async throws {
        let options = ServerOptions(login: .basic)
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check(
                "add", "http://127.0.0.1:9/", "--name", "drive", "--type", "webdav", "--user", "ann", "--password-file", "-",
                input: options.password)
            let files = try FileTree.files(below: "\(reelfs.directory.path)/config")
            let holders = files.filter {
                (try? FileTree.read("\(reelfs.directory.path)/config/\($0)")).map { String(decoding: $0, as: UTF8.self).contains(options.password) }
                    ?? false
            }
            #expect(!holders.isEmpty)
            for file in holders { #expect(try FileTree.facts("\(reelfs.directory.path)/config/\(file)").mode == 0o600) }
            #expect(try await !reelfs.check("list", "--json").output.contains(options.password))
        }
    }
}
