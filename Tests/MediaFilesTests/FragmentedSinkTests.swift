import MP4
import Remux
import TestSupport
import Testing

@testable import MediaFiles

@Suite("Fragments of a film")
struct FragmentedSinkTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("fragments") }

    /// Pictures of 25 per second, a key frame every other second, whose times come 17 pictures later; beside them a track of
    /// text with nothing in it.
    private func film(
        _ pictures: Int, bytes: Int, duration: UInt64?, memoryLimit: Int = 32 << 20, textTracks: Int = 0, padding: Int64 = 0
    ) throws -> [UInt8] {
        var source = SourceTrack(identifier: 1, kind: .video, codec: .vp8, codecID: "")
        var shape = VideoShape()
        (shape.width, shape.height) = (320, 180)
        source.video = shape
        let text = SourceTrack(identifier: 2, kind: .subtitle, codec: .subRip, codecID: "")
        let plan = RemuxPlan([source] + Array(repeating: text, count: textTracks), firstFrames: [[0]], searched: 1)
        let tracks = try plan.entries.enumerated().map { index, entry in
            MovieTrack(
                entry.track, try #require(entry.verdict.setup), number: UInt32(index + 1), clock: Clock(rate: 90_000), delay: 0, isEnabled: true)
        }
        let path = "\(directory.path)/film.mp4"
        let output = try OutputFile(path: path, replaces: true)
        let sink = try FragmentedSink(
            output, tracks: tracks, MovieDescription(clock: Clock(rate: 90_000), created: nil, title: nil, chapters: [], cover: nil),
            duration: duration, sourceBytes: UInt64(pictures * bytes), memoryLimit: memoryLimit)
        for picture in 0..<(pictures + 17) {
            if picture < pictures {
                try sink.add([UInt8](repeating: UInt8(truncatingIfNeeded: picture), count: bytes)[...], track: 0, isSync: picture % 50 == 0)
            }
            if picture >= 17 { try sink.add(SampleTiming(decode: Int64(picture - 17) * 3600, composition: 0, duration: 3600), track: 0) }
        }
        if padding > 0 { sink.trim(padding, track: 0) }
        try sink.finish { false }
        try output.finish()
        return try FileTree.read(path)
    }

    /// The boxes at the top, with their places.
    private func boxes(_ file: [UInt8]) throws -> [(type: FourCC, bytes: ArraySlice<UInt8>)] {
        var found: [(type: FourCC, bytes: ArraySlice<UInt8>)] = []
        var place = 0
        while place < file.count {
            let header = try BoxHeader(Array(file[place..<min(place + 16, file.count)]))
            let end = place + Int(header.size ?? UInt64(file.count - place))
            try #require(end <= file.count)
            found.append((header.type, file[place..<end]))
            place = end
        }
        return found
    }

    private func movie(_ file: [UInt8]) throws -> MovieBox {
        try MovieBox(bytes: Array(try #require(try boxes(file).first { $0.type == "moov" }).bytes))
    }

    @Test("lengths are those of the film, and there is an index, whatever the source says", arguments: [nil, 0, 1_000_000_000, 400_000_000_000_000])
    func statedDuration(_ stated: UInt64?) throws {
        let file = try film(500, bytes: 1000, duration: stated)
        let movie = try movie(file)
        #expect(movie.extends?.duration == 500 * 3600)
        #expect(movie.header.duration == 500 * 3600)
        #expect(movie.tracks[0].header.duration == 500 * 3600)
        #expect(movie.tracks[0].media.header.duration == 500 * 3600)
        let all = try boxes(file)
        let index = try #require(all.first { $0.type == "sidx" })
        let references = try SegmentIndexBox(bytes: Array(index.bytes)).references
        #expect(references.count == all.count { $0.type == "moof" })
        #expect(references.reduce(0) { $0 + UInt64($1.duration) } == 500 * 3600)
        #expect(file.count < 600_000)
    }

    @Test("pictures of 100 Mbit/s make no fragment for each picture")
    func largePictures() throws {
        let file = try film(200, bytes: 500_000, duration: 8_000_000_000)
        #expect(try boxes(file).count { $0.type == "moof" } <= 8)
    }

    @Test("what has no room in memory waits on the disk, and the file is the same")
    func spooled() throws {
        let kept = try film(200, bytes: 60_000, duration: 8_000_000_000)
        for limit in [0, 100_000, 1 << 20] {
            let spooled = try film(200, bytes: 60_000, duration: 8_000_000_000, memoryLimit: limit)
            #expect(Octets(spooled) == Octets(kept))
        }
        #expect(try FileTree.names(directory.path) == ["film.mp4"])
    }

    @Test("a track without a sample is not in the movie")
    func emptyTrack() throws {
        let file = try film(100, bytes: 100, duration: nil, textTracks: 2)
        #expect(try movie(file).tracks.map(\.header.track) == [1])
        #expect(try movie(file).extends?.tracks.map(\.track) == [1])
    }

    @Test("padding at the end is not presented")
    func padding() throws {
        let movie = try movie(film(100, bytes: 100, duration: nil, padding: 600))
        #expect(movie.tracks[0].edits?.edits == [EditListBox.Edit(duration: 360_000 - 600, mediaTime: 0)])
        #expect(movie.header.duration == 360_000 - 600)
    }
}
