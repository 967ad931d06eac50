import Bytes
import TestSupport
import Testing

@testable import Matroska

@Suite("Real files", .enabled(if: FilmVariant.isAvailable)) struct RealFileTests {
    /// Holds what is read here against what ffprobe tells.
    private func compare(_ path: String, _ bytes: [UInt8]) async throws -> MatroskaHead {
        let (head, tracks, damages) = try packets(of: bytes)
        #expect(damages == [])
        let probed = try await probedPackets(of: path)
        try #require(probed.count == tracks.count)
        for (index, (own, theirs)) in zip(tracks, probed).enumerated() {
            #expect(own.count == theirs.count, "track \(index)")
            // ffprobe counts milliseconds, and rounds the delay to them.
            let delay = (Int64(head.tracks[index].codecDelay) + 500_000) / 1_000_000 * 1_000_000
            for (number, (ours, packet)) in zip(own, theirs).enumerated() {
                var expected = packet
                expected.time = ours.time == nil ? nil : packet.time.map { $0 + delay }
                #expect(ours == expected, "track \(index), packet \(number)")
                if ours != expected { break }
            }
        }
        return head
    }

    @Test("packets are the ones that ffprobe tells: count, times, sizes, keyframes, bytes", arguments: FilmVariant.allCases)
    func samePackets(variant: FilmVariant) async throws {
        let directory = try TemporaryDirectory("matroska")
        let path = try await variant.make(in: directory)
        let bytes = try FileTree.read(path)
        let head = try await compare(path, bytes)
        let walker = ClusterWalker(at: try #require(head.firstCluster), end: head.segment.end, tracks: head.trackNumbers)
        let steps = try walk(walker, bytes, .whole)
        let pieces = try walk(walker, bytes, .blocks(4096))
        #expect(steps == pieces, "in pieces")
        try checkVariant(variant, head, steps)
        try checkCues(head, bytes)
    }

    /// That the file is of the kind that the variant means.
    private func checkVariant(_ variant: FilmVariant, _ head: MatroskaHead, _ steps: [ClusterWalker.Step]) throws {
        let isLaced = steps.blocks.contains { $0.frames.count > 1 }
        let cuesAreFirst = head.seekEntries.contains { $0.id == .cues && $0.position < head.firstCluster ?? 0 }
        switch variant {
        case .ffmpeg: #expect(head.cues != nil && !cuesAreFirst && !isLaced && !head.segment.hasUnknownSize)
        case .ffmpegCuesFirst: #expect(head.cues != nil && cuesAreFirst)
        case .ffmpegLive: #expect(head.cues == nil && head.segment.hasUnknownSize)
        case .ffmpegPipe: #expect(head.segment.hasUnknownSize)
        case .ffmpegSmallClusters: #expect(steps.count { if case .cluster = $0 { true } else { false } } > 10)
        case .webm: #expect(head.ebml.isWebM && WebMProfile.departures(of: head) == [])
        case .mkvmerge: #expect(head.cues != nil && isLaced)
        case .zlib: #expect(head.tracks.allSatisfy { $0.encodings.map(\.step) == [.zlib] })
        case .xiphLacing, .ebmlLacing: #expect(isLaced)
        case .noLacing: #expect(!isLaced)
        case .blockGroups: #expect(steps.blocks.contains { !$0.references.isEmpty && !$0.isKeyframe })
        case .noCues: #expect(head.cues == nil)
        case .noRelativeCues: #expect(head.cues?.contains { $0.relativePosition != nil } == false)
        case .passthrough: break
        }
    }

    /// Each cue leads to a block of its track and time.
    private func checkCues(_ head: MatroskaHead, _ bytes: [UInt8]) throws {
        let whole = FilePiece(offset: 0, bytes: bytes)
        for cue in head.cues ?? [] {
            var check = ClusterCheck(at: cue.clusterPosition, end: head.segment.end)
            guard case .valid(let start) = check.next(whole) else {
                Issue.record("no Cluster at \(cue.clusterPosition)")
                continue
            }
            let position = cue.relativePosition.map { start.dataStart + $0 } ?? start.position
            var walker = ClusterWalker(at: position, in: cue.relativePosition == nil ? nil : start, end: head.segment.end, tracks: [cue.track])
            var found: MatroskaBlock?
            while found == nil || (cue.relativePosition == nil && found?.timestamp != Int64(cue.time)) {
                let step = walker.next(whole)
                if case .end = step { break }
                if case .block(let block) = step { found = block }
            }
            #expect(found?.timestamp == Int64(cue.time) && found?.cluster == cue.clusterPosition)
        }
    }

    @Test("header stripping: ffprobe sees the same packets as we do, and as before the stripping")
    func headerStripping() async throws {
        let directory = try TemporaryDirectory("matroska")
        let base = try FileTree.read(try await FilmVariant.ffmpeg.make(in: directory))
        let (head, tracks, _) = try packets(of: base)
        let track = head.tracks[1]
        let blocks = try walk(ClusterWalker(at: head.firstCluster ?? 0, end: head.segment.end, tracks: [track.number]), base, .whole).blocks
        // Every AC-3 frame begins with its sync word.
        let entry = EBML.master(
            .trackEntry, EBML.unsigned(.trackNumber, 1), EBML.unsigned(.trackUID, 1), EBML.unsigned(.trackType, 2), EBML.text(.codecID, "A_AC3"),
            EBML.master(.audio, EBML.float(.samplingFrequency, 48000), EBML.unsigned(.channels, 1)),
            EBML.master(
                .contentEncodings,
                EBML.master(
                    .contentEncoding, EBML.unsigned(.contentEncodingScope, 1),
                    EBML.master(.contentCompression, EBML.unsigned(.contentCompAlgo, 3), EBML.binary(.contentCompSettings, [0x0B, 0x77])))))
        let stripped = blocks.map { block in
            EBML.simpleBlock(1, Int16(block.timestamp), key: true, Array(base[block.frames[0]].dropFirst(2)))
        }
        let bytes = film(
            EBML.master(.info, EBML.unsigned(.timestampScale, 1_000_000)), EBML.master(.tracks, entry),
            EBML.master(.cluster, EBML.unsigned(.timestamp, 0), Array(stripped.joined())))
        let path = "\(directory.path)/stripped.mkv"
        try FileTree.write(bytes, to: path)
        _ = try await compare(path, bytes)
        #expect(try packets(of: bytes).tracks == [tracks[1]])
    }

    @Test("languages, titles, flags, chapters, tags, attachments, colour and shape are those that mkvmerge was told")
    func head() async throws {
        let directory = try TemporaryDirectory("matroska")
        let base = try await FilmVariant.ffmpeg.make(in: directory), film = "\(directory.path)/head.mkv"
        let note = try directory.file("note.txt", "An attachment.\n")
        let chapters = try directory.file(
            "chapters.txt", "CHAPTER01=00:00:00.000\nCHAPTER01NAME=Start\nCHAPTER02=00:00:01.500\nCHAPTER02NAME=Später\n")
        try await Command([
            "mkvmerge", "-q", "-o", film, "--title", "A film", "--chapters", chapters, "--attachment-mime-type", "text/plain", "--attach-file", note,
            "--language", "1:pt-BR", "--track-name", "1:Som", "--default-track-flag", "1:0", "--forced-display-flag", "3:1",
            "--hearing-impaired-flag",
            "3:1", "--original-flag", "1:1", "--commentary-flag", "2:1", "--display-dimensions", "0:200x100", "--cropping", "0:1,2,3,4",
            "--color-primaries", "0:9", "--color-transfer-characteristics", "0:16", "--color-matrix-coefficients", "0:9", "--color-range", "0:1",
            "--max-content-light", "0:1000", "--max-frame-light", "0:400", "--max-luminance", "0:1000", "--min-luminance", "0:0.01",
            "--chromaticity-coordinates", "0:0.68,0.32,0.265,0.69,0.15,0.06", "--white-color-coordinates", "0:0.3127,0.329", "--stereo-mode", "0:1",
            "--projection-type", "0:0", "--projection-pose-roll", "0:90", "--field-order", "0:1", base,
        ]).check()
        let bytes = try FileTree.read(film)
        let head = try readHead(bytes, .blocks(4096))
        #expect(head.damages == [] && head.info.title == "A film" && head.info.muxingApp.contains("libmatroska"))
        #expect(head.info.durationNanoseconds.map { $0 > 1_900_000_000 && $0 < 2_200_000_000 } == true)
        let video = try #require(head.tracks[0].video)
        #expect(video.pixelWidth == 96 && video.pixelHeight == 64)
        #expect(video.displaySize.map { [$0.width, $0.height] } == [200, 100])
        #expect([video.cropLeft, video.cropTop, video.cropRight, video.cropBottom] == [1, 2, 3, 4])
        #expect(video.stereoMode == 1 && video.fieldOrder == 1 && video.projection?.roll == 90)
        let colour = try #require(video.colour)
        #expect([colour.primaries, colour.transfer, colour.matrix, colour.range] == [9, 16, 9, 1])
        #expect(colour.maxContentLight == 1000 && colour.maxFrameAverageLight == 400)
        let mastering = try #require(colour.mastering)
        #expect(mastering.luminanceMax == 1000 && abs((mastering.luminanceMin ?? 0) - 0.01) < 1e-6)
        #expect(abs((mastering.green.y ?? 0) - 0.69) < 1e-6 && abs((mastering.white.x ?? 0) - 0.3127) < 1e-6)
        #expect(head.tracks[0].defaultDuration == 40_000_000 && head.tracks[0].codecID == "V_MPEG4/ISO/AVC")
        #expect(head.tracks[1].languageTag == "pt-BR" && head.tracks[1].language == "por" && head.tracks[1].name == "Som")
        #expect(!head.tracks[1].isDefault && head.tracks[1].isOriginal == true && head.tracks[2].isCommentary == true)
        #expect(head.tracks[1].audio?.samplingFrequency == 48000 && head.tracks[1].audio?.channels == 1)
        #expect(head.tracks[2].codecDelay == 6_500_000 && head.tracks[2].seekPreRoll == 80_000_000)
        #expect(head.tracks[3].isForced && head.tracks[3].isHearingImpaired == true)
        #expect(head.editions.first?.chapters.map(\.start) == [0, 1_500_000_000])
        #expect(head.editions.first?.chapters.last?.displays.first?.text == "Später")
        #expect(head.attachments.map(\.name) == ["note.txt"] && head.attachments.map(\.mediaType) == ["text/plain"])
        #expect(head.attachments.first.map { bytes[$0.data] } == Array("An attachment.\n".utf8))
        #expect(head.tags.contains { $0.simpleTags.contains { $0.name == "NUMBER_OF_FRAMES" && $0.value == .text("50") } })
    }

    @Test("a real film whose Clusters leave their size open")
    func openClusters() async throws {
        let directory = try TemporaryDirectory("matroska")
        var bytes = try FileTree.read(try await FilmVariant.ffmpegSmallClusters.make(in: directory))
        let head = try readHead(bytes)
        let walker = ClusterWalker(at: try #require(head.firstCluster), end: head.segment.end, tracks: head.trackNumbers)
        let whole = try walk(walker, bytes, .whole)
        for step in whole {
            guard case .cluster(let start) = step else { continue }
            let size = Int(start.position) + 4..<Int(start.dataStart)
            bytes.replaceSubrange(size, with: EBML.unknownSize(length: size.count))
        }
        let path = "\(directory.path)/open.mkv"
        try FileTree.write(bytes, to: path)
        _ = try await compare(path, bytes)
        let steps = try walk(walker, bytes, .blocks(4096))
        #expect(steps.blocks == whole.blocks)
        #expect(steps.allSatisfy { if case .cluster(let start) = $0 { start.end == nil } else { true } })
    }

    @Test("a real film with a hole of zeros: what is behind it is found")
    func hole() async throws {
        let directory = try TemporaryDirectory("matroska")
        var bytes = try FileTree.read(try await FilmVariant.ffmpegSmallClusters.make(in: directory))
        let head = try readHead(bytes)
        let walker = ClusterWalker(at: try #require(head.firstCluster), end: head.segment.end, tracks: head.trackNumbers)
        let whole = try walk(walker, bytes, .whole).blocks
        let hole = 20_000..<30_000
        for index in hole { bytes[index] = 0 }
        let steps = try walk(walker, bytes, .blocks(4096))
        #expect(!steps.damages.isEmpty && steps.end == .segmentEnd)
        let next = try #require(whole.first { $0.cluster >= UInt64(hole.upperBound) }).cluster
        #expect(steps.blocks.filter { $0.cluster >= next } == whole.filter { $0.cluster >= next })
        #expect(steps.damages.allSatisfy { $0.lost.end <= next })
    }
}
