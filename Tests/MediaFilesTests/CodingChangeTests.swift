import MP4
import TestSupport
import Testing

@testable import MediaFiles

@Suite("Codings that change on the way")
struct SampleDescriptionsTests {
    private func entry(_ channels: UInt16) -> SampleEntry {
        .audio(AudioSampleEntry(format: "mp4a", channels: channels, rate: 48000, bits: 16, children: []))
    }

    @Test("a coding that comes back has the description it had")
    func again() {
        var descriptions = SampleDescriptions(entry(2))
        #expect(descriptions.take(entry(6)) { $0.count == 2 && $1 == 2 })
        #expect(descriptions.take(entry(2)) { $0.count == 2 && $1 == 1 })
        #expect(descriptions.current == 1)
        #expect(descriptions.words == "its coding changes 2 times on the way: the MP4 describes 2 codings")
    }

    @Test("what cannot be described is told and changes nothing")
    func refused() {
        var descriptions = SampleDescriptions(entry(2))
        #expect(!descriptions.take(nil) { _, _ in true })
        #expect(!descriptions.take(entry(6)) { _, _ in false })
        #expect(descriptions.entries == [entry(2)])
        #expect(descriptions.words.hasSuffix("2 of the changes cannot be described in an MP4, and what follows may not play"))
    }

    @Test("what changes all the time is followed for a while, and told; the same again is no change")
    func restless() {
        var descriptions = SampleDescriptions(entry(2)), asked = 0
        for round in 0..<5000 {
            _ = descriptions.take(entry(round % 2 == 0 ? 6 : 2)) { _, _ in
                asked += 1
                return true
            }
        }
        #expect(asked == SampleDescriptions.changeLimit)
        #expect(descriptions.entries.count == 2)
        #expect(descriptions.failures > 0 && descriptions.words.contains("cannot be described"))
        let before = descriptions.changes
        #expect(descriptions.take(descriptions.entries[Int(descriptions.current) - 1]) { _, _ in false })
        #expect(descriptions.changes == before)
    }

    @Test("no film can make them endless")
    func bounded() {
        var descriptions = SampleDescriptions(entry(0))
        for channels in 1...200 { _ = descriptions.take(entry(UInt16(channels))) { _, _ in true } }
        #expect(descriptions.entries.count == SampleDescriptions.limit)
        #expect(descriptions.failures == 200 - SampleDescriptions.limit + 1)
    }
}

@Suite("Films whose coding changes", .enabled(if: MediaMaker.isAvailable))
struct CodingChangeTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("coding") }

    private func part(_ name: String, size: String, rate: Int, channels: Int, start: Int) async throws -> [UInt8] {
        let path = "\(directory.path)/\(name)"
        try await Command(
            [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=\(size):rate=25:duration=2", "-f", "lavfi", "-i",
                "sine=frequency=440:duration=2:sample_rate=\(rate)", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-pix_fmt", "yuv420p",
                "-c:a", "aac", "-ac", "\(channels)", "-output_ts_offset", "\(start)", path,
            ], deadline: 60
        ).check()
        return try FileTree.read(path)
    }

    @Test("each coding is described, and everything decodes", arguments: [RemuxRequest.Layout.progressive, .fastStart, .fragmented])
    func joined(_ layout: RemuxRequest.Layout) async throws {
        let film = "\(directory.path)/film.ts", output = "\(directory.path)/film.mp4"
        let first = try await part("a.ts", size: "128x72", rate: 44100, channels: 2, start: 0)
        let second = try await part("b.ts", size: "256x144", rate: 48000, channels: 1, start: 2)
        try FileTree.write(first + second + first, to: film)
        let report = try Remuxer.run(RemuxRequest(input: film, output: output, layout: layout), isCancelled: { false }, onProgress: { _, _ in })
        #expect(report.film.tracks.count { $0.note.contains("changes 2 times on the way: the MP4 describes 2 codings") } == 2)
        let movie = try MovieFile.movie(output)
        #expect(movie.tracks.map(\.media.samples.descriptions.entries.count) == [2, 2])

        let sizes = try await Command(
            ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=width", "-of", "default=nw=1:nk=1", output], deadline: 60
        ).check().output
        let widths = sizes.split(separator: "\n").compactMap { Int($0) }
        #expect(widths.count { $0 == 128 } == 100 && widths.count { $0 == 256 } == 50, "\(widths.count) pictures")
        // A second of sound is 43 frames at 44100 Hz and 47 at 48000 Hz.
        let (stereo, mono) = try await frames(output, layout)
        #expect((160...180).contains(stereo) && (88...100).contains(mono), "\(stereo) and \(mono) frames")
    }

    /// Frames of sound by their description. ffmpeg does not follow the descriptions of fragments.
    private func frames(_ path: String, _ layout: RemuxRequest.Layout) async throws -> (first: Int, second: Int) {
        guard layout == .fragmented else {
            let sound = try await Command(
                ["ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "frame=channels", "-of", "default=nw=1:nk=1", path], deadline: 60
            ).check().output
            let channels = sound.split(separator: "\n").compactMap { Int($0) }
            return (channels.count { $0 == 2 }, channels.count { $0 == 1 })
        }
        let trafs = try MovieFile.fragments(path).flatMap(\.tracks).filter { $0.header.track == 2 }
        func count(_ description: UInt32) -> Int {
            trafs.filter { ($0.header.description ?? 1) == description }.flatMap(\.runs).reduce(0) { $0 + Int($1.count) }
        }
        return (count(1), count(2))
    }
}
