package import Bytes

/// A SimpleBlock or BlockGroup (RFC 9559 §10): one or more frames of one track. Where its bytes are, not the bytes.
package struct MatroskaBlock: Hashable, Sendable {
    /// The whole element, header included; blocks are told in the order of `element.offset`.
    package var element: FileRange
    /// The place of its Cluster.
    package var cluster: UInt64
    package var track: UInt64
    /// Segment Ticks.
    package var clusterTimestamp: Int64
    /// Track Ticks, which are Segment Ticks unless the track has a TrackTimestampScale.
    package var relativeTimestamp: Int16
    /// It can be decoded without others: the flag of a SimpleBlock, or a BlockGroup without ReferenceBlock.
    package var isKeyframe: Bool
    package var isInvisible: Bool
    /// Only a SimpleBlock can say so.
    package var isDiscardable: Bool
    package var frames: BlockFrames
    /// Track Ticks, of all its frames together.
    package var duration: UInt64?
    /// Track Ticks from this block to those that it is decoded from, of a BlockGroup.
    package var references: [Int64] = []
    /// Nanoseconds to cut from the end of what is decoded; from its start when negative (RFC 9559 §5.1.3.5.7).
    package var discardPadding: Int64?
    package var additions: [BlockAddition] = []

    /// Segment Ticks, for tracks whose TrackTimestampScale is 1.
    package var timestamp: Int64 { timestamp(trackScale: 1) }

    /// Segment Ticks (RFC 9559 §11.2, §11.3); held at the ends of `Int64`.
    package func timestamp(trackScale: Double) -> Int64 {
        let relative = trackScale == 1 ? Int64(relativeTimestamp) : Int64(clamping: trackScale * Double(relativeTimestamp))
        let (result, overflow) = clusterTimestamp.addingReportingOverflow(relative)
        return overflow ? (relative < 0 ? .min : .max) : result
    }
}

extension Int64 {
    /// Rounded, held at the ends; 0 for what is not a number.
    init(clamping value: Double) {
        if value.isNaN {
            self = 0
        } else if value >= 0x1p63 {
            self = .max
        } else if value <= -0x1p63 {
            self = .min
        } else {
            // Rounding below 2^63 cannot reach it: doubles of that size are whole.
            self = Int64(value.rounded())
        }
    }
}

/// Data beside a block, such as HDR10+ or transparency (RFC 9559 §5.1.3.5.2).
package struct BlockAddition: Hashable, Sendable {
    package var id: UInt64
    package var data: FileRange
}

/// The places of a block's frames, in order. Nearly every block has one.
package enum BlockFrames: Hashable, Sendable, RandomAccessCollection {
    case single(FileRange)
    case laced([FileRange])

    package var startIndex: Int { 0 }
    package var endIndex: Int {
        switch self {
        case .single: 1
        case .laced(let frames): frames.count
        }
    }

    /// - Precondition: the index is inside `indices`.
    package subscript(index: Int) -> FileRange {
        switch self {
        case .single(let frame):
            precondition(index == 0)
            return frame
        case .laced(let frames): return frames[index]
        }
    }
}
