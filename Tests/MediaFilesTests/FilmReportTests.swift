import MP4
import MPEGTransport
import Matroska
import Remux
import TestSupport
import Testing

@testable import MediaFiles

@Suite("What is said of a film", .enabled(if: MediaMaker.isAvailable))
struct FilmReportTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("report") }

    private func probe(_ path: String, readsAll: Bool = true) throws -> FilmReport {
        try FilmProbe.report(path: path, readsAll: readsAll, isCancelled: { false }, onProgress: { _, _ in })
    }

    private func remux(_ path: String) throws -> RemuxReport {
        try Remuxer.run(
            RemuxRequest(input: path, output: "\(directory.path)/out.mp4", replaces: true), isCancelled: { false }, onProgress: { _, _ in })
    }

    /// Whether a word in it is none of the language: `badTimestamp`.
    private func hasCodeName(_ text: String) -> Bool {
        zip(text, text.dropFirst()).contains { $0.isLowercase && $1.isUppercase }
    }

    @Test("damage of transport streams is told in words", arguments: TransportDamage.Kind.allCases)
    func words(_ kind: TransportDamage.Kind) {
        let words = TransportDamage(kind, offset: 7, pid: 256).words
        #expect(words.contains(" ") && words.contains("256") && !hasCodeName(words))
    }

    @Test("damage of Matroska is told in words")
    func matroskaWords() {
        let error = MatroskaError(.wrongChecksum, path: "Segment.Cluster", offset: 7)
        #expect(error.words == "Segment.Cluster: its checksum does not agree")
    }

    @Test("more damage than is told is counted")
    func count() async throws {
        let path = "\(directory.path)/film.ts"
        try await MediaMaker.makeFilm(at: path, seconds: 2)
        var film = try FileTree.read(path)
        // transport_error_indicator, in every other packet behind the head.
        for packet in stride(from: 200, to: film.count / 188, by: 2) { film[packet * 188 + 1] |= 0x80 }
        try FileTree.write(film, to: path)
        let report = try probe(path)
        #expect(report.damageCount > report.damages.count)
        #expect(report.damageCount > 200)
        #expect(report.damages.allSatisfy { !hasCodeName($0.detail) })
    }

    @Test("a jump of the clock that was closed is no damage, and is told")
    func jump() async throws {
        let path = "\(directory.path)/film.ts"
        try await MediaMaker.makeFilm(at: path, seconds: 2)
        let film = try FileTree.read(path)
        try FileTree.write(film + film, to: path)
        for report in [try probe(path), try remux(path).film] {
            #expect(report.notes.contains { $0.contains("clock jumps") })
            #expect(report.damages.allSatisfy { !$0.detail.contains("clock") })
        }
    }

    /// A film with chapters, a cover and a track of text as given.
    private func merged(chapters: String, cover: [UInt8]) async throws -> String {
        let film = "\(directory.path)/film.mkv", result = "\(directory.path)/merged.mkv"
        try await MediaMaker.makeFilm(at: film, seconds: 1)
        let list = try directory.file(
            "chapters.xml", "<?xml version=\"1.0\"?>\n<Chapters><EditionEntry>\(chapters)</EditionEntry></Chapters>\n")
        let image = "\(directory.path)/cover.jpg"
        try FileTree.write(cover, to: image)
        let text = try directory.file("in.srt", "1\n00:00:00,100 --> 00:00:00,900\n<i></i>\n\n")
        try await Command(
            ["mkvmerge", "-q", "-o", result, "--chapters", list, "--attachment-name", "cover.jpg", "--attach-file", image, film, text], deadline: 60
        ).check()
        return result
    }

    private func chapter(_ milliseconds: Int, _ inside: String = "") -> String {
        let time = "00:00:00." + String(repeating: "0", count: 3 - String(milliseconds).count) + String(milliseconds)
        return "<ChapterAtom><ChapterTimeStart>\(time)</ChapterTimeStart>\(inside)</ChapterAtom>"
    }

    @Test("chapters, covers and empty subtitles that do not go in are told", .enabled(if: TestTools.has("mkvmerge")))
    func leftOut() async throws {
        let chapters = (0..<260).map { chapter($0, $0 == 3 ? chapter(500) + chapter(501) : "") }.joined()
        let path = try await merged(chapters: chapters, cover: Array("BM, no image that an MP4 has".utf8))
        for report in [try probe(path), try remux(path).film] {
            #expect(!report.hasCover)
            #expect(
                report.notes == [
                    "2 chapters inside of others are left out: an MP4 has one level of them", "5 chapters are left out: the list of an MP4 holds 255",
                    "the cover is left out: it is neither JPEG nor PNG",
                ])
            let text = try #require(report.tracks.first { $0.kind == "subtitle" })
            #expect(!text.isCarried && text.note == "is left out: there is no text in it")
        }
    }

    @Test("what goes in has no note", .enabled(if: TestTools.has("mkvmerge")))
    func nothingLeftOut() async throws {
        let path = try await merged(chapters: chapter(0) + chapter(500), cover: [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 99))
        let report = try probe(path)
        #expect(report.hasCover && report.notes.isEmpty && report.damageCount == 0 && report.chapters.count == 2)
    }

    @Test("times that no MP4 has room for refuse the film in plain words")
    func beyond() throws {
        let output = try OutputFile(path: "\(directory.path)/out.mp4", replaces: false)
        var table = SampleTableBuilder()
        let error = #expect(throws: MediaFileError.self) {
            try output.representable { () throws(MP4Error) in
                for time in [10, 9] { try table.append(TimedSample(size: 1, decodeTime: Int64(time), duration: 1), at: 0) }
            }
        }
        #expect(error?.code == .refused)
        #expect(error?.detail.contains("stbl") == false)
        #expect(error?.detail.contains("decoding time 9 after 10") == true)
    }
}
