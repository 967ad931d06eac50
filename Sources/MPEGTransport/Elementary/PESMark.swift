internal import Bytes

/// Where a PES begins in the bytes of its stream, and what it said.
struct PESMark: Hashable, Sendable {
    var position: Int
    var pts: Int64?
    var dts: Int64?
    /// Of its first packet in the file.
    var offset: UInt64
}

/// The bytes of an elementary stream that are not told yet, and where they come from.
struct ElementaryBuffer: Sendable {
    private(set) var bytes: [UInt8] = []
    /// In the order of their positions, at most one for each.
    private var marks: [PESMark] = []
    /// Where runs of bytes come from: each packet's start in `bytes` and in the file.
    private var packets: [(position: Int, offset: UInt64)] = []

    var count: Int { bytes.count }

    mutating func begin(pts: Int64?, dts: Int64?, offset: UInt64) {
        // Of PES without a byte between them only the last can have a unit.
        if marks.last?.position == bytes.count { marks.removeLast() }
        marks.append(PESMark(position: bytes.count, pts: pts, dts: dts, offset: offset))
    }

    mutating func append(_ payload: UnsafeRawBufferPointer, offset: UInt64) {
        guard !payload.isEmpty else { return }
        packets.append((bytes.count, offset))
        bytes.append(contentsOf: payload)
    }

    /// Takes the mark that a unit beginning at `position` belongs to: the last one before it.
    mutating func takeMark(at position: Int) -> PESMark? {
        let count = marksUpTo(position)
        guard count > 0 else { return nil }
        let mark = marks[count - 1]
        marks.removeFirst(count)
        return mark
    }

    /// Whether a PES begins at `position`.
    func hasMark(at position: Int) -> Bool {
        let count = marksUpTo(position)
        return count > 0 && marks[count - 1].position == position
    }

    /// How many marks stand at or before `position`.
    private func marksUpTo(_ position: Int) -> Int {
        var low = 0, high = marks.count
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Where the bytes come from, by whole packets.
    func source(_ range: Range<Int>) -> FileRange {
        guard !packets.isEmpty else { return FileRange(offset: 0, end: 0) }
        let first = packets[index(of: range.lowerBound)].offset
        let last = packets[index(of: max(range.lowerBound, range.upperBound - 1))].offset
        return FileRange(offset: first, end: max(first, last) &+ UInt64(PacketHeader.size))
    }

    private func index(of position: Int) -> Int {
        var low = 0, high = packets.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if packets[middle].position <= position { low = middle } else { high = middle }
        }
        return low
    }

    /// Forgets the first `count` bytes.
    mutating func drop(_ count: Int) {
        guard count > 0 else { return }
        bytes.removeFirst(count)
        let whole = packets.isEmpty ? 0 : bytes.isEmpty ? packets.count : index(of: count)
        packets.removeFirst(whole)
        for index in packets.indices { packets[index].position = max(0, packets[index].position - count) }
        for index in marks.indices { marks[index].position -= count }
        // Of the marks that were passed only the last one can still belong to a unit.
        let passed = marksUpTo(0)
        if passed > 1 { marks.removeFirst(passed - 1) }
    }

    /// Forgets everything but the mark of the PES that is being read.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        packets.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
    }
}
