import MP4
import TestSupport
import Testing

@testable import MediaFiles

@Suite("Films with a wrong time", .enabled(if: MediaMaker.isAvailable))
struct WrongTimeTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("wrong-time") }

    @Test("one flipped bit in the time of a Cluster moves nothing but that Cluster")
    func flipped() async throws {
        let path = "\(directory.path)/film.mkv", damaged = "\(directory.path)/damaged.mkv", output = "\(directory.path)/film.mp4"
        try await Command(
            [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=128x72:rate=2:duration=80", "-c:v", "libx264", "-preset",
                "ultrafast", "-g", "2", "-pix_fmt", "yuv420p", "-cluster_time_limit", "16000", path,
            ], deadline: 60
        ).check()
        let film = try FileTree.read(path)
        let places = film.indices.dropLast(20).filter { Array(film[$0..<$0 + 4]) == [0x1F, 0x43, 0xB6, 0x75] }
        #expect(places.count >= 4)
        var tried = 0
        for place in places {
            // ID, size in eight bytes or fewer, Timestamp.
            let stamp = try #require((place + 5...place + 20).first { film[$0] == 0xE7 })
            let count = Int(film[stamp + 1] & 0x0F)
            for bit in stride(from: 0, to: count * 8, by: TestTools.isLongRun ? 1 : 3) {
                var bytes = film
                bytes[stamp + 2 + bit / 8] ^= 0x80 >> UInt8(bit % 8)
                try FileTree.write(bytes, to: damaged)
                let report = try Remuxer.run(
                    RemuxRequest(input: damaged, output: output, layout: bit % 2 == 0 ? .progressive : .fragmented, replaces: true),
                    isCancelled: { false }, onProgress: { _, _ in })
                let movie = try MovieFile.movie(output)
                let seconds = Double(movie.header.duration) / Double(movie.header.timescale)
                // Smaller steps are within what the neighbours allow.
                #expect(seconds > 50 && seconds < 115, "bit \(bit) at \(stamp): \(seconds)")
                #expect(report.film.tracks.filter(\.isCarried).count == 1)
                tried += 1
            }
        }
        #expect(tried >= 15)
    }
}
