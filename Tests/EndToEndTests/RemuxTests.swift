import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// Films for the tests of this file: `Scripts/media` makes them once, below `.build`.
private enum MediaSet {
    static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
    static let directory = root + "/.build/media"
    static var isAvailable: Bool { ["ffmpeg", "ffprobe", "mkvmerge", "python3"].allSatisfy { TestTools.has($0) } }

    static func make() async throws { try await Command(["\(root)/Scripts/media", directory], deadline: 900).check() }

    /// A film of 5 GiB that takes next to no room on the disk.
    static func makeLarge(_ directory: String) async throws {
        try await Command(["\(root)/Scripts/media", directory, "--large", "--only", "large.mkv"], deadline: 900).check()
    }

    /// Every file of the set through `reelfs remux`, held against its manifest.
    static func prove(_ reelfs: ReelfsProcess, _ flags: String, _ more: [String] = []) async throws {
        try await make()
        try await Command(
            ["python3", "\(root)/Scripts/mediamaker/prove.py", "--set", directory, "--remux", "\(reelfs.binary) remux {in} {out} \(flags)"] + more,
            environment: reelfs.environment, deadline: 3600
        ).check()
    }
}

@Suite("Films become MP4 files, frame by frame", .serialized, .enabled(if: MediaSet.isAvailable))
struct RemuxTests {
    @Test("every film of the media set is carried bit for bit with its times, or refused with a reason")
    func everyFilm() async throws { try await ReelfsProcess.with { try await MediaSet.prove($0, "--srt") } }

    @Test("with the index in front, and in fragments, the frames are the same", arguments: ["--faststart", "--fragmented"])
    func layouts(_ flag: String) async throws {
        let chosen = TestTools.isLongRun ? [] : ["--only", "h264-*"]
        try await ReelfsProcess.with { try await MediaSet.prove($0, flag, chosen) }
    }

    @Test(
        "ffmpeg decodes, and mpv and VLC play, what was made", .enabled(if: TestTools.isLongRun),
        arguments: ["", "--faststart", "--fragmented"])
    func players(_ flag: String) async throws {
        try await ReelfsProcess.with { try await MediaSet.prove($0, flag, ["--play"]) }
    }

    private func film(_ reelfs: ReelfsProcess, _ name: String = "film.mkv") async throws -> String {
        let path = "\(reelfs.directory.path)/\(name)"
        try await MediaMaker.makeFilm(at: path, seconds: 2)
        return path
    }

    @Test("an existing file stays, unless it may be replaced")
    func existing() async throws {
        try await ReelfsProcess.with { reelfs in
            let film = try await film(reelfs), out = try reelfs.directory.file("out.mp4", "mine")
            let refused = try await reelfs.command(["remux", film, out]).run()
            #expect(refused.status == 1)
            #expect(refused.errors.contains("--force"))
            #expect(try FileTree.read(out) == Array("mine".utf8))
            try await reelfs.check("remux", "--force", film, out)
            #expect(try FileTree.read(out).count > 1000)
            // Not even --force lets a film be replaced by what is made of it.
            let before = try FileTree.read(film)
            #expect(try await reelfs.command(["remux", "--force", film, film]).run().status == 1)
            #expect(Octets(try FileTree.read(film)) == Octets(before))
        }
    }

    @Test("Ctrl-C in the middle leaves nothing behind and says so by its status", arguments: ["INT", "HUP", "TERM"])
    func interrupted(_ signal: String) async throws {
        try await ReelfsProcess.with { reelfs in
            // So large that it cannot be done before the signal.
            let films = try reelfs.directory.directory("films"), directory = try reelfs.directory.directory("out")
            try await MediaSet.makeLarge(films)
            let result = try await Command(
                ["timeout", "-s", signal, "0.15", reelfs.binary, "remux", "\(films)/large.mkv", "\(directory)/out.mp4"],
                environment: reelfs.environment
            ).run()
            // timeout(1) says 124 when it had to send the signal.
            #expect(result.status == 124, "\(result)")
            #expect(try FileTree.names(directory).isEmpty)
        }
    }

    @Test("a film on a mount that does not answer holds up no signal", .enabled(if: TestTools.has("nginx")), arguments: ["INT", "HUP"])
    func stalled(_ signal: String) async throws {
        let root = try TemporaryDirectory("stalled")
        try await MediaMaker.makeFilm(at: "\(root.path)/film.mkv", seconds: 1)
        let server = try await Nginx.start(root.path)
        try await ReelfsProcess.with { reelfs in
            let mount = try await reelfs.mount(["--type", "webdav", server.url]), directory = try reelfs.directory.directory("out")
            let daemon = try #require(reelfs.daemonPid)
            kill(daemon, SIGSTOP)
            defer { kill(daemon, SIGCONT) }
            let result = try await Command(
                ["timeout", "-s", signal, "0.5", reelfs.binary, "remux", "\(mount)/film.mkv", "\(directory)/out.mp4"],
                environment: reelfs.environment, deadline: 30
            ).run()
            #expect(result.status == 124, "\(result)")
            #expect(try FileTree.names(directory).isEmpty)
        }
    }

