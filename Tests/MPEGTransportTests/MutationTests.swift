import Bytes
import TestSupport
import Testing

@testable import MPEGTransport

@Suite("Hostile streams") struct MutationTests {
    private func mutate(_ original: [UInt8], _ random: inout RepeatableRandom) -> [UInt8] {
        var bytes = original
        for _ in 0...random.next() % 6 {
            guard !bytes.isEmpty else { break }
            let place = Int(random.next() % UInt64(bytes.count))
            let length = min(bytes.count - place, Int(random.next() % 400))
            switch random.next() % 7 {
            case 0: bytes[place] ^= 1 << UInt8(random.next() % 8)
            case 1: bytes[place] = [0, 0xFF, 0x47, 0x80, 0x01][Int(random.next() % 5)]
            case 2: bytes.removeSubrange(place..<place + length)
            case 3: bytes.insert(contentsOf: random.bytes(length), at: place)
            case 4:
                bytes.insert(
                    contentsOf: bytes[place..<place + length], at: Int(random.next() % UInt64(bytes.count)))
            case 5:
                // Headers of packets, tables and PES: the first bytes of any packet.
                let head = place / 188 * 188 + Int(random.next() % 20)
                if head < bytes.count { bytes[head] = UInt8(truncatingIfNeeded: random.next()) }
            default: bytes.removeLast(bytes.count - place)
            }
        }
        return bytes
    }

    private func sample() -> [UInt8] {
        var writer = StreamWriter()
        SampleStream.write(into: &writer, pictures: 6, stated: true)
        SampleStream.write(into: &writer, pictures: 6, from: 0x1_FFFF_F000)
        return writer.bytes
    }

    /// What holds of every walk.
    private func check(_ events: [TransportEvent], size: Int, _ comment: Comment) {
        var last: [Int: Int64] = [:]
        for case .unit(let unit) in events {
            #expect(
                unit.source.end <= UInt64(size) && !unit.source.isEmpty && unit.pesOffset < UInt64(size),
                comment)
            #expect(unit.pts >= unit.dts && unit.dts > (last[unit.track] ?? Int64.min), comment)
            #expect(!unit.bytes.isEmpty, comment)
            last[unit.track] = unit.dts
        }
    }

    @Test(
        "damaged streams: no trap, nothing outside of the file, DTS that grow, the same in all pieces")
    func mutations() throws {
        let sample = sample()
        let head = try readHead(sample)
        var random = RepeatableRandom.forTest()
        for round in 0..<(TestTools.isLongRun ? 100_000 : 150) {
            let bytes = mutate(sample, &random)
            let (events, walker) = walk(TransportWalker(head), bytes)
            check(events, size: bytes.count, "round \(round), seed \(random.seed)")
            let (again, other) = walk(
                TransportWalker(head), bytes, piece: round % 8 == 0 ? 1 : 1 + Int(random.next() % 500))
            let isSame =
                events == again && walker.tracks == other.tracks && walker.damages == other.damages
            #expect(isSame, "round \(round), seed \(random.seed)")
            let whole = Result { () throws(TransportError) in try read(bytes) }
            let cut = Result { () throws(TransportError) in try read(bytes, piece: 777) }
            switch (whole, cut) {
            case (.success(let left), .success(let right)):
                let isSame = left == right
                #expect(isSame, "round \(round), seed \(random.seed)")
            case (.failure(let left), .failure(let right)):
                #expect(left.code == right.code, "round \(round), seed \(random.seed)")
            default: Issue.record("one of two heads failed, round \(round), seed \(random.seed)")
            }
        }
    }

    @Test("every bit of the first packets flipped")
    func everyBit() throws {
        let sample = Array(sample().prefix(188 * 8))
        let head = try readHead(self.sample())
        for bit in 0..<sample.count * 8 where bit % (TestTools.isLongRun ? 1 : 17) == 0 {
            var bytes = sample
            bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            check(walk(TransportWalker(head), bytes).0, size: bytes.count, "bit \(bit)")
            _ = try? readHead(bytes)
        }
    }

    @Test("bytes without any sense, and packets without any sense")
    func noise() throws {
        let head = try readHead(sample())
        var random = RepeatableRandom.forTest(fallback: 7)
        for round in 0..<(TestTools.isLongRun ? 5000 : 100) {
            var bytes = random.bytes(Int(random.next() % 6000))
            if round % 2 == 0 {
                for place in stride(from: 0, to: bytes.count, by: 188) {
                    bytes[place] = 0x47
                    if place + 2 < bytes.count, random.next() % 2 == 0 {
                        (bytes[place + 1], bytes[place + 2]) = (0x41, UInt8(random.next() % 2))
                    }
                }
            }
            let (events, _) = walk(TransportWalker(head), bytes)
            check(events, size: bytes.count, "round \(round), seed \(random.seed)")
            _ = try? readHead(bytes)
        }
    }
}
