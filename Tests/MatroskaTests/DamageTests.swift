import Bytes
import TestSupport
import Testing

@testable import Matroska

@Suite("Going on behind damage") struct DamageTests {
    private let good = SampleFilm.firstCluster

    @Test("garbage between Clusters costs nothing but itself", arguments: Feeding.all)
    func garbageBetween(feeding: Feeding) throws {
        // Zeros; text; what looks like elements of many sizes; a Cluster ID without a Cluster behind it.
        let kinds: [[UInt8]] = [
            [UInt8](repeating: 0, count: 33), Array("HTTP/1.1 502 Bad Gateway".utf8), [0xEC, 0x85, 1, 2, 3], [0xA3, 0x9F, 0x81, 0, 0],
            EBML.id(.cluster) + [0x88, 0xE7, 0x81, 1, 0x42, 9, 9, 9, 9], [0xEC, 0x40, 0x40, 1, 2, 3, 4, 5], [0x00],
        ]
        for garbage in kinds {
            let bytes = good + garbage + good + garbage
            let steps = try walk(bytes, tracks: [1, 2, 3], feeding)
            #expect(steps.blocks.count == 8, "\(garbage)")
            #expect(steps.blocks.dropFirst(4).first?.element.offset == UInt64(good.count + garbage.count) + firstBlock)
        }
    }

    private var firstBlock: UInt64 { UInt64(EBML.id(.cluster).count + 1 + EBML.unsigned(.timestamp, 1000).count + EBML.unsigned(.prevSize, 9).count) }

    @Test("random garbage between Clusters, many times")
    func randomGarbage() throws {
        var random = RepeatableRandom.forTest(fallback: 3)
        for round in 0..<400 {
            let garbage = random.bytes(Int(random.next() % 300) + 1)
            let steps = try walk(good + garbage + good, tracks: [1, 2, 3])
            #expect(steps.blocks.filter { $0.cluster >= UInt64(good.count) }.count >= 4, "round \(round), seed \(random.seed)")
        }
    }

    @Test("a damaged block size loses the rest of its Cluster, and the loss is told")
    func damagedSize() throws {
        var bytes = good + good
        let place = Int(firstBlock) + 1
        bytes[place] = 0xFE
        let steps = try walk(bytes, tracks: [1, 2, 3])
        #expect(steps.blocks.count == 4)
        // From the last element that proves itself, the Timestamp: a PrevSize of three bytes does not.
        #expect(steps.damages.map(\.lost) == [FileRange(offset: firstBlock - 3, end: UInt64(good.count))])
        #expect(steps.damages.first?.error.path == "Segment.Cluster.SimpleBlock")
        #expect(steps.damages.first?.error.offset == firstBlock)
    }

    @Test("an open size is for Clusters alone")
    func openSize() throws {
        let bytes = EBML.master(.cluster, EBML.unsigned(.timestamp, 1), EBML.id(.blockGroup) + [0xFF]) + good
        let steps = try walk(bytes)
        #expect(steps.blocks.count == 4 && steps.damages.map(\.error.code) == [.unknownSize])
    }

    @Test("a child that ends behind its BlockGroup", arguments: Feeding.all)
    func groupOverrun(feeding: Feeding) throws {
        let group = EBML.id(.blockGroup) + EBML.size(6) + EBML.id(.block) + EBML.size(9) + [0x81, 0, 0, 0, 1, 1, 1, 1, 1]
        let steps = try walk(EBML.open(.cluster, EBML.unsigned(.timestamp, 1), group) + good, feeding)
        #expect(steps.blocks.count == 4 && steps.damages.map(\.error.code) == [.overrun])
        #expect(steps.damages.first?.error.path == "Segment.Cluster.BlockGroup.Block")
    }

