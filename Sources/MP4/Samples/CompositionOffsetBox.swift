/// `ctts` (ISO/IEC 14496-12 §8.6.1.3): from decoding time to presentation time, in runs. Version 1, with signed offsets, is
/// written when one is negative.
package struct CompositionOffsetBox: Box, Hashable {
    package static let type: FourCC = "ctts"

    package struct Run: Hashable, Sendable {
        package var count: UInt32
        /// In ticks of the track's timescale. Offsets of version 0 above 2³¹ are read as negative: programs wrote them so.
        package var offset: Int32

        package init(count: UInt32, offset: Int32) {
            self.count = count
            self.offset = offset
        }
    }

    package private(set) var runs: [Run]
    /// Version 1.
    package var isSigned: Bool

    package init(_ runs: [Run] = [], isSigned: Bool = false) {
        self.runs = runs
        self.isSigned = isSigned
    }

    /// One more sample.
    package mutating func append(offset: Int32) {
        if offset < 0 { isSigned = true }
        if let last = runs.last, last.offset == offset, last.count < .max {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(count: 1, offset: offset))
        }
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        isSigned = try reader.versionAndFlags().version == 1
        let count = try reader.count(entrySize: 8)
        runs = []
        runs.reserveCapacity(count)
        for _ in 0..<count { runs.append(Run(count: try reader.u32(), offset: try reader.i32())) }
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, version: isSigned ? 1 : 0) { writer in
            writer.count(runs.count)
            for run in runs {
                writer.u32(run.count)
                writer.i32(run.offset)
            }
        }
    }
}
