import Bytes
import Testing

@testable import Matroska

@Suite("Walking Clusters") struct ClusterWalkerTests {
    private let film = SampleFilm()

    @Test("every block of the sample, with times, keys, laces, groups and additions, in whatever pieces", arguments: Feeding.all)
    func everyBlock(feeding: Feeding) throws {
        let steps = try walk(film.bytes, from: film.cluster, tracks: [1, 2, 3], feeding)
        let blocks = steps.blocks
        #expect(steps.damages == [])
        #expect(steps.end == .segmentEnd)
        #expect(blocks.map(\.track) == [1, 2, 3, 1, 1, 1])
        #expect(blocks.map(\.timestamp) == [1000, 997, 1020, 1040, 2080, 2120])
        #expect(blocks.map(\.isKeyframe) == [true, true, true, false, false, true])
        #expect(
            blocks.map { block in block.frames.map { String(decoding: film.bytes[$0], as: UTF8.self) } } == [
                ["picture one"], ["aaa", "bbbb", "c"], ["Hello"], ["picture two"], ["picture three"], ["four"],
            ])
        #expect(blocks.map(\.duration) == [nil, nil, 500, nil, nil, nil])
        #expect(blocks[4].discardPadding == -5)
        #expect(blocks[4].additions.map(\.id) == [4, 1])
        #expect(blocks[4].additions.map { film.bytes[$0.data] } == [[7, 7], [8]])
        #expect(blocks.map(\.isDiscardable) == [false, false, false, false, false, true])
        #expect(blocks.map(\.isInvisible) == [false, false, false, false, false, true])
        #expect(
            blocks.map(\.cluster) == [UInt64](repeating: UInt64(film.cluster), count: 4) + [UInt64](repeating: UInt64(film.secondCluster), count: 2))
        let clusters = steps.compactMap { if case .cluster(let start) = $0 { start } else { nil } }
        #expect(clusters.map(\.timestamp) == [1000, 2000])
        #expect(clusters.map { $0.end == nil } == [false, true])
    }

    @Test("payloads are not asked for")
    func headersOnly() throws {
        let big = [UInt8](repeating: 0xA3, count: 500_000)
        let bytes = EBML.master(
            .cluster, EBML.unsigned(.timestamp, 0), EBML.simpleBlock(1, 0, key: true, big), EBML.simpleBlock(1, 1, big),
            EBML.master(.blockGroup, EBML.binary(.block, EBML.block(1, 2, big)), EBML.unsigned(.blockDuration, 1)))
        var walker = ClusterWalker(at: 0, end: UInt64(bytes.count))
        var file = FileUnderTest(bytes, .asked), piece = FilePiece.empty, read = 0, blocks = 0
        loop: while true {
            switch walker.next(piece) {
            case .need(let range):
                piece = try file.piece(range)
                read += piece.bytes.count
            case .end: break loop
            case .block: blocks += 1
            case .cluster: break
            case .damage(let damage): Issue.record("\(damage)")
            }
        }
        #expect(blocks == 3)
        #expect(read < 200)
    }

    @Test("a walker made anew at any block goes on with the same blocks")
    func resumes() throws {
        let whole = try walk(film.bytes, from: film.cluster, tracks: [1, 2, 3]).blocks
        var walker = ClusterWalker(at: UInt64(film.cluster), end: UInt64(film.bytes.count), tracks: [1, 2, 3])
        let piece = FilePiece(offset: 0, bytes: film.bytes)
        var told = 0
        while true {
            let again = ClusterWalker(at: walker.position, in: walker.cluster, end: UInt64(film.bytes.count), tracks: [1, 2, 3])
            if walker.cluster != nil || told == 0 { #expect(try walk(again, film.bytes).blocks == Array(whole.dropFirst(told))) }
            switch walker.next(piece) {
            case .block(let block):
                #expect(walker.position == block.element.end)
                told += 1
            case .end:
                #expect(told == whole.count)
                return
            default: continue
            }
        }
    }

    @Test("a cue's relative position leads to its block")
    func cuePosition() throws {
        var check = ClusterCheck(at: UInt64(film.cluster), end: UInt64(film.bytes.count))
        guard case .valid(let start) = check.next(FilePiece(offset: 0, bytes: film.bytes)) else {
            Issue.record("not read")
            return
        }
        let relative = UInt64(EBML.unsigned(.timestamp, 1000).count + EBML.unsigned(.prevSize, 9).count)
        let walker = ClusterWalker(at: start.dataStart + relative, in: start, end: UInt64(film.bytes.count))
        #expect(try walk(walker, film.bytes).blocks.first?.timestamp == 1000)
    }

    @Test("blocks of tracks that the file does not have are passed over")
    func otherTracks() throws {
        #expect(try walk(film.bytes, from: film.cluster, tracks: [2]).blocks.map(\.track) == [2])
    }

    @Test("a second document ends the walk")
    func joined() throws {
        let bytes = SampleFilm.laterCluster + film.bytes
        let steps = try walk(bytes)
        #expect(steps.blocks.count == 2 && steps.end == .nextDocument && steps.damages == [])
    }

    @Test("a Cluster whose size is too small loses what is behind it, and is told")
    func smallCluster() throws {
        let small = EBML.master(.cluster, EBML.unsigned(.timestamp, 5), EBML.simpleBlock(1, 0, [1]))
        let bytes = small + EBML.simpleBlock(1, 1, [1]) + SampleFilm.firstCluster
        let steps = try walk(bytes)
        #expect(steps.blocks.map(\.timestamp) == [5, 1000, 997, 1020, 1040])
        #expect(steps.damages.map(\.error.code) == [.wrongPosition])
    }

    @Test("a block in front of its Cluster's Timestamp is told as lost, the rest is not")
    func lateTimestamp() throws {
        let bytes = EBML.master(.cluster, EBML.simpleBlock(1, 0, [1]), EBML.unsigned(.timestamp, 5), EBML.simpleBlock(1, 1, [1]))
        let steps = try walk(bytes)
        #expect(steps.blocks.map(\.timestamp) == [6])
        #expect(steps.damages.map(\.error.code) == [.missing])
    }

    @Test(
        "a bad lace, track number 0 and a block without room cost that block only",
        arguments: [
            EBML.simpleBlock(1, 0, flags: 0x04, [2, 9, 9, 9, 9]), EBML.binary(.simpleBlock, [0x80, 0, 0, 0, 1]),
            EBML.binary(.simpleBlock, [0x81, 0]), EBML.simpleBlock(1, 0, flags: 0x02, []), EBML.master(.blockGroup, EBML.unsigned(.blockDuration, 1)),
            EBML.master(.blockGroup, EBML.binary(.block, [0x81])),
        ])
    func badBlock(bad: [UInt8]) throws {
        let bytes = EBML.master(.cluster, EBML.unsigned(.timestamp, 5), EBML.simpleBlock(1, 1, [1]), bad, EBML.simpleBlock(1, 2, [1]))
        for feeding in Feeding.all {
            let steps = try walk(bytes, feeding)
            #expect(steps.blocks.map(\.timestamp) == [6, 7])
            #expect(steps.damages.map(\.lost.count) == [UInt64(bad.count)])
        }
    }

    @Test("laces whose sizes go on for long are asked for, and end at the limit")
    func longLace() throws {
        let sizes = [UInt64](repeating: 3000, count: 256)
        let payload = laceHead(1, sizes) + [UInt8](repeating: 1, count: 256 * 3000)
        let bytes = EBML.master(.cluster, EBML.unsigned(.timestamp, 0), EBML.simpleBlock(1, 0, flags: 0x02, payload))
        #expect(try walk(bytes).blocks.first?.frames.map(\.count) == sizes)
        var limits = MatroskaLimits()
        limits.laceBytes = 100
        let steps = try walk(ClusterWalker(at: 0, end: UInt64(bytes.count), limits: limits), bytes)
        #expect(steps.blocks.isEmpty && steps.damages.map(\.error.code) == [.badLacing])
    }

    @Test("times at the ends of what is counted are held")
    func extremeTimes() throws {
        let bytes = EBML.master(.cluster, EBML.unsigned(.timestamp, UInt64(Int64.max)), EBML.simpleBlock(1, 9, [1]), EBML.simpleBlock(1, -9, [1]))
        let blocks = try walk(bytes).blocks
        #expect(blocks.map(\.timestamp) == [.max, .max - 9])
        #expect(blocks[0].timestamp(trackScale: 1e300) == .max)
        let beyond = EBML.master(.cluster, EBML.unsigned(.timestamp, UInt64(Int64.max) + 1), EBML.simpleBlock(1, 9, [1])) + SampleFilm.firstCluster
        let steps = try walk(beyond)
        #expect(steps.blocks.count == 4 && steps.damages.map(\.error.code) == [.badValue])
    }

    @Test("no bytes at all, and a start behind the end")
    func nothing() throws {
        #expect(try walk([]) == [.end(.segmentEnd)])
        #expect(try walk(ClusterWalker(at: 10, end: 5), []) == [.end(.segmentEnd)])
    }
}
