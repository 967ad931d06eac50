package import Bytes

/// Part of a virtual MP4, described without holding the source's bytes.
package struct VirtualLayout: Hashable, Sendable {
    package enum Piece: Hashable, Sendable {
        case literal([UInt8])
        case source(FileRange)
        case zeros(UInt64)

        var size: UInt64 {
            switch self {
            case .literal(let bytes): UInt64(bytes.count)
            case .source(let range): range.count
            case .zeros(let count): count
            }
        }
    }

    /// What a range of the layout is made of, in order.
    package enum Slice: Hashable, Sendable {
        case literal(ArraySlice<UInt8>)
        case source(FileRange)
        case zeros(UInt64)
    }

    package private(set) var pieces: [Piece] = []
    /// `ends[i]`: bytes in `pieces[0...i]`.
    private var ends: [UInt64] = []

    package init() {}

    package var size: UInt64 { ends.last ?? 0 }

    mutating func append(_ piece: Piece) {
        guard piece.size > 0 else { return }
        ends.append(size + piece.size)
        pieces.append(piece)
    }

    /// Zeros up to `size`, if it is not reached yet.
    mutating func pad(to size: UInt64) {
        if size > self.size { append(.zeros(size - self.size)) }
    }

    /// The bytes of `range`, as far as the layout has them.
    ///
    /// - Complexity: O(log *n* + *k*) for *n* pieces, *k* of which overlap.
    package func slices(_ range: FileRange) -> [Slice] {
        var result: [Slice] = []
        var index = firstPiece(endingAfter: range.offset)
        while index < pieces.count {
            let start = index == 0 ? 0 : ends[index - 1]
            guard start < range.end else { break }
            let first = max(range.offset, start) - start, last = min(range.end, ends[index]) - start
            switch pieces[index] {
            case .literal(let bytes): result.append(.literal(bytes[Int(first)..<Int(last)]))
            case .source(let source): result.append(.source(FileRange(offset: source.offset + first, end: source.offset + last)))
            case .zeros: result.append(.zeros(last - first))
            }
            index += 1
        }
        return result
    }

    private func firstPiece(endingAfter offset: UInt64) -> Int {
        var low = 0, high = ends.count
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > offset { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Bytes of memory that the layout holds, about.
    package var cost: Int {
        pieces.reduce(pieces.count * 48) { sum, piece in if case .literal(let bytes) = piece { sum + bytes.count } else { sum } }
    }
}
