import Bytes
import Testing

@testable import Matroska

@Suite("The head of a file") struct HeadTests {
    @Test("a whole head is read, in whatever pieces it comes", arguments: Feeding.all)
    func wholeHead(feeding: Feeding) throws {
        let film = SampleFilm()
        let head = try readHead(film.bytes, feeding)
        #expect(head.damages == [])
        #expect(head.ebml.docType == "matroska" && !head.ebml.isWebM)
        #expect(head.segment.dataStart == UInt64(film.segmentData))
        #expect(head.segment.end == UInt64(film.bytes.count) && !head.segment.hasUnknownSize && !head.segment.isTruncated)
        #expect(head.firstCluster == UInt64(film.cluster))
        #expect(head.info.title == "A film" && head.info.muxingApp == "by hand")
        #expect(head.info.durationNanoseconds == 2_160_000_000)
        #expect(head.info.creationTime == UnixTime(seconds: 978_307_200 + 86_400))
        #expect(head.tracks.map(\.number) == [1, 2, 3])
        #expect(head.tracks.map(\.languageTag) == ["eng", "ger", "pt-BR"])
        #expect(head.trackNumbers == [1, 2, 3])
        let cues = try #require(head.cues)
        #expect(cues.map(\.time) == [1000, 2120])
        #expect(cues.map(\.relativePosition) == [7, nil])
        #expect(head.editions.first?.chapters.first?.displays == [.init(text: "Start", languages: ["ger"])])
        #expect(head.attachments.map(\.name) == ["cover.jpg"])
        #expect(film.bytes[head.attachments[0].data] == [0xFF, 0xD8, 0xFF])
        #expect(head.tags.first?.trackUIDs == [12])
        #expect(head.tags.first?.simpleTags.first?.value == .text("Sound"))
        #expect(head.seekEntries.map(\.id) == [.info, .tracks, .cues, .tags])
    }

    @Test("the cues of the sample lead to its Clusters")
    func cuePlaces() throws {
        let film = SampleFilm()
        let cues = try #require(try readHead(film.bytes).cues)
        #expect(cues.map(\.clusterPosition) == [UInt64(film.cluster), UInt64(film.secondCluster)])
    }

    @Test("what is not wanted is passed over by its header")
    func unwanted() throws {
        let head = try readHead(SampleFilm().bytes, wanted: [])
        #expect(head.cues == nil && head.tags.isEmpty && head.editions.isEmpty && head.attachments.isEmpty)
        #expect(head.tracks.count == 3)
    }

    @Test("attachments in front of the first Cluster cost their headers, not their bytes")
    func attachmentCost() throws {
        let files = (0..<50).map { number in
            EBML.master(.attachedFile, EBML.text(.fileName, "font \(number)"), EBML.binary(.fileData, [UInt8](repeating: 1, count: 20_000)))
        }
        let bytes = film(
            EBML.master(.info), EBML.master(.tracks, SampleFilm.Track.audio), EBML.binary(.attachments, Array(files.joined())),
            SampleFilm.firstCluster)
        var parser = MatroskaHeadParser(fileSize: UInt64(bytes.count), wanted: .everything)
        var file = FileUnderTest(bytes, .asked), piece = FilePiece.empty, read = 0
        while case .need(let range) = try parser.next(piece) {
            piece = try file.piece(range)
            read += piece.bytes.count
        }
        guard case .done(let head) = try parser.next(piece) else {
            Issue.record("not read")
            return
        }
        #expect(head.attachments.count == 50 && head.attachments[49].data.count == 20_000)
        #expect(head.firstCluster != nil)
        #expect(read < 10_000)
    }

    @Test("a live file: Segment and Cluster of open size, no index")
    func live() throws {
        let bytes =
            EBML.header("webm")
            + EBML.open(
                .segment, EBML.master(.info, EBML.unsigned(.timestampScale, 500_000)), EBML.master(.tracks, SampleFilm.Track.audio),
                SampleFilm.laterCluster)
        let head = try readHead(bytes)
        #expect(head.ebml.isWebM && head.segment.hasUnknownSize && head.segment.end == UInt64(bytes.count))
        #expect(head.cues == nil && head.firstCluster != nil && head.damages == [])
        #expect(head.info.duration == nil && head.info.nanoseconds(3) == 1_500_000 && head.info.nanoseconds(.min) == .min)
    }

