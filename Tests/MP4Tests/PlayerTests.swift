import TestSupport
import Testing

@testable import MP4

/// Against ffmpeg: its files read, ours shown to it.
@Suite("MP4 files of and for players", .enabled(if: TestTools.has("ffmpeg") && TestTools.has("ffprobe")), .serialized)
struct PlayerTests {
    private let directory: TemporaryDirectory
    private let film: String

    init() async throws {
        directory = try TemporaryDirectory("mp4")
        film = directory.path + "/film.mp4"
        try await Command(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x90:rate=25:duration=3", "-f", "lavfi", "-i",
                "sine=frequency=440:duration=3", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "25", "-pix_fmt", "yuv420p", "-c:a",
                "aac", film,
            ]
        ).check()
    }

    /// Copies the film into another form.
    private func copy(_ name: String, _ arguments: [String]) async throws -> String {
        let path = directory.path + "/" + name
        try await Command(["ffmpeg", "-v", "error", "-i", film, "-c", "copy"] + arguments + [path]).check()
        return path
    }

    private func same(_ left: [String], _ right: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(left.count == right.count, sourceLocation: sourceLocation)
        let difference = zip(left, right).first { $0 != $1 }
        #expect(difference == nil, sourceLocation: sourceLocation)
    }

    @Test("Files of ffmpeg are read as ffprobe reads them: progressive, faststart, fragmented with and without index")
    func reading() async throws {
        defer { directory.remove() }
        for (name, arguments) in [
            ("plain.mp4", []), ("fast.mp4", ["-movflags", "+faststart"]), ("pieces.mp4", ["-movflags", "+frag_keyframe+empty_moov"]),
            ("dash.mp4", ["-movflags", "+frag_keyframe+empty_moov+dash+global_sidx"]), ("old.mov", []),
            ("based.mp4", ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"]),
        ] {
            let path = try await copy(name, arguments)
            let file = try ParsedFile(FileTree.read(path))
            #expect(!file.packets.isEmpty)
            same(file.packets, try await Probe.packets(path))
            if name == "dash.mp4" { #expect(file.indices.count == 2 && file.fragments > 1) }
            if name == "pieces.mp4" { #expect(file.access?.tracks.isEmpty == false) }
        }
    }

    @Test("Damage in ffmpeg's boxes ends in values or errors")
    func damage() async throws {
        defer { directory.remove() }
        let path = try await copy("pieces.mp4", ["-movflags", "+frag_keyframe+empty_moov"])
        for whole in [try FileTree.read(film), try FileTree.read(path)] {
            let rounds = TestTools.isLongRun ? 20_000 : 150
            // Without the samples' bytes: damage is to hit boxes.
            var boxes: [UInt8] = []
            var place = 0
            while place < whole.count {
                let header = try BoxHeader(Array(whole[place..<min(place + 16, whole.count)]))
                let size = Int(header.size ?? UInt64(whole.count - place))
                if header.type != "mdat" { boxes += whole[place..<place + size] }
                place += size
            }
            damaged(boxes, cuts: 50, flips: rounds, rounds: rounds) { exercise(file: $0) }
        }
    }

    /// The film's tracks and the data of their samples, second by second, tracks one after the other.
    private struct Interleaved {
        var file: ParsedFile
        var pieces: [(track: Int, samples: [TimedSample], data: [UInt8])] = []

        init(_ path: String) throws {
            let bytes = try FileTree.read(path)
            file = try ParsedFile(bytes)
            for second in 0..<Int64(5) {
                for (index, track) in file.movie.tracks.enumerated() {
                    let scale = Int64(track.media.header.timescale), found = file.samples[track.header.track] ?? []
                    let timed = file.timed(track)
                    let chosen = timed.indices.filter {
                        timed[$0].decodeTime + 2 * scale / 25 >= second * scale && timed[$0].decodeTime + 2 * scale / 25 < (second + 1) * scale
                    }
                    guard !chosen.isEmpty else { continue }
                    let data = chosen.flatMap { bytes[Int(found[$0].offset)..<Int(found[$0].offset) + Int(found[$0].size)] }
                    pieces.append((index, chosen.map { timed[$0] }, data))
                }
            }
        }
    }

    private static func progressive(_ source: Interleaved) throws -> (movie: ProgressiveMovie, data: [UInt8]) {
        var builders = source.file.movie.tracks.map { _ in SampleTableBuilder(chunkLimit: 20000) }
        var data: [UInt8] = []
        for piece in source.pieces {
            var place = UInt64(data.count)
            for sample in piece.samples {
                try builders[piece.track].append(sample, at: place)
                place += UInt64(sample.size)
            }
            data += piece.data
        }
        var movie = ProgressiveMovie(zip(source.file.movie.tracks, builders).map { .init(source.file.description($0), samples: $1) })
        movie.userData = UserDataBox(
            metadata: MetadataBox([.init(key: MetadataBox.name, text: "Film"), .init(key: MetadataBox.tool, text: "reelfs")]),
            chapters: ChapterListBox([.init(start: 0, title: "One"), .init(start: 10_000_000, title: "Two")]))
        return (movie, data)
    }

    @Test("A progressive and a faststart file show ffprobe the same packets as the film they were made from")
    func writingProgressive() async throws {
        defer { directory.remove() }
        let expected = try await Probe.presentation(film)
        let (movie, data) = try Self.progressive(Interleaved(film))
        var last = try movie.start() + data + movie.movieBehindData().bytes()
        let (offset, header) = try movie.header(dataSize: UInt64(data.count))
        last.replaceSubrange(Int(offset)..<Int(offset) + header.count, with: header)
        for (name, bytes) in [("last.mp4", last), ("first.mp4", try movie.head(dataSize: UInt64(data.count)) + data)] {
            let path = directory.path + "/" + name
            try FileTree.write(bytes, to: path)
            same(try await Probe.presentation(path), expected)
            same(try ParsedFile(bytes).packets, try await Probe.packets(path))
            let facts = try await Probe.run(path, ["-show_chapters", "-show_entries", "format_tags=title,encoder:format=duration", "-of", "flat"])
            #expect(facts.output.contains("title=\"Film\"") && facts.output.contains("encoder=\"reelfs\""))
            #expect(facts.output.contains("chapters.chapter.1.tags.title=\"Two\"") && facts.output.contains("start_time=\"1.000000\""))
            #expect(facts.output.contains("format.duration=\"3.0"))
        }
    }

    @Test("A fragmented file with index and random access shows ffprobe the same packets, and every moof is a reference")
    func writingFragments() async throws {
        defer { directory.remove() }
        let expected = try await Probe.presentation(film)
        let source = try Interleaved(film)
        var writer = FragmentWriter(
            source.file.movie.tracks.map { track in
                let first = source.file.timed(track).first?.decodeTime ?? 0
                return .init(source.file.description(track), shift: UInt64(max(0, -first)))
            })
        writer.duration = 3000
        var index = FragmentIndex(writer.tracks)
        var fragments: [UInt8] = []
        var seconds: [[(track: Int, samples: [TimedSample], data: [UInt8])]] = []
        for piece in source.pieces {
            if seconds.isEmpty || seconds[seconds.count - 1].contains(where: { $0.track == piece.track }) { seconds.append([]) }
            seconds[seconds.count - 1].append(piece)
        }
        for second in seconds {
            let made = try writer.fragment(second.map { .init(track: source.file.movie.tracks[$0.track].header.track, samples: $0.samples) })
            index.append(made)
            fragments += made.header + second.flatMap(\.data)
        }
        let room = FragmentIndex.room(tracks: 2, fragments: 10)
        var start = try writer.initSegment()
        let access = try index.randomAccess(firstFragmentAt: UInt64(start.count) + room).bytes()
        start += try index.bytes(filling: room, trailing: UInt64(access.count))
        let bytes = start + fragments + access
        let path = directory.path + "/pieces.mp4"
        try FileTree.write(bytes, to: path)
        same(try await Probe.presentation(path), expected)
        let again = try ParsedFile(bytes)
        #expect(again.order.prefix(5) == ["ftyp", "moov", "free", "sidx", "sidx"] && again.order[5] == "moof" && again.order.last == "mfra")
        same(again.packets, try await Probe.packets(path))
        for box in again.indices {
            #expect(box.references.count == again.fragments)
            #expect(start.count + box.references.reduce(0) { $0 + Int($1.size) } == bytes.count)
        }
        let seek = try await Probe.run(
            path, ["-read_intervals", "2%+0.1", "-select_streams", "v", "-show_entries", "packet=pts_time,flags", "-of", "csv=p=0"])
        // By the index, not from the start of the file: at the picture's fragment, or one before it since the sound is said to begin late.
        #expect(["1.000000,K_", "2.000000,K_"].contains(seek.lines.first))
    }

    @Test("Decoders show every picture of the files written")
    func decoding() async throws {
        defer { directory.remove() }
        let (movie, data) = try Self.progressive(Interleaved(film))
        let path = directory.path + "/first.mp4"
        try FileTree.write(try movie.head(dataSize: UInt64(data.count)) + data, to: path)
        let hashes = try await [film, path].asyncMap { try await Command(["ffmpeg", "-v", "error", "-i", $0, "-f", "md5", "-"]).check() }
        #expect(hashes[0].output == hashes[1].output && !hashes[0].output.isEmpty)
        #expect(hashes[1].errors.isEmpty)
    }
}

extension [String] {
    fileprivate func asyncMap<Result>(_ transform: (String) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