    @Test("a film that cannot become an MP4 ends with status 5, names why, and leaves nothing")
    func refused() async throws {
        try await ReelfsProcess.with { reelfs in
            let film = "\(reelfs.directory.path)/vorbis.mkv", directory = try reelfs.directory.directory("out")
            try await Command(
                ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=duration=1", "-c:a", "libvorbis", film], deadline: 60
            ).check()
            let result = try await reelfs.command(["remux", film, "\(directory)/out.mp4"]).run()
            #expect(result.status == 5)
            #expect(result.errors.contains("Vorbis"))
            #expect(try FileTree.names(directory).isEmpty)
            #expect(try await reelfs.command(["probe", film]).run().status == 5)
        }
    }

    private struct Probe: Decodable {
        struct Track: Decodable { var kind: String, codec: String, isCarried: Bool }
        var container: String
        var seconds: Double
        var tracks: [Track]
    }

    @Test("probe names container, tracks and what is carried, for people and for scripts")
    func probe() async throws {
        try await ReelfsProcess.with { reelfs in
            let film = try await film(reelfs)
            let probe = try JSONDecoder().decode(Probe.self, from: Data(try await reelfs.check("probe", "--json", film).outputBytes))
            #expect(probe.container == "Matroska")
            #expect(probe.seconds > 1.5 && probe.seconds < 2.5)
            #expect(probe.tracks.map(\.codec) == ["H.264", "AAC"])
            #expect(probe.tracks.filter { !$0.isCarried }.isEmpty)
            #expect(try await reelfs.check("probe", "--full", film).output.contains("damage: none found\n"))
        }
    }

    @Test("subtitles are written beside the film, by language, and by remux --srt beside the MP4")
    func subtitles() async throws {
        try await ReelfsProcess.with { reelfs in
            let film = try await film(reelfs, "电影.mkv"), directory = reelfs.directory.path
            let text = try reelfs.directory.file("in.srt", "1\n00:00:00,500 --> 00:00:01,250\n<i>你好</i>\nworld\n\n")
            try await Command(
                [
                    "ffmpeg", "-v", "error", "-i", film, "-i", text, "-map", "0", "-map", "1", "-map", "1", "-c", "copy", "-c:s", "srt",
                    "-metadata:s:s:0", "language=chi", "-metadata:s:s:1", "language=chi", "\(directory)/sub.mkv",
                ], deadline: 60
            ).check()
            let expected = "1\n00:00:00,500 --> 00:00:01,250\n你好\nworld\n\n"
            #expect(try await reelfs.check("subtitles", "\(directory)/sub.mkv").lines == ["\(directory)/sub.chi.srt", "\(directory)/sub.chi.2.srt"])
            #expect(String(decoding: try FileTree.read("\(directory)/sub.chi.srt"), as: UTF8.self) == expected)
            try await reelfs.check("remux", "--srt", "\(directory)/sub.mkv", "\(directory)/out.mp4")
            #expect(String(decoding: try FileTree.read("\(directory)/out.chi.2.srt"), as: UTF8.self) == expected)

            // The same without: no track of text, and the frames of the others as they were.
            try await reelfs.check("remux", "--no-subtitles", "\(directory)/sub.mkv", "\(directory)/bare.mp4")
            #expect(try await packets("\(directory)/out.mp4", "s").isEmpty == false)
            #expect(try await packets("\(directory)/bare.mp4", "s").isEmpty)
            for kind in ["v", "a"] {
                let frames = try await packets("\(directory)/bare.mp4", kind)
                #expect(try await packets("\(directory)/out.mp4", kind) == frames && frames.count > 40, "\(frames.count)")
            }
        }
    }

    /// Times and digests of the packets of one kind, as ffprobe reads them.
    private func packets(_ path: String, _ kind: String) async throws -> [String] {
        let entries = "packet=pts_time,dts_time,duration_time,size,flags,data_hash"
        return try await Command(
            ["ffprobe", "-v", "error", "-select_streams", kind, "-show_data_hash", "md5", "-show_entries", entries, "-of", "csv=p=0", path],
            deadline: 60
        ).check().lines
    }

    @Test("what judges a remux tells every fault that is made on purpose", arguments: ["compare.py", "checkmp4.py"])
    func judges(_ program: String) async throws {
        try await Command(["python3", "\(MediaSet.root)/Scripts/mediamaker/\(program)", "--self-test"], deadline: 300).check()
    }

    @Test("memory stays bounded for a film of five gigabytes", .enabled(if: TestTools.isLongRun))
    func memory() async throws {
        try await ReelfsProcess.with { reelfs in
            let directory = try reelfs.directory.directory("large"), out = "\(directory)/out.mp4"
            try await MediaSet.makeLarge(directory)
            for flag in ["--fragmented", "--faststart"] {
                let result = try await Command(
                    ["/usr/bin/time", "-f", "%M", reelfs.binary, "remux", "--force", flag, "\(directory)/large.mkv", out],
                    environment: reelfs.environment, deadline: 900
                ).check()
                let kibibytes = result.errors.split(separator: "\n").last.flatMap { Int($0) } ?? .max
                #expect(kibibytes < 96 << 10, "\(flag): \(kibibytes) KiB")
                try await Command(["python3", "\(MediaSet.root)/Scripts/mediamaker/checkmp4.py", "--quiet", out], deadline: 300).check()
            }
        }
    }
}
