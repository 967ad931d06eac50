import TestSupport
import Testing

@testable import MediaFiles

@Suite("Damaged films", .enabled(if: MediaMaker.isAvailable))
struct MutatedFilmTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("mutated") }

    /// A film with some bytes changed, cut out, doubled or put in: what broken downloads and hostile people make.
    private func mutated(_ film: [UInt8], _ random: inout RepeatableRandom) -> [UInt8] {
        var bytes = film
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            guard bytes.count > 64 else { break }
            let head = Bool.random(using: &random)
            let place = Int.random(in: 0..<(head ? min(bytes.count, 1200) : bytes.count), using: &random)
            let length = min(Int.random(in: 1...400, using: &random), bytes.count - place)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            case 2: bytes.removeSubrange(place..<place + length)
            case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: Int.random(in: 0...bytes.count, using: &random))
            case 4: for index in place..<place + length { bytes[index] = UInt8.random(in: 0...255, using: &random) }
            default: bytes.removeLast(min(length * 20, bytes.count / 2))
            }
        }
        return bytes
    }

    @Test("whatever is damaged, a film is carried or refused, and nothing crashes or hangs", arguments: ["film.mkv", "film.ts"])
    func mutations(_ name: String) async throws {
        let path = "\(directory.path)/\(name)", damaged = "\(directory.path)/damaged-\(name)", out = "\(directory.path)/\(name).mp4"
        try await MediaMaker.makeFilm(at: path, seconds: 1, size: "128x72")
        let film = try FileTree.read(path)
        var random = RepeatableRandom(seed: 20_261_201)
        let layouts: [RemuxRequest.Layout] = [.progressive, .fastStart, .fragmented]
        var carried = 0
        for round in 0..<(TestTools.isLongRun ? 20_000 : 150) {
            try FileTree.write(mutated(film, &random), to: damaged)
            do throws(MediaFileError) {
                _ = try FilmProbe.report(path: damaged, readsAll: true, isCancelled: { false }, onProgress: { _, _ in })
                let report = try Remuxer.run(
                    RemuxRequest(input: damaged, output: out, layout: layouts[round % 3], replaces: true), isCancelled: { false },
                    onProgress: { _, _ in })
                carried += 1
                #expect(report.bytes > 0)
            } catch {
                #expect(!error.detail.isEmpty)
            }
        }
        // Most damage costs a few frames, not the film.
        #expect(carried > 30)
    }

    @Test("numbers at their extremes, anywhere in the head and the first frames, trap nothing", arguments: ["film.mkv", "film.ts"])
    func extremes(_ name: String) async throws {
        let path = "\(directory.path)/\(name)", damaged = "\(directory.path)/extreme-\(name)", out = "\(directory.path)/\(name).mp4"
        try await MediaMaker.makeFilm(at: path, seconds: 1, size: "128x72")
        let film = try FileTree.read(path)
        let patterns: [[UInt8]] = [
            [0x7F] + [UInt8](repeating: 0xFF, count: 7), [0x80] + [UInt8](repeating: 0, count: 7), [UInt8](repeating: 0xFF, count: 8),
            [UInt8](repeating: 0, count: 8),
        ]
        var tried = 0
        for place in stride(from: 0, to: min(1500, film.count - 8), by: TestTools.isLongRun ? 1 : 7) {
            for (index, pattern) in patterns.enumerated() {
                for length in [8, 4, 1] {
                    var bytes = film
                    bytes.replaceSubrange(place..<place + length, with: pattern.prefix(length))
                    try FileTree.write(bytes, to: damaged)
                    let layout: RemuxRequest.Layout = index % 2 == 0 ? .progressive : .fragmented
                    _ = try? Remuxer.run(
                        RemuxRequest(input: damaged, output: out, layout: layout, replaces: true), isCancelled: { false }, onProgress: { _, _ in })
                    tried += 1
                }
            }
        }
        #expect(tried > 2000)
    }

    @Test("a film that is cut short anywhere is carried up to there, or refused", arguments: ["film.mkv", "film.ts"])
    func cut(_ name: String) async throws {
        let path = "\(directory.path)/\(name)", damaged = "\(directory.path)/cut-\(name)", out = "\(directory.path)/\(name).mp4"
        try await MediaMaker.makeFilm(at: path, seconds: 1, size: "128x72")
        let film = try FileTree.read(path)
        var sizes: [UInt64] = []
        for part in 0...20 {
            try FileTree.write(Array(film.prefix(film.count * part / 20)), to: damaged)
            do throws(MediaFileError) {
                let report = try Remuxer.run(
                    RemuxRequest(input: damaged, output: out, replaces: true), isCancelled: { false }, onProgress: { _, _ in })
                sizes.append(report.bytes)
            } catch {
                #expect(part < 10, "\(error)")
            }
        }
        #expect(sizes == sizes.sorted())
        #expect(sizes.count > 10)
    }

    @Test("stopping gives a typed error and leaves nothing")
    func cancelled() async throws {
        let path = "\(directory.path)/film.mkv", place = try directory.directory("out")
        try await MediaMaker.makeFilm(at: path, seconds: 1)
        let error = #expect(throws: MediaFileError.self) {
            try Remuxer.run(RemuxRequest(input: path, output: "\(place)/a.mp4"), isCancelled: { true }, onProgress: { _, _ in })
        }
        #expect(error?.code == .cancelled)
        #expect(try FileTree.names(place).isEmpty)
    }
}