    @Test("a file that is none says so: empty, text, another DocType, too new")
    func refused() throws {
        func code(_ bytes: [UInt8]) -> MatroskaError.Code? {
            do { _ = try readHead(bytes) } catch let error as MatroskaError { return error.code } catch {}
            return nil
        }
        #expect(code([]) == .notMatroska)
        #expect(code(Array("<html></html>".utf8)) == .notMatroska)
        #expect(code(EBML.header("other")) == .notMatroska)
        #expect(code(EBML.header(readVersion: 9)) == .unsupportedVersion)
        #expect(code(EBML.header()) == .truncated)
        #expect(code(EBML.header() + EBML.master(.info)) == .truncated)
        #expect(code(EBML.header() + SampleFilm.firstCluster) == .missing)
        #expect(code(film(EBML.master(.info), SampleFilm.firstCluster)) == .missing)
        #expect(code(EBML.id(.ebml) + EBML.size(5000) + [0]) == .tooLarge)
        #expect(code(EBML.id(.ebml) + EBML.unknownSize()) == .unknownSize)
    }

    @Test("a wrong checksum is told, and what was read stays")
    func wrongChecksum() throws {
        var bytes = SampleFilm().bytes
        let place = try #require(bytes.firstRange(of: Array("A film".utf8)))
        bytes[place.lowerBound] = UInt8(ascii: "B")
        let head = try readHead(bytes)
        #expect(head.info.title == "B film")
        #expect(head.damages.map(\.error.code) == [.wrongChecksum])
        #expect(head.damages.first?.error.path == "Segment.Info")
    }

    @Test("a damaged TrackEntry costs itself only")
    func damagedTrack() throws {
        let nameless = EBML.master(.trackEntry, EBML.unsigned(.trackNumber, 9))
        let broken = EBML.master(.trackEntry, EBML.unsigned(.trackNumber, 8), EBML.id(.video) + [0x90])
        let head = try readHead(
            film(EBML.master(.info), EBML.master(.tracks, nameless, SampleFilm.Track.video, broken, SampleFilm.Track.video, SampleFilm.Track.audio)))
        #expect(head.tracks.map(\.number) == [1, 2])
        #expect(head.damages.map(\.error.code) == [.missing, .overrun, .badValue])
        #expect(head.damages[1].error.path == "Segment.Tracks.TrackEntry.Video")
    }

    @Test("a cue behind the Segment, a SeekHead entry that leads elsewhere and one that is cut are told")
    func wrongPlaces() throws {
        let seek = EBML.master(.seek, EBML.binary(.seekID, EBML.id(.tags)), EBML.unsigned(.seekPosition, 1))
        let half = EBML.master(.seek, EBML.unsigned(.seekPosition, 1))
        let far = EBML.master(.seek, EBML.binary(.seekID, EBML.id(.chapters)), EBML.unsigned(.seekPosition, .max))
        let head = try readHead(
            film(
                EBML.master(.seekHead, seek, half, far), EBML.master(.info), EBML.master(.tracks, SampleFilm.Track.video),
                EBML.master(.cues, SampleFilm.cue(5, track: 1, cluster: 100_000), SampleFilm.cue(6, track: 1, cluster: 60))))
        #expect(head.cues?.map(\.time) == [6])
        #expect(head.damages.map(\.error.code) == [.missing, .wrongPosition, .wrongPosition, .wrongPosition])
    }

    @Test("Tracks behind the Clusters are found through the SeekHead, a second SeekHead included")
    func tracksAtTheEnd() throws {
        let tracks = EBML.master(.tracks, SampleFilm.Track.video)
        func seek(_ id: ElementID, _ place: Int) -> [UInt8] {
            EBML.master(.seekHead, EBML.master(.seek, EBML.binary(.seekID, EBML.id(id)), EBML.unsigned(.seekPosition, UInt64(place), count: 2)))
        }
        let first = seek(.seekHead, 0).count + SampleFilm.firstCluster.count
        let second = first + seek(.tracks, 0).count
        let bytes = film(seek(.seekHead, first), SampleFilm.firstCluster, seek(.tracks, second), tracks)
        let head = try readHead(bytes)
        #expect(head.tracks.map(\.number) == [1])
        #expect(head.damages.map(\.error.code) == [.missing], "no Info")
    }

    @Test("damage in front of the first Cluster: the Cluster is found, the loss is told")
    func damagedHead() throws {
        let garbage: [UInt8] = [0x00, 0x1F, 0x43, 0xB6, 0x75, 0x81, 0, 0, 0, 0, 0, 0]
        let start = film(EBML.master(.info), EBML.master(.tracks, SampleFilm.Track.video))
        let bytes = film(EBML.master(.info), EBML.master(.tracks, SampleFilm.Track.video), garbage, SampleFilm.firstCluster)
        for feeding in Feeding.all {
            let head = try readHead(bytes, feeding)
            #expect(head.firstCluster == UInt64(start.count + garbage.count))
            #expect(head.damages.map(\.lost) == [FileRange(offset: UInt64(start.count), end: UInt64(start.count + garbage.count))])
        }
    }

