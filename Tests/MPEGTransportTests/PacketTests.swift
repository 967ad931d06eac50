import Testing

@testable import MPEGTransport

@Suite("Packets") struct PacketTests {
    /// The starts of packets, and the garbage.
    private func packets(_ bytes: [UInt8], piece: Int) -> (starts: [Int], garbage: [Range<Int>], stride: Int?) {
        var reader = PacketReader(), pending: [UInt8] = [], position = 0
        var starts: [Int] = [], garbage: [Range<Int>] = []
        while true {
            let isFinal = position == bytes.count
            let end = piece > bytes.count - position ? bytes.count : position + piece
            pending += bytes[position..<end]
            position = end
            let base = position - pending.count
            pending.withUnsafeBytes { buffer in
                while true {
                    let step = reader.next(buffer, isFinal: isFinal)
                    if case .packet(let index) = step { starts.append(base + index) }
                    if case .garbage(let range) = step { garbage.append(base + range.lowerBound..<base + range.upperBound) }
                    if step == .needMore { break }
                }
                if isFinal, let rest = reader.rest(buffer.count) { garbage.append(base + rest.lowerBound..<base + rest.upperBound) }
            }
            if isFinal { return (starts, garbage, reader.stride) }
            let used = min(reader.cursor, pending.count)
            pending.removeFirst(used)
            reader.dropped(used)
        }
    }

    private func packet(_ number: Int) -> [UInt8] {
        StreamWriter.packet(
            pid: 0x100, counter: UInt8(number & 15), payload: (0..<184).map { (index: Int) -> UInt8 in UInt8((index + number * 3) % 0x47) })
    }

    private func stream(_ count: Int, stride: Int) -> [UInt8] {
        var writer = StreamWriter(stride: stride)
        for number in 0..<count { writer.put(packet: packet(number)) }
        return writer.bytes
    }

    @Test("packets of 188, 192 and 204 bytes are found, whole and byte by byte", arguments: [188, 192, 204])
    func strides(stride: Int) {
        let bytes = stream(12, stride: stride)
        let expected = (0..<12).map { $0 * stride + (stride == 192 ? 4 : 0) }
        for piece in [Int.max, 1, 7, 500] {
            let found = packets(bytes, piece: piece)
            #expect(found.starts == expected, "pieces of \(piece)")
            #expect(found.garbage.isEmpty, "pieces of \(piece): \(found.garbage)")
            #expect(found.stride == stride)
        }
    }

    @Test("garbage before, between and behind costs no packet", arguments: [188, 192, 204])
    func garbage(stride: Int) {
        let noise = [UInt8](repeating: 0x47, count: 3) + [UInt8](repeating: 9, count: 50)
        let bytes = noise + stream(6, stride: stride) + noise + stream(6, stride: stride) + [1, 2, 3, 4] + noise
        for piece in [Int.max, 1] {
            let found = packets(bytes, piece: piece)
            #expect(found.starts.count == 12, "pieces of \(piece): \(found.starts)")
            #expect(found.garbage.count == 3, "pieces of \(piece): \(found.garbage)")
        }
    }

    @Test("a packet with bytes missing inside is left out alone")
    func missingBytes() {
        var bytes = stream(12, stride: 188)
        bytes.removeSubrange(188 * 5 + 60..<188 * 5 + 70)
        let found = packets(bytes, piece: .max)
        let starts: [Int] = (0..<12).filter { $0 != 5 }.map { (number: Int) -> Int in number * 188 - (number > 5 ? 10 : 0) }
        #expect(found.starts == starts)
        #expect(found.garbage == [188 * 5..<188 * 6 - 10])
    }

    @Test("a packet that is cut short at the end is told as garbage")
    func shortEnd() {
        let bytes = stream(8, stride: 188)
        for cut in 1..<188 {
            let found = packets(Array(bytes.dropLast(cut)), piece: .max)
            #expect(found.starts.count == 7, "cut \(cut)")
        }
    }

    @Test("header fields: counter, start, PID, errors, adaptation field")
    func header() throws {
        func parse(_ bytes: [UInt8]) -> PacketHeader? { bytes.withUnsafeBytes { PacketHeader($0) } }
        let whole = try #require(parse(StreamWriter.packet(pid: 0x1ABC, counter: 9, start: true, payload: [UInt8](repeating: 1, count: 184))))
        #expect(whole.pid == 0x1ABC && whole.counter == 9 && whole.startsUnit && !whole.hasError && !whole.isScrambled)
        #expect(whole.payload == 4..<188)
        let stuffed = try #require(
            parse(StreamWriter.packet(pid: 1, counter: 0, payload: [1, 2, 3], scrambling: 2, discontinuity: true, pcr: true, error: true)))
        #expect(stuffed.payload == 185..<188 && stuffed.isScrambled && stuffed.isDiscontinuous && stuffed.hasPCR && stuffed.hasError)
        let empty = try #require(parse(StreamWriter.packet(pid: 1, counter: 0, payload: nil)))
        #expect(empty.payload == nil)
        #expect(parse([0x47, 0, 1, 0x00] + [UInt8](repeating: 0, count: 184)) == nil)
        #expect(parse([0x47, 0, 1, 0x30, 183] + [UInt8](repeating: 0, count: 183)) == nil)
        #expect(parse([0x47, 0, 1, 0x20, 184] + [UInt8](repeating: 0, count: 183)) == nil)
    }
}
