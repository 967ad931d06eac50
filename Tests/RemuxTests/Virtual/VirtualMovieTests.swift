import Bytes
import MP4
import Matroska
import TestSupport
import Testing

@testable import Remux

@Suite("Virtual MP4s of Matroska films")
struct VirtualMovieTests {
    enum Film: String, CaseIterable, CustomTestStringConvertible {
        case cues, text, longIntervals, hugeFrames, withoutCues, withoutDuration, withoutRelativePositions, soundOnly, falseCue, garbage, brokenTail

        var testDescription: String { rawValue }

        var bytes: [UInt8] {
            var film: FilmWriter
            switch self {
            case .cues, .withoutCues, .withoutDuration, .withoutRelativePositions, .falseCue, .garbage, .brokenTail:
                film = .film(seconds: 30, key: 40_000, picture: 5_000)
            case .text: film = .film(seconds: 40, hasText: true)
            case .longIntervals: film = .film(seconds: 30, gop: 300, key: 300_000, picture: 15_000)
            // Single frames that hardly fit the reserve of their part of an interval.
            case .hugeFrames: film = .film(seconds: 20, gop: 400, key: 600_000, picture: 25_000)
            case .soundOnly:
                film = .film(seconds: 200, key: 1, picture: 1)
                film.frames.removeAll { $0.track == 1 }
            }
            if self == .withoutCues || self == .withoutDuration || self == .garbage { film.hasCues = false }
            if self == .withoutDuration { film.statesDuration = false }
            if self == .withoutRelativePositions { film.hasRelativePositions = false }
            // Three cues are looked at when a file is opened; this is none of them.
            if self == .falseCue { film.misleads = { number, place in (5...7).contains(number) ? place + 12_345 : place } }
            if self == .garbage { film.garbage = [UInt8](repeating: 0, count: 700) }
            let bytes = film.bytes()
            return self == .brokenTail ? Array(bytes.dropLast(bytes.count / 7)) : bytes
        }

        var hasCues: Bool { self != .withoutCues && self != .withoutDuration && self != .garbage && self != .brokenTail }
    }

    @Test("the size follows from the source's size, and the boxes from the layout", arguments: Film.allCases)
    func boxes(_ film: Film) throws {
        let source = film.bytes
        let movie = try MovieUnderTest(source)
        let file = movie.dump()
        #expect(UInt64(file.count) == VirtualSize.matroska(source: UInt64(source.count)).total)
        let reader = try MovieReader(file)
        #expect(reader.faults(fileSize: UInt64(file.count)) == [])
        #expect(reader.fragments.count == movie.movie.regions.count)
        #expect(movie.movie.mode == (film.hasCues ? .cues : .grid))
    }

    @Test("any bytes are those of the whole file, whatever was read before and however pieces are cut", arguments: Film.allCases)
    func anyBytes(_ film: Film) throws {
        let source = film.bytes
        let whole = try MovieUnderTest(source, surplus: 1 << 20).dump()
        var random = RepeatableRandom.forTest()
        for surplus: UInt64 in [0, 1000, 300_000] {
            let movie = try MovieUnderTest(source, surplus: surplus)
            for _ in 0..<2 {
                let offset = random.next() % UInt64(whole.count), count = 1 + random.next() % 400_000
                let end = min(whole.count, Int(offset + count))
                let agrees = movie.read(offset, count) == Array(whole[Int(offset)..<end])
                #expect(agrees, "\(count) bytes at \(offset), surplus \(surplus), seed \(random.seed)")
            }
        }
    }

    @Test("a region built behind its predecessor is the one that is built alone", arguments: [Film.cues, .longIntervals, .hugeFrames, .withoutCues])
    func checkpoints(_ film: Film) throws {
        let movie = try MovieUnderTest(film.bytes, surplus: 1 << 20)
        var checkpoint: RegionBuild.Checkpoint?, used = 0
        for index in 0..<movie.movie.regions.count {
            let region = movie.region(index, from: checkpoint)
            if checkpoint != nil { used += 1 }
            let agrees = region.layout == movie.region(index).layout
            #expect(agrees, "region \(index)")
            checkpoint = region.next
        }
        #expect(used > 0 || film == .cues || film == .withoutCues)
    }

    @Test(
        "each frame is in the file once, with its own time",
        arguments: Film.allCases.filter { $0 != .brokenTail })
    func frames(_ film: Film) throws {
        let writer = Self.frames(of: film)
        let movie = try MovieUnderTest(film.bytes, surplus: 1 << 20)
        let reader = try MovieReader(movie.dump())
        for track in Set(writer.map(\.track)) where track != 3 {
            let frames = writer.filter { $0.track == track }
            let id = UInt32(track == 1 || film == .soundOnly ? 1 : 2)
            let samples = reader.samples[id] ?? []
            let areSame = samples.map(\.bytes) == frames.map(\.bytes)
            #expect(areSame, "track \(track): \(samples.count) of \(frames.count) frames")
            let scale = Double(reader.timescale(id))
            let off = zip(samples, frames).map { abs(Double($0.shown) * 1000 / scale - Double($1.time)) }.max() ?? 0
            #expect(off <= 1.0001, "track \(track) is \(off) ms off")
            if film.hasCues || track == 2 {
                let agree = samples.map(\.isSync) == frames.map(\.isKey)
                #expect(agree, "keyframes of track \(track)")
            }
        }
        #expect(movie.worst == .nothing)
    }

