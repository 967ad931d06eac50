import MP4
import TestSupport
import Testing

@testable import MediaFiles

@Suite("The end of sound", .enabled(if: MediaMaker.isAvailable))
struct PaddingTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("padding") }

    @Test("what the encoder of Opus padded is not presented", arguments: [RemuxRequest.Layout.progressive, .fastStart, .fragmented])
    func opus(_ layout: RemuxRequest.Layout) async throws {
        let film = "\(directory.path)/film.mka", output = "\(directory.path)/film.mp4"
        try await Command(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=frequency=440:duration=3.777", "-c:a", "libopus", "-f", "matroska", film],
            deadline: 60
        ).check()
        _ = try Remuxer.run(RemuxRequest(input: film, output: output, layout: layout), isCancelled: { false }, onProgress: { _, _ in })
        let movie = try MovieFile.movie(output)
        let edit = try #require(movie.tracks.first?.edits?.edits.last)
        // A frame of 20 ms, cut off near its end: the times of Matroska are milliseconds.
        let seconds = Double(edit.duration) / Double(movie.header.timescale)
        #expect(abs(seconds - 3.777) < 0.003, "\(seconds)")
        #expect(edit.mediaTime == 312)
        #expect(movie.header.duration == edit.duration)
    }
}
