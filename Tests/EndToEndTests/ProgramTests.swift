import TestSupport
import Testing

@Suite("Through the mount: programs", .serialized, .enabled(if: Nginx.missing == nil))
struct ProgramTests {
    let directory: TemporaryDirectory
    let root: String

    init() throws {
        directory = try TemporaryDirectory("programs")
        root = try directory.directory("root")
    }

    private func mounted(_ body: (ReelfsProcess, String, RealServer) async throws -> Void) async throws {
        let server = try await Nginx.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", server.url])
            try await body(reelfs, mnt, server)
        }
    }

    @Test("ls -lR, find, stat and du say the same as on the original")
    func looking() async throws {
        try TreeMaker.makeHardTree(at: root)
        try await mounted { _, mnt, _ in
            // nginx hides names with a dot in front.
            let format = ["-not", "-path", "*/.*", "-printf", "%P %y %s %Ts\\n"]
            func listing(_ path: String) async throws -> [String] {
                try await Command(["find", path, "-mindepth", "1", "-type", "f"] + format).check().output.split(separator: "\n").map(String.init)
                    .sorted()
            }
            #expect(try await listing(mnt) == listing(root))
            #expect(try await shell("ls", "-lR", mnt).output.contains("3000001.bin"))
            #expect(try await shell("stat", "-c", "%s %F", "\(mnt)/top.txt").output == "123 regular file\n")
            #expect(try await shell("du", "--apparent-size", "-sb", "\(mnt)/sizes/3000001.bin").output.hasPrefix("3000001\t"))
            try await shell("df", mnt)
        }
    }

    @Test("cp, cat, cmp, tail -c, head -c, dd read the right bytes")
    func reading() async throws {
        let bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 7_000_003)
        try await mounted { _, mnt, _ in
            let file = "\(mnt)/file.bin"
            #expect(try await Octets(shell("tail", "-c", "100001", file).outputBytes) == Octets(Array(bytes.suffix(100_001))))
            #expect(try await Octets(shell("head", "-c", "70000", file).outputBytes) == Octets(Array(bytes.prefix(70_000))))
            let part = try await shell("dd", "if=\(file)", "bs=4099", "skip=1000", "count=3", "status=none")
            #expect(Octets(part.outputBytes) == Octets(bytes[4_099_000..<(4_099_000 + 3 * 4099)]))
            try await shell("cp", file, "\(directory.path)/copy")
            try await shell("cmp", "\(directory.path)/copy", "\(root)/file.bin")
            #expect(Octets(try await shell("cat", file).outputBytes) == Octets(bytes))
        }
    }

    @Test("a mapped file has the right bytes, from front to back and at random")
    func mapping() async throws {
        try TreeMaker.makeFile(at: "\(root)/file.bin", size: 5_000_001)
        try await mounted { _, mnt, _ in
            let script = """
                import mmap, random, sys
                a = open(sys.argv[1], 'rb'); b = open(sys.argv[2], 'rb').read()
                m = mmap.mmap(a.fileno(), 0, access=mmap.ACCESS_READ)
                assert len(m) == len(b)
                r = random.Random(5)
                for _ in range(300):
                    o = r.randrange(len(b)); n = r.randrange(1, 20000)
                    assert m[o:o+n] == b[o:o+n], o
                assert m[:] == b
                """
            try await shell("python3", "-c", script, "\(mnt)/file.bin", "\(root)/file.bin")
        }
    }

    @Test("ffprobe and mpv play a film", .enabled(if: MediaMaker.isAvailable && TestTools.has("mpv")))
    func playing() async throws {
        try await MediaMaker.makeFilm(at: "\(root)/film one.mkv", seconds: 6)
        try await MediaMaker.makeFilm(at: "\(root)/film 二.mp4", seconds: 6)
        try await mounted { _, mnt, _ in
            for name in ["film one.mkv", "film 二.mp4"] {
                let probe = ["ffprobe", "-v", "error", "-show_entries", "format=duration,size:stream=codec_name", "-of", "csv"]
                #expect(try await Command(probe + ["\(mnt)/\(name)"]).check().output == Command(probe + ["\(root)/\(name)"]).check().output)
                let played = try await Command(
                    [
                        "mpv", "--no-config", "--vo=null", "--ao=null", "--untimed", "--start=2", "--length=3", "--msg-level=all=error",
                        "\(mnt)/\(name)",
                    ],
                    deadline: 90
                ).check()
                #expect(played.errors.isEmpty)
            }
        }
    }

    @Test("rsync -a takes out 300 files with the right bytes and times, and a second run copies nothing", .enabled(if: TestTools.has("rsync")))
    func syncing() async throws {
        try TreeMaker.makeManyFiles(at: root, count: 300)
        try await mounted { _, mnt, _ in
            let copy = "\(directory.path)/copy"
            try await shell("rsync", "-a", "\(mnt)/", "\(copy)/", deadline: 120)
            let compared = try await shell("rsync", "-a", "--checksum", "--dry-run", "--itemize-changes", "\(copy)/", "\(root)/")
            #expect(!compared.lines.contains { $0.hasPrefix(">f") || $0.hasPrefix("<f") || $0.hasPrefix(".f") }, "\(compared)")
            let again = try await shell("rsync", "-a", "--itemize-changes", "\(mnt)/", "\(copy)/")
            #expect(!again.lines.contains { $0.hasPrefix(">f") }, "\(again)")
        }
    }

    @Test("32 readers of one file fetch every byte once")
    func manyReaders() async throws {
        let bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 8_000_000)
        try await mounted { _, mnt, server in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<32 { group.addTask { try await contents("\(mnt)/file.bin") == Octets(bytes) } }
                for try await isRight in group { #expect(isRight) }
            }
            // METHOD TARGET STATUS BYTES RANGE: what nginx sent of the file.
            let sent = server.accessLog.filter { $0.hasPrefix("GET /file.bin") }.compactMap { Int($0.split(separator: " ")[3]) }.reduce(0, +)
            #expect(sent >= 8_000_000 && sent < 8_800_000, "\(sent) bytes for a file of 8000000")
        }
    }

    @Test("32 readers of 32 files stay below 256 MiB of memory")
    func memory() async throws {
        let size = 12_000_000
        for number in 0..<32 { try TreeMaker.makeFile(at: "\(root)/file \(number).bin", size: size) }
        try await mounted { reelfs, mnt, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in (0..<32).map({ "file \($0).bin" }) {
                    group.addTask { try await shell("cmp", "\(mnt)/\(name)", "\(root)/\(name)", deadline: 120) }
                }
                try await group.waitForAll()
            }
            let facts = String(decoding: try FileTree.read("/proc/\(try #require(reelfs.daemonPid))/status"), as: UTF8.self)
            let line = try #require(facts.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let peak = try #require(Int(line.filter(\.isNumber)))
            #expect(peak < 256 * 1024, "\(peak) KiB")
        }
    }

    @Test("what was read once is read again after a remount without asking for it")
    func remount() async throws {
        let bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 3_000_000)
        try await mounted { reelfs, mnt, server in
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            try await reelfs.check("unmount", mnt)
            #expect(try await reelfs.daemonEnds(within: 25))
            let asked = server.accessLog.filter { $0.hasPrefix("GET /file.bin") }.count
            #expect(try await reelfs.mount(["--type", "webdav", server.url]) == mnt)
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            let again = server.accessLog.filter { $0.hasPrefix("GET /file.bin") }.count
            #expect(again == asked)
        }
    }

    @Test("a small read fetches little")
    func smallRead() async throws {
        try TreeMaker.makeFile(at: "\(root)/file.bin", size: 8_000_000)
        try await mounted { _, mnt, server in
            _ = try await shell("dd", "if=\(mnt)/file.bin", "bs=4096", "skip=1000", "count=1", "status=none")
            try await Task.sleep(for: .milliseconds(300))
            let sent = server.accessLog.filter { $0.hasPrefix("GET /file.bin") }.compactMap { Int($0.split(separator: " ")[3]) }.reduce(0, +)
            #expect(sent <= 256 * 1024, "\(sent) bytes for 4096")
        }
    }

    @Test("writing is refused with EROFS")
    func readOnly() async throws {
        try FileTree.write([1], to: "\(root)/file.bin")
        try await mounted { _, mnt, _ in
            for script in [
                "echo x > new", "echo x >> file.bin", "rm file.bin", "mkdir d", "mv file.bin other", "chmod 600 file.bin", "touch file.bin",
                "ln -s a b",
            ] {
                let result = try await Command(["sh", "-c", "cd '\(mnt)' && \(script)"]).run()
                #expect(result.status != 0, "\(script)")
                #expect(result.errors.contains("Read-only file system"), "\(script): \(result.errors)")
            }
        }
    }

    @Test("extended attributes tell source, address and state, and no secret", .enabled(if: TestTools.has("getfattr")))
    func attributes() async throws {
        try FileTree.write([1], to: "\(root)/file.bin")
        try await mounted { _, mnt, _ in
            let result = try await shell("getfattr", "-d", "--absolute-names", "\(mnt)/file.bin")
            for name in ["user.reelfs.source", "user.reelfs.url", "user.reelfs.state"] { #expect(result.output.contains(name), "\(result)") }
        }
    }

    @Test("inode numbers stay over a remount and change with the version")
    func inodes() async throws {
        try TreeMaker.makeFile(at: "\(root)/same.bin", size: 100)
        try TreeMaker.makeFile(at: "\(root)/other.bin", size: 100)
        try await mounted { reelfs, mnt, server in
            func inode(_ name: String) async throws -> UInt64 { try await Blocking.run { try FileTree.facts("\(mnt)/\(name)").inode } }
            let same = try await inode("same.bin"), other = try await inode("other.bin")
            try await reelfs.check("unmount", mnt)
            try FileTree.write(Array("a new version".utf8), to: "\(root)/other.bin")
            _ = try await reelfs.mount(["--type", "webdav", server.url])
            try await reelfs.check("refresh", mnt)
            #expect(try await inode("same.bin") == same)
            #expect(try await inode("other.bin") != other)
            #expect(try await contents("\(mnt)/other.bin") == Octets("a new version".utf8))
        }
    }
}