    @Test("limits: too many tracks and cues, too large entries")
    func limits() throws {
        var limits = MatroskaLimits()
        limits.tracks = 2
        limits.cues = 1
        let film = SampleFilm()
        let head = try readHead(film.bytes, limits: limits)
        #expect(head.tracks.count == 2 && head.cues?.count == 1)
        #expect(head.damages.map(\.error.code) == [.tooMany, .tooMany])
        limits = MatroskaLimits()
        limits.elementBytes = 50
        let small = try readHead(film.bytes, limits: limits)
        #expect(small.tracks.map(\.number) == [2, 3])
        #expect(small.damages.contains { $0.error.code == .tooLarge && $0.error.path == "Segment.Tracks.TrackEntry" })
    }

    @Test("limits count over all sections: bytes, tags, chapters, languages, mappings and what is of no use")
    func totals() throws {
        func damages(_ sections: [UInt8]..., change: (inout MatroskaLimits) -> Void = { _ in }) throws -> [String] {
            var limits = MatroskaLimits()
            change(&limits)
            let bytes = film(EBML.master(.info), EBML.master(.tracks, SampleFilm.Track.audio), Array(sections.joined()))
            return try readHead(bytes, limits: limits).damages.map { "\($0.error.code) \($0.error.path)" }
        }
        let simple = EBML.master(.simpleTag, EBML.text(.tagName, "x"))
        let tags = EBML.master(.tags, EBML.master(.tag, simple, simple, simple), EBML.master(.tag, simple, simple, simple))
        #expect(try damages(tags) == [])
        #expect(try damages(tags, change: { $0.entries = 5 }) == ["tooMany Segment.Tags.Tag.SimpleTag"])
        #expect(try damages(tags, change: { $0.headBytes = UInt64(SampleFilm.Track.audio.count) + 20 }).contains("tooMany Segment.Tags.Tag"))
        let display = EBML.master(.chapterDisplay, EBML.text(.chapString, "x"), EBML.text(.chapLanguage, "de"), EBML.text(.chapLanguage, "fr"))
        let chapters = EBML.master(.chapters, EBML.master(.editionEntry, EBML.master(.chapterAtom, display, display)))
        #expect(try damages(chapters) == [])
        #expect(try damages(chapters, change: { $0.entries = 5 }) == ["tooMany Segment.Chapters.EditionEntry.ChapterAtom.ChapterDisplay"])
        let void = Array(repeatElement(EBML.void(0), count: 5).joined())
        let attached = EBML.master(.attachments, EBML.master(.attachedFile, void))
        #expect(try damages(EBML.master(.tags, void), attached) == [])
        #expect(
            try damages(EBML.master(.tags, void), attached, change: { $0.strangers = 4 }) == [
                "tooMany Segment.Tags.Void", "tooMany Segment.Attachments.AttachedFile.Void",
            ])
        let mapping = EBML.master(.blockAdditionMapping)
        let track = EBML.master(
            .trackEntry, EBML.unsigned(.trackNumber, 9), EBML.text(.codecID, "x"), Array(repeatElement(mapping, count: 65).joined()))
        let head = try readHead(film(EBML.master(.info), EBML.master(.tracks, track, SampleFilm.Track.audio)))
        #expect(head.tracks.map(\.number) == [2] && head.damages.map(\.error.code) == [.tooMany])
    }

    @Test("chapters and tags inside each other end at the depth limit")
    func depth() throws {
        var chapter = EBML.master(.chapterAtom, EBML.unsigned(.chapterTimeStart, 1))
        var tag = EBML.master(.simpleTag, EBML.text(.tagName, "x"))
        for _ in 0..<40 {
            chapter = EBML.master(.chapterAtom, chapter)
            tag = EBML.master(.simpleTag, tag)
        }
        let head = try readHead(
            film(
                EBML.master(.info), EBML.master(.tracks, SampleFilm.Track.video),
                EBML.master(.chapters, EBML.master(.editionEntry, chapter)), EBML.master(.tags, EBML.master(.tag, tag))))
        #expect(head.damages.map(\.error.code) == [.tooMany, .tooMany])
        #expect(head.editions.isEmpty && head.tags.isEmpty)
    }

    @Test("a file cut at any byte gives a head or an error, never more than the whole")
    func cutAnywhere() throws {
        let film = SampleFilm()
        for count in 0..<film.bytes.count {
            do {
                let head = try readHead(Array(film.bytes.prefix(count)))
                #expect(head.segment.isTruncated)
                #expect(head.tracks.count <= 3 && !head.tracks.isEmpty)
                #expect(head.segment.end == UInt64(count))
            } catch is MatroskaError {
                #expect(count < film.cluster, "\(count)")
            }
        }
    }
}
