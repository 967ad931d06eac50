import Bytes
import Codecs
import MPEGTransport
import TestSupport
import Testing

@testable import Remux

@Suite("Virtual MP4s of transport streams", .enabled(if: MediaMaker.isAvailable))
struct TransportMovieTests {
    private func film(seconds: Int, size: String = "1280x720", name: String = "film.ts") async throws -> [UInt8] {
        let directory = try TemporaryDirectory("transport")
        let path = "\(directory.path)/\(name)"
        try await MediaMaker.makeFilm(at: path, seconds: seconds, size: size)
        return try FileTree.read(path)
    }

    @Test("each picture and frame of sound is in the file once, with its own times")
    func frames() async throws {
        let source = try await film(seconds: 14)
        let movie = try MovieUnderTest(source, name: "film.ts", surplus: 1 << 20)
        #expect(movie.movie.mode == .grid && movie.movie.regions.count > 1)
        let file = movie.dump()
        #expect(UInt64(file.count) == VirtualSize.transport(source: UInt64(source.count)).total)
        let reader = try MovieReader(file)
        #expect(reader.faults(fileSize: UInt64(file.count)) == [])
        #expect(movie.worst == .nothing)
        for (track, units) in try Self.units(source).sorted(by: { $0.key < $1.key }) {
            let id = UInt32(track + 1), samples = reader.samples[id] ?? []
            let expected = units.map { track == 0 ? AnnexB.lengthPrefixed($0.bytes) : $0.bytes }
            let areSame = samples.map(\.bytes) == expected
            #expect(areSame, "track \(id): \(samples.count) of \(units.count)")
            let start = try #require(Self.units(source).values.compactMap(\.first?.dts).min())
            let scale = Double(reader.timescale(id))
            let off = zip(samples, units).map { abs(Double($0.shown) / scale - Double($1.pts - start) / 90_000) }.max() ?? 0
            #expect(off <= (track == 0 ? 0 : 0.0021), "track \(id) is \(off) s off")
        }
        // Each region begins with what counts as a keyframe.
        let first = Dictionary(grouping: reader.samples[1] ?? [], by: \.fragment)
        #expect(first.values.allSatisfy { $0[0].isSync })
    }

    private static func units(_ source: [UInt8]) throws -> [Int: [TransportUnit]] {
        var parser = TransportHeadParser()
        while true {
            switch parser.feed(Array(source[Int(parser.position)..<min(source.count, Int(parser.position) + 65536)])) {
            case .more: continue
            case .failed(let error): throw error
            case .done(let head):
                var walker = TransportWalker(head)
                let events = walker.feed(source) + walker.finish()
                return Dictionary(grouping: events.compactMap { if case .unit(let unit) = $0 { unit } else { nil } }, by: \.track)
            }
        }
    }

    @Test("any bytes are those of the whole file, whatever was read before and however pieces are cut")
    func anyBytes() async throws {
        let source = try await film(seconds: 14)
        let whole = try MovieUnderTest(source, name: "film.ts", surplus: 1 << 20).dump()
        var random = RepeatableRandom.forTest()
        for surplus: UInt64 in [0, 1000, 300_000] {
            let movie = try MovieUnderTest(source, name: "film.ts", surplus: surplus)
            for _ in 0..<2 {
                let offset = random.next() % UInt64(whole.count), count = 1 + random.next() % 400_000
                let end = min(whole.count, Int(offset + count))
                let agrees = movie.read(offset, count) == Array(whole[Int(offset)..<end])
                #expect(agrees, "\(count) bytes at \(offset), surplus \(surplus), seed \(random.seed)")
            }
        }
    }

    @Test("opening reads at most 2.5 MiB, and header and tail nothing more")
    func cost() async throws {
        let movie = try MovieUnderTest(try await film(seconds: 14), name: "film.ts")
        #expect(movie.opened.reduce(0) { $0 + $1.count } <= 5 << 19)
        _ = movie.read(0, movie.movie.regions.start)
        _ = movie.read(movie.movie.size - VirtualSize.tail, VirtualSize.tail)
        #expect(movie.fetched.isEmpty)
    }

    @Test("a name that lies decides the size, and the content the rest")
    func falseName() async throws {
        let source = try await film(seconds: 2, size: "320x180")
        let movie = try MovieUnderTest(source, name: "film.mkv")
        #expect(movie.movie.size == VirtualSize.matroska(source: UInt64(source.count)).total)
        #expect(movie.movie.mode == .grid)
    }
}