    private static func frames(of film: Film) -> [FilmWriter.Frame] {
        switch film {
        case .text: return FilmWriter.film(seconds: 40, hasText: true).frames
        case .longIntervals: return FilmWriter.film(seconds: 30, gop: 300, key: 300_000, picture: 15_000).frames
        case .hugeFrames: return FilmWriter.film(seconds: 20, gop: 400, key: 600_000, picture: 25_000).frames
        case .soundOnly: return FilmWriter.film(seconds: 200, key: 1, picture: 1).frames.filter { $0.track == 2 }
        default: return FilmWriter.film(seconds: 30, key: 40_000, picture: 5_000).frames
        }
    }

    @Test("subtitles are there with their words, and gaps between them")
    func subtitles() throws {
        let movie = try MovieUnderTest(Film.text.bytes)
        let samples = try MovieReader(movie.dump()).samples[3] ?? []
        let texts = samples.filter { $0.bytes.count > 2 }
        #expect(texts.map { String(decoding: $0.bytes.dropFirst(2), as: UTF8.self) } == (0..<20).map { "Line \($0 * 50 + 10)" })
        #expect(texts.map(\.shown) == (0..<20).map { Int64($0 * 2000 + 400) })
        #expect(texts.allSatisfy { $0.duration == 700 })
        #expect(samples.contains { $0.bytes.count == 2 && $0.duration == 1300 })
    }

    @Test("every region that an index calls an entry begins with a keyframe, at the time it says")
    func entries() throws {
        let movie = try MovieUnderTest(Film.longIntervals.bytes, surplus: 1 << 20)
        let reader = try MovieReader(movie.dump())
        let index = try #require(reader.indices.first).box
        var time = Int64(index.earliestPresentation)
        var entries = 0
        for (number, reference) in index.references.enumerated() {
            let first = reader.samples[1]?.first { $0.fragment == number }
            if reference.access != 0 {
                entries += 1
                #expect(first?.isSync == true)
                #expect(first?.shown == time)
            } else {
                #expect(reference.duration == 0 || number + 1 == index.references.count)
            }
            time += Int64(reference.duration)
        }
        #expect(entries > 1 && entries < index.references.count)
        // Sound is told later than the keyframe, so that players find it.
        let sound = reader.indices[1].box
        #expect(sound.references.allSatisfy { $0.access != 0 })
        #expect(sound.earliestPresentation == 0)
        #expect(sound.references[0].duration > 0)
    }

    @Test("header and tail are answered without the source")
    func noSource() throws {
        let movie = try MovieUnderTest(Film.cues.bytes)
        _ = movie.read(0, movie.movie.regions.start)
        _ = movie.read(movie.movie.size - VirtualSize.tail, VirtualSize.tail)
        #expect(movie.fetched.isEmpty)
        let isSourceFree = (movie.movie.header.pieces + movie.movie.tail.pieces).allSatisfy { if case .source = $0 { false } else { true } }
        #expect(isSourceFree)
        #expect(movie.movie.place(of: movie.movie.size) == nil)
    }

    @Test("opening asks for little: head, Cues, a few first frames, three Clusters")
    func openingCost() throws {
        for film in [Film.cues, .longIntervals, .hugeFrames] {
            let source = film.bytes
            let movie = try MovieUnderTest(source, surplus: 64 << 10)
            let first = UInt64(movie.movie.regions.regions[0].nominal)
            // The Cues are the last element; what is asked before the first frames is the head.
            let beyond = movie.opened.filter { $0.offset >= first && $0.end < UInt64(source.count) - 20_000 }
            #expect(beyond.count <= 7)
            #expect(beyond.reduce(0) { $0 + $1.count } <= 1 << 20)
        }
        let grid = try MovieUnderTest(Film.withoutDuration.bytes, surplus: 64 << 10)
        #expect(grid.opened.reduce(0) { $0 + $1.count } <= 17 << 20)
        #expect(try MovieUnderTest(Film.withoutCues.bytes).opened.reduce(0) { $0 + $1.count } <= 9 << 20)
    }

    @Test("what is no film, or cannot play, is refused")
    func refusals() throws {
        #expect(throws: MovieUnderTest.Refused.self) { try MovieUnderTest(Array("just some text".utf8)) }
        #expect(throws: MovieUnderTest.Refused.self) { try MovieUnderTest([]) }
        var film = FilmWriter.film(seconds: 4)
        film.frames.removeAll { $0.track != 3 }
        #expect(throws: MovieUnderTest.Refused.self) { try MovieUnderTest(film.bytes()) }
    }
}
