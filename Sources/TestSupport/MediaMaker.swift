/// Small films made by ffmpeg: a moving test picture and a tone.
package enum MediaMaker {
    package static var isAvailable: Bool { TestTools.has("ffmpeg") }

    /// Makes a film; the container follows from the file name (`.mkv`, `.mp4`, `.ts`).
    package static func makeFilm(at path: String, seconds: Int = 5, size: String = "320x180") async throws {
        try await Command(
            [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=\(size):rate=25:duration=\(seconds)",
                "-f", "lavfi", "-i", "sine=frequency=440:duration=\(seconds)", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2",
                "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest", path,
            ], deadline: 120
        ).check()
        try FileTree.setModified(path, TreeMaker.modified)
    }
}
