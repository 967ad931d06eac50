import Bytes
import TestSupport
import Testing

@testable import Matroska

@Suite("Lacing (RFC 9559 §10.3)") struct LacingTests {
    /// The frames' lengths, or `nil` for a bad lace.
    private func lengths(_ lacing: Lacing, _ payload: [UInt8]) -> [UInt64]? {
        let place = FileRange(offset: 1000, end: 1000 + UInt64(payload.count))
        guard case .frames(let frames) = lacing.parse(payload[...], payload: place) else { return nil }
        #expect(frames.last?.end == place.end)
        for (left, right) in zip(frames, frames.dropFirst()) { #expect(left.end == right.offset) }
        return frames.map(\.count)
    }

    private func payload(_ head: [UInt8], _ count: Int) -> [UInt8] { head + [UInt8](repeating: 7, count: count) }

    @Test("Xiph: runs of 255, and a size of just 255")
    func xiph() {
        #expect(lengths(.xiph, payload([2, 255, 255, 10, 255, 0], 520 + 255 + 4)) == [520, 255, 4])
        #expect(lengths(.xiph, payload([0], 9)) == [9])
        #expect(lengths(.xiph, payload([1, 0], 0)) == [0, 0])
        #expect(lengths(.xiph, payload([1, 5], 4)) == nil)
    }

    @Test("fixed: the room in even parts, or none")
    func fixed() {
        #expect(lengths(.fixed, payload([2], 9)) == [3, 3, 3])
        #expect(lengths(.fixed, payload([2], 10)) == nil)
        #expect(lengths(.fixed, payload([255], 256)) == [UInt64](repeating: 1, count: 256))
    }

    @Test("EBML: a size, then signed differences of every length")
    func ebml() {
        // 800, 500 (−300), 1000 (+500) as in the standard's example, then the rest.
        #expect(lengths(.ebml, payload([3, 0x43, 0x20, 0x5E, 0xD3, 0x61, 0xF3], 2310)) == [800, 500, 1000, 10])
        #expect(lengths(.ebml, payload([2, 0x84, 0xBF], 10)) == [4, 4, 2])
        #expect(lengths(.ebml, payload([2, 0x81, 0x80], 10)) == nil, "−63 makes it negative")
        #expect(lengths(.ebml, payload([1, 0x00], 10)) == nil)
    }

    @Test("differences of every length and sign come back", arguments: 1...8)
    func signedNumbers(length: Int) {
        let bias = Int64(1) << (7 * length - 1) - 1
        for value in [-bias, -1, 0, 1, bias] {
            let bytes = EBML.size(UInt64(value + bias), length: length)
            guard case .value(let number) = VariableInteger.parse(bytes[...]) else {
                Issue.record("not read")
                return
            }
            #expect(number.signed == value)
        }
    }

    @Test("random frames laced in each way come back", arguments: [1, 2, 3] as [UInt8])
    func random(mode: UInt8) {
        var random = RepeatableRandom.forTest(fallback: UInt64(mode))
        for _ in 0..<300 {
            let count = Int(random.next() % 8) + 1
            let one = random.next() % 400
            let sizes = (0..<count).map { _ in mode == 2 ? one : random.next() % (random.next() % 4 == 0 ? 70_000 : 400) }
            let bytes = payload(laceHead(mode, sizes), Int(sizes.reduce(0, +)))
            #expect(lengths(Lacing(flags: mode << 1), bytes) == sizes, "\(sizes)")
        }
    }

    @Test("a lace's head cut anywhere is short, not wrong")
    func cut() {
        for (lacing, head) in [(Lacing.xiph, [2, 255, 3, 4]), (.ebml, [3, 0x43, 0x20, 0x5E, 0xD3, 0x61, 0xF3]), (.fixed, [2])] as [(Lacing, [UInt8])]
        {
            let whole = payload(head, 2310)
            for count in 0..<head.count {
                guard case .short = lacing.parse(whole.prefix(count), payload: FileRange(offset: 0, end: UInt64(whole.count))) else {
                    Issue.record("\(lacing) of \(count) bytes")
                    continue
                }
            }
        }
    }
}

/// The head of a lace: 1 Xiph, 2 fixed, 3 EBML.
func laceHead(_ mode: UInt8, _ sizes: [UInt64]) -> [UInt8] {
    var head = [UInt8(sizes.count - 1)]
    switch mode {
    case 1:
        for size in sizes.dropLast() { head += [UInt8](repeating: 255, count: Int(size / 255)) + [UInt8(size % 255)] }
    case 3:
        for (index, size) in sizes.dropLast().enumerated() {
            guard index > 0 else {
                head += EBML.size(size)
                continue
            }
            let difference = Int64(size) - Int64(sizes[index - 1])
            let length = (1...8).first { abs(difference) < Int64(1) << (7 * $0 - 1) - 1 } ?? 8
            head += EBML.size(UInt64(difference + Int64(1) << (7 * length - 1) - 1), length: length)
        }
    default: break
    }
    return head
}
