import TestSupport
import Testing

/// Films that ffmpeg and mkvmerge write in their different ways: pictures with B-frames, AC-3, Opus and subtitles.
enum FilmVariant: String, CaseIterable, CustomTestStringConvertible {
    case ffmpeg, ffmpegCuesFirst, ffmpegLive, ffmpegPipe, ffmpegSmallClusters, webm
    case mkvmerge, zlib, xiphLacing, ebmlLacing, noLacing, blockGroups, noCues, noRelativeCues, passthrough

    var testDescription: String { rawValue }

    static var isAvailable: Bool { TestTools.has("ffmpeg") && TestTools.has("ffprobe") && TestTools.has("mkvmerge") }

    private static let subtitles = """
        1
        00:00:00,200 --> 00:00:00,900
        Hello

        2
        00:00:01,000 --> 00:00:01,500
        there, <i>again and again and again and again and again and again</i>

        """

    /// The film that all are made of, once for all tests.
    private static let base = Task {
        let directory = try TemporaryDirectory("matroska")
        let path = "\(directory.path)/base.mkv"
        let text = try directory.file("text.srt", FilmVariant.subtitles)
        try await Command(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=2", "-f", "lavfi", "-i",
                "sine=frequency=440:duration=2:sample_rate=48000", "-i", text, "-map", "0", "-map", "1", "-map", "1", "-map", "2", "-c:v", "libx264",
                "-preset", "ultrafast", "-bf", "2", "-g", "12", "-pix_fmt", "yuv420p", "-c:a:0", "ac3", "-c:a:1", "libopus", "-c:s", "srt", path,
            ], deadline: 120
        ).check()
        return try FileTree.read(path)
    }

    /// - Returns: the film's path.
    func make(in directory: TemporaryDirectory) async throws -> String {
        let base = "\(directory.path)/base.mkv", film = "\(directory.path)/film.mkv"
        try FileTree.write(try await FilmVariant.base.value, to: base)
        let remux = ["ffmpeg", "-v", "error", "-i", base, "-map", "0", "-c", "copy"]
        let merge = ["mkvmerge", "-q", "-o", film]
        let command: [String]
        switch self {
        case .ffmpeg: return base
        case .ffmpegCuesFirst: command = remux + ["-cues_to_front", "1", film]
        case .ffmpegLive: command = remux + ["-live", "1", film]
        case .ffmpegPipe:
            let written = try await Command(remux + ["-f", "matroska", "pipe:1"]).check()
            try FileTree.write(written.outputBytes, to: film)
            return film
        case .ffmpegSmallClusters: command = remux + ["-cluster_time_limit", "100", film]
        case .webm:
            command = [
                "ffmpeg", "-v", "error", "-i", base, "-map", "0:v", "-map", "0:2", "-c:v", "libvpx", "-deadline", "realtime", "-c:a", "copy",
                "-f", "webm", film,
            ]
        case .mkvmerge: command = merge + [base]
        case .zlib: command = merge + (0..<4).flatMap { ["--compression", "\($0):zlib"] } + [base]
        case .xiphLacing: command = merge + ["--engage", "lacing_xiph", base]
        case .ebmlLacing: command = merge + ["--engage", "lacing_ebml", base]
        case .noLacing: command = merge + ["--disable-lacing", base]
        case .blockGroups: command = merge + ["--engage", "no_simpleblocks", base]
        case .noCues: command = merge + ["--no-cues", base]
        case .noRelativeCues: command = merge + ["--engage", "no_cue_relative_position", "--cues", "1:all", base]
        case .passthrough: command = merge + ["--engage", "force_passthrough_packetizer", base]
        }
        try await Command(command, deadline: 120).check()
        return film
    }
}
