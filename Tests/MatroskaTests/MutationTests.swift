import Bytes
import TestSupport
import Testing

@testable import Matroska

@Suite("Hostile files") struct MutationTests {
    /// Changes a few bytes, bits or runs.
    private func mutate(_ original: [UInt8], _ random: inout RepeatableRandom) -> [UInt8] {
        var bytes = original
        for _ in 0...random.next() % 4 {
            guard !bytes.isEmpty else { break }
            let place = Int(random.next() % UInt64(bytes.count))
            let length = min(bytes.count - place, Int(random.next() % 12))
            switch random.next() % 6 {
            case 0: bytes[place] ^= 1 << UInt8(random.next() % 8)
            case 1: bytes[place] = [0, 0xFF, 0x80, 0x7F, 0x01, 0x1F, 0xA0, 0xA3, 0xEC][Int(random.next() % 9)]
            case 2: bytes.removeSubrange(place..<place + length)
            case 3: bytes.insert(contentsOf: random.bytes(length), at: place)
            case 4: bytes.insert(contentsOf: bytes[place..<place + length], at: Int(random.next() % UInt64(bytes.count)))
            default: bytes.removeLast(bytes.count - place)
            }
        }
        return bytes
    }

    @Test("thousands of damaged files: no trap, no circle, nothing asked or told outside of the file, the same in all pieces")
    func mutations() throws {
        let film = SampleFilm()
        var random = RepeatableRandom.forTest()
        for round in 0..<(TestTools.isLongRun ? 40_000 : 1500) {
            let bytes = mutate(film.bytes, &random)
            let size = UInt64(bytes.count)
            let head = Result { try readHead(bytes, .asked) }
            let other = Result { try readHead(bytes, round % 2 == 0 ? .whole : .blocks(32)) }
            #expect(same(head, other), "round \(round), seed \(random.seed)")
            var start = UInt64(min(film.cluster, bytes.count)), end = size
            switch head {
            case .success(let head):
                for attachment in head.attachments { #expect(attachment.data.end <= size) }
                for damage in head.damages { #expect(damage.lost.isEmpty || damage.lost.end <= size) }
                for cue in head.cues ?? [] { #expect(cue.clusterPosition < size) }
                start = head.firstCluster ?? start
                end = head.segment.end
            case .failure(let error): #expect(error is MatroskaError, "\(error), round \(round), seed \(random.seed)")
            }
            let walker = ClusterWalker(at: start, end: end, tracks: round % 3 == 0 ? nil : [1, 2, 3])
            let steps = try walk(walker, bytes, .asked)
            #expect(try walk(walker, bytes, round % 2 == 0 ? .blocks(16) : .whole) == steps, "round \(round), seed \(random.seed)")
            checkOrder(steps, size: size, "round \(round), seed \(random.seed)")
        }
    }

    @Test("damaged files byte by byte")
    func mutationsByteByByte() throws {
        let film = SampleFilm()
        var random = RepeatableRandom.forTest(fallback: 5)
        for round in 0..<300 {
            let bytes = mutate(film.bytes, &random)
            #expect(same(Result { try readHead(bytes, .byteByByte) }, Result { try readHead(bytes) }), "round \(round), seed \(random.seed)")
            let walker = ClusterWalker(at: UInt64(min(film.cluster, bytes.count)), end: UInt64(bytes.count))
            #expect(try walk(walker, bytes, .byteByByte) == walk(walker, bytes), "round \(round), seed \(random.seed)")
        }
    }

    @Test("every single bit of the sample flipped")
    func everyBit() throws {
        let film = SampleFilm()
        for index in film.bytes.indices {
            for bit in 0..<8 {
                var bytes = film.bytes
                bytes[index] ^= 1 << UInt8(bit)
                do { _ = try readHead(bytes, .whole) } catch { #expect(error is MatroskaError, "byte \(index), bit \(bit): \(error)") }
                checkOrder(try walk(bytes, from: film.cluster, tracks: [1, 2, 3], .whole), size: UInt64(bytes.count), "byte \(index), bit \(bit)")
            }
        }
    }

    @Test("bytes without any sense")
    func noise() throws {
        var random = RepeatableRandom.forTest(fallback: 6)
        for round in 0..<2000 {
            let noise = random.bytes(Int(random.next() % 200))
            let bytes = EBML.header() + EBML.id(.segment) + EBML.unknownSize() + EBML.master(.tracks, SampleFilm.Track.audio) + noise
            _ = try readHead(bytes)
            checkOrder(try walk(noise), size: UInt64(noise.count), "round \(round), seed \(random.seed)")
        }
    }

    /// Blocks come in the order of the file, without overlap, inside it, frames inside their block.
    private func checkOrder(_ steps: [ClusterWalker.Step], size: UInt64, _ comment: Comment) {
        var last: UInt64 = 0
        for block in steps.blocks {
            #expect(block.element.offset >= last && block.element.end <= size, comment)
            last = block.element.end
            for frame in block.frames { #expect(block.element.contains(frame) || frame.isEmpty, comment) }
            for addition in block.additions { #expect(block.element.contains(addition.data), comment) }
        }
        for damage in steps.damages { #expect(damage.lost.end <= size, comment) }
    }

    private func same(_ left: Result<MatroskaHead, any Error>, _ right: Result<MatroskaHead, any Error>) -> Bool {
        switch (left, right) {
        case (.success(let left), .success(let right)):
            return left.tracks == right.tracks && left.cues == right.cues && left.tags == right.tags && left.editions == right.editions
                && left.attachments == right.attachments && left.damages == right.damages && left.firstCluster == right.firstCluster
                && left.info == right.info && left.segment == right.segment && left.seekEntries == right.seekEntries
        case (.failure(let left as MatroskaError), .failure(let right as MatroskaError)): return left == right
        default: return false
        }
    }
}