    @Test("a file cut at any byte gives every block that is whole, and ends")
    func cutAnywhere() throws {
        let film = SampleFilm()
        let whole = try walk(film.bytes, from: film.cluster, tracks: [1, 2, 3]).blocks
        for count in film.cluster..<film.bytes.count {
            let steps = try walk(Array(film.bytes.prefix(count)), from: film.cluster, tracks: [1, 2, 3])
            #expect(steps.blocks == whole.filter { $0.element.end <= UInt64(count) }, "\(count)")
            for damage in steps.damages { #expect(damage.lost.end <= UInt64(count)) }
        }
    }

    @Test("a search ends at its limit")
    func searchLimit() throws {
        var limits = MatroskaLimits()
        limits.searchBytes = 1000
        for (garbage, found) in [(999, true), (1000, false)] {
            let bytes = [UInt8](repeating: 0, count: garbage) + good
            let steps = try walk(ClusterWalker(at: 0, end: UInt64(bytes.count), limits: limits), bytes, .blocks(64))
            #expect(steps.blocks.count == (found ? 4 : 0))
            #expect(steps.end == (found ? .segmentEnd : .noCluster))
            #expect(steps.damages.count == 1)
        }
    }

    @Test("a search does not go back over a long way that led astray: what a walk costs grows with the file")
    func chains() throws {
        /// Clusters in a chain of Voids, each of which leads through all that follow to the bad byte at the end.
        func pieces(_ count: Int) throws -> Int {
            let trap = EBML.id(.void) + [0x8A] + EBML.open(.cluster, EBML.unsigned(.timestamp, 1), length: 1) + [0xEC, 0x80]
            let bytes = EBML.open(.cluster, EBML.unsigned(.timestamp, 0)) + Array(repeatElement(trap, count: count).joined()) + [0]
            var walker = ClusterWalker(at: 0, end: UInt64(bytes.count)), piece = FilePiece.empty, needs = 0
            while true {
                switch walker.next(piece) {
                case .need(let range):
                    needs += 1
                    piece = FilePiece(offset: range.offset, bytes: bytes[range])
                case .end: return needs
                default: break
                }
            }
        }
        let few = try pieces(500), many = try pieces(2000)
        #expect(many < 6 * few, "\(few) pieces for 500, \(many) for 2000")
    }

    @Test("a Cluster is taken only with a Timestamp and something that fits behind it")
    func check() throws {
        func verdict(_ bytes: [UInt8], _ feeding: Feeding) throws -> ClusterStart? {
            var check = ClusterCheck(at: 0, end: UInt64(bytes.count))
            var file = FileUnderTest(bytes, feeding), piece = file.first
            while true {
                switch check.next(piece) {
                case .need(let range): piece = try file.piece(range)
                case .valid(let start): return start
                case .invalid: return nil
                }
            }
        }
        let block = EBML.simpleBlock(1, 0, [1]), time = EBML.unsigned(.timestamp, 77)
        let crc = EBML.binary(.crc32, [1, 2, 3, 4])
        for feeding in Feeding.all {
            #expect(try verdict(good, feeding)?.timestamp == 1000)
            #expect(try verdict(SampleFilm.laterCluster, feeding)?.timestamp == 2000)
            #expect(try verdict(EBML.master(.cluster, crc, EBML.void(4), EBML.unsigned(.position, 4), time, block), feeding)?.timestamp == 77)
            #expect(try verdict(EBML.master(.cluster, time), feeding)?.timestamp == 77)
            #expect(try verdict(EBML.open(.cluster, time) + EBML.master(.cues, []), feeding)?.timestamp == 77)
            #expect(try verdict(EBML.open(.cluster, time) + good, feeding)?.timestamp == 77)
            #expect(try verdict(EBML.master(.cluster, block, time), feeding) == nil)
            #expect(try verdict(EBML.master(.cluster, crc, crc, crc, crc, crc, time, block), feeding) == nil)
            #expect(try verdict(EBML.master(.cluster, time, [0xA3, 0x90, 0x81]), feeding) == nil)
            #expect(try verdict(EBML.master(.cluster, time, [0x00]), feeding) == nil)
            #expect(try verdict(EBML.master(.cluster, time, EBML.unsigned(.trackNumber, 1)), feeding) == nil)
            #expect(try verdict(EBML.master(.cluster, EBML.binary(.timestamp, [UInt8](repeating: 255, count: 8)), block), feeding) == nil)
            #expect(try verdict(EBML.master(.cues, time), feeding) == nil)
            #expect(try verdict(Array(good.prefix(8)), feeding) == nil)
        }
    }

    @Test("the search finds what a slow search finds", arguments: [Feeding.asked, .blocks(7), .blocks(64), .whole])
    func searchAgainstModel(feeding: Feeding) throws {
        var random = RepeatableRandom.forTest(fallback: 9)
        for round in 0..<40 {
            var bytes: [UInt8] = []
            for _ in 0..<6 {
                switch random.next() % 3 {
                case 0: bytes += good
                case 1: bytes += EBML.id(.cluster) + random.bytes(Int(random.next() % 20))
                default: bytes += random.bytes(Int(random.next() % 50))
                }
            }
            let end = UInt64(bytes.count), start = Int(random.next() % UInt64(bytes.count))
            let expected = (start..<bytes.count).first { place in
                var check = ClusterCheck(at: UInt64(place), end: end)
                if case .valid = check.next(FilePiece(offset: 0, bytes: bytes)) { return true }
                return false
            }
            var search = ClusterSearch(from: UInt64(start), end: end, limit: .max)
            var file = FileUnderTest(bytes, feeding), piece = file.first, found: Int?
            loop: while true {
                switch search.next(piece) {
                case .need(let range): piece = try file.piece(range)
                case .found(let cluster):
                    found = Int(cluster.position)
                    break loop
                case .none: break loop
                }
            }
            #expect(found == expected, "round \(round), seed \(random.seed)")
        }
    }
}
