import TestSupport
import Testing

@Suite("Through the mount: copying and searching", .serialized, .enabled(if: Nginx.missing == nil))
struct CopyingTests {
    let directory: TemporaryDirectory
    let root: String

    init() throws {
        directory = try TemporaryDirectory("copying")
        root = try directory.directory("root")
    }

    private func mounted(_ body: (ReelfsProcess, String, RealServer) async throws -> Void) async throws {
        let server = try await Nginx.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", server.url])
            try await body(reelfs, mnt, server)
        }
    }

    @Test("rsync --checksum finds nothing to do where nothing differs, and one changed byte where it does", .enabled(if: TestTools.has("rsync")))
    func checksums() async throws {
        try TreeMaker.makeManyFiles(at: root, count: 40)
        try TreeMaker.makeFile(at: "\(root)/large.bin", size: 5_000_003)
        let copy = "\(directory.path)/copy"
        try await shell("cp", "-a", root, copy)
        try await mounted { _, mnt, _ in
            let same = try await shell("rsync", "-a", "--checksum", "--itemize-changes", "\(mnt)/", "\(copy)/")
            #expect(!same.lines.contains { $0.hasPrefix(">f") }, "\(same)")
            // The same size and time, another byte.
            try await shell(
                "sh", "-c",
                "touch -r \(copy)/large.bin stamp; printf x | dd of=\(copy)/large.bin bs=1 seek=4000000 conv=notrunc status=none; "
                    + "touch -r stamp \(copy)/large.bin; rm stamp")
            let mended = try await shell("rsync", "-a", "--checksum", "--itemize-changes", "\(mnt)/", "\(copy)/")
            #expect(mended.lines.filter { $0.hasPrefix(">f") }.map { String($0.split(separator: " ")[1]) } == ["large.bin"], "\(mended)")
            try await shell("cmp", "\(copy)/large.bin", "\(root)/large.bin")
        }
    }

    @Test(
        "rsync goes on after it was killed, with --partial, --append-verify and --inplace", .enabled(if: TestTools.has("rsync")),
        arguments: [["--partial"], ["--append-verify"], ["--inplace"]])
    func resuming(flags: [String]) async throws {
        try TreeMaker.makeFile(at: "\(root)/film.bin", size: 24_000_001)
        let out = try directory.directory("out")
        try await mounted { _, mnt, _ in
            let slow = ["rsync", "-a", "--bwlimit=8000", "--partial"] + flags + ["\(mnt)/film.bin", "\(out)/"]
            let cut = try await Command(slow, deadline: 1.5).run()
            #expect(cut.status == nil, "it was to be cut in the middle: \(cut)")
            let partial = try FileTree.facts("\(out)/film.bin").size
            #expect(partial > 0 && partial < 24_000_001, "\(partial)")
            try await Command(["rsync", "-a"] + flags + ["\(mnt)/film.bin", "\(out)/"]).check()
            try await shell("cmp", "\(out)/film.bin", "\(root)/film.bin")
        }
    }

    @Test("cp --sparse, tar and dd with O_DIRECT take out the right bytes")
    func otherCopies() async throws {
        let zeros = [UInt8](repeating: 0, count: 2_000_000)
        try FileTree.write(Array("head".utf8) + zeros + Array("tail".utf8), to: "\(root)/holes.bin")
        try TreeMaker.makeFile(at: "\(root)/odd.bin", size: 3_000_001)
        try await mounted { _, mnt, _ in
            for sparse in ["always", "never", "auto"] {
                try await shell("cp", "--sparse=\(sparse)", "\(mnt)/holes.bin", "\(directory.path)/\(sparse)")
                try await shell("cmp", "\(directory.path)/\(sparse)", "\(root)/holes.bin")
            }
            try await shell("tar", "-C", mnt, "-cf", "\(directory.path)/all.tar", "odd.bin", "holes.bin")
            let compared = try await shell("tar", "-C", root, "-df", "\(directory.path)/all.tar", "odd.bin", "holes.bin")
            #expect(!compared.output.contains("differs"), "\(compared)")
            for size in ["4096", "65536", "1M"] {
                try await shell("dd", "if=\(mnt)/odd.bin", "of=\(directory.path)/direct", "iflag=direct", "bs=\(size)", "status=none")
                try await shell("cmp", "\(directory.path)/direct", "\(root)/odd.bin")
            }
            let sums = try await shell(
                "sh", "-c", "cd \(root) && sha256sum odd.bin holes.bin > \(directory.path)/sums && cd \(mnt) && sha256sum -c \(directory.path)/sums")
            #expect(sums.lines.count == 2 && sums.lines.allSatisfy { $0.hasSuffix("OK") }, "\(sums)")
        }
    }

    @Test("grep -r finds what is there, and tail -f shows the end and waits without asking the server again")
    func searching() async throws {
        for number in 0..<30 { try FileTree.write(Array("line one\nnumber \(number) of 30\n".utf8), to: "\(root)/text \(number).txt") }
        try await mounted { _, mnt, server in
            let found = try await shell("grep", "-rl", "number 17 of", mnt)
            #expect(found.lines == ["\(mnt)/text 17.txt"])
            #expect(try await Command(["grep", "-rc", "no such words", mnt]).run().status == 1)
            let before = server.accessLog.count
            let tail = try await Command(["tail", "-n", "1", "-f", "\(mnt)/text 17.txt"], deadline: 3).run()
            #expect(tail.status == nil && tail.output == "number 17 of 30\n", "\(tail)")
            #expect(server.accessLog.count == before, "\(server.accessLog.suffix(5))")
        }
    }

    @Test("programs that wait for changes hear of none, and are told nothing false", .enabled(if: TestTools.has("inotifywait")))
    func watching() async throws {
        try FileTree.write([1], to: "\(root)/file.bin")
        try await mounted { reelfs, mnt, _ in
            async let watched = Command(["inotifywait", "-q", "-t", "3", "-e", "create,delete,modify", mnt]).run()
            try await Task.sleep(for: .seconds(1))
            try FileTree.write([2], to: "\(root)/other.bin")
            try await reelfs.check("refresh", mnt)
            #expect(try await shell("ls", mnt).lines == ["file.bin", "other.bin"])
            let result = try await watched
            #expect(result.status == 2 && result.output.isEmpty, "\(result)")
        }
    }
}
