import TestSupport
import Testing

/// What looking around costs the origin: indexers, thumbnailers and file managers look at everything.
@Suite("Through the mount: what looking costs", .serialized, .enabled(if: Nginx.missing == nil))
struct LookingCostTests {
    let directory: TemporaryDirectory
    let root: String

    init() throws {
        directory = try TemporaryDirectory("looking")
        root = try directory.directory("root")
    }

    private func mounted(_ body: (String, RealServer) async throws -> Void) async throws {
        let server = try await Nginx.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", server.url])
            try await body(mnt, server)
        }
    }

    /// Bytes the server sent of files, from line `start` of its log on. Waits until it has logged what was under way.
    private func fileBytes(_ server: RealServer, from start: Int) async throws -> Int {
        try await Task.sleep(for: .milliseconds(500))
        return server.accessLog.dropFirst(start).filter { $0.hasPrefix("GET ") }.compactMap { Int($0.split(separator: " ")[3]) }.reduce(0, +)
    }

    /// 80 seconds at 12 Mbit/s: 120 MB.
    private func makeLargeFilm(_ name: String) async throws -> Int {
        try await Command(
            [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=25:d=80,noise=alls=40:allf=t", "-f", "lavfi", "-i",
                "sine=d=80", "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "12M", "-maxrate", "14M", "-bufsize", "12M", "-g", "50", "-c:a",
                "aac",
                "\(root)/film.mkv",
            ], deadline: 300
        ).check()
        if name != "film.mkv" { try await shell("ffmpeg", "-v", "error", "-i", "\(root)/film.mkv", "-c", "copy", "\(root)/\(name)") }
        return Int(try FileTree.facts("\(root)/\(name)").size)
    }

    @Test(
        "file, ffprobe and mediainfo fetch about three times what they read, however large the film is",
        .enabled(if: MediaMaker.isAvailable && TestTools.has("mediainfo") && TestTools.has("file")), arguments: ["film.mkv", "film.mp4"])
    func identifying(name: String) async throws {
        let size = try await makeLargeFilm(name)
        try #require(size > 100_000_000, "\(size)")
        // What each reads of such a film is 7 MiB in a row, less than 2, and up to 23. On loopback, what is read ahead is here
        // before they stop; and a server has sent some MiB more than was ever received.
        for (program, limit) in [(["ffprobe", "-v", "error", "-show_streams"], 14 << 20), (["file", "-b"], 40 << 20), (["mediainfo"], 80 << 20)] {
            try await mounted { mnt, server in
                let result = try await Command(program + ["\(mnt)/\(name)"]).check()
                #expect(!result.output.isEmpty)
                let bytes = try await fileBytes(server, from: 0)
                #expect(bytes <= limit, "\(program[0]) fetched \(bytes) of \(size)")
            }
        }
    }

    @Test("names that file managers try are answered from the listing, and never asked for")
    func probing() async throws {
        try TreeMaker.makeFile(at: "\(root)/film.bin", size: 1000)
        try await mounted { mnt, server in
            #expect(try await shell("ls", mnt).lines == ["film.bin"])
            let before = server.accessLog
            for name in [
                ".hidden", ".DS_Store", "._film.bin", ".Trash", ".Trash-1000", "autorun.inf", "desktop.ini", "Thumbs.db", ".directory", ".git",
                "lost+found", "folder.jpg", "BDMV", "VIDEO_TS", ".nomedia", ".plexignore", "film.srt",
            ] {
                let result = try await Command(["stat", "\(mnt)/\(name)"]).run()
                #expect(result.status != 0 && result.errors.contains("No such file"), "\(result)")
            }
            #expect(server.accessLog == before)
        }
    }

    @Test("find, du and the index of locate list every directory once, and fetch no byte of a file")
    func indexing() async throws {
        for number in 0..<60 {
            try FileTree.makeDirectory("\(root)/directory \(number)")
            try TreeMaker.makeFile(at: "\(root)/directory \(number)/file.bin", size: 5000)
        }
        try await mounted { mnt, server in
            let start = server.accessLog.count
            try await shell("find", mnt, "-type", "f", "-size", "+1k")
            try await shell("du", "-s", mnt)
            if TestTools.has("updatedb") {
                let database = "\(directory.path)/locate.db"
                try await shell(
                    "updatedb", "--database-root", mnt, "--output", database, "--prunefs", "", "--prunepaths", "", "--require-visibility", "no")
                #expect(try await shell("locate", "-d", database, "-c", "file.bin").output == "60\n")
            }
            #expect(try await fileBytes(server, from: start) == 0)
            let lists = server.accessLog.dropFirst(start).filter { $0.hasPrefix("PROPFIND ") }.count
            #expect(lists <= 61, "\(lists) listings of 61 directories")
        }
    }
}
