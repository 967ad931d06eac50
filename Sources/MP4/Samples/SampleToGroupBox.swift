/// `sbgp` (ISO/IEC 14496-12 §8.9.2): which entry of `sgpd` holds for which samples, in runs.
package struct SampleToGroupBox: Box, Hashable {
    package static let type: FourCC = "sbgp"

    package struct Run: Hashable, Sendable {
        package var count: UInt32
        /// Entry of `sgpd`, counted from 1; 0 for none.
        package var entry: UInt32

        package init(count: UInt32, entry: UInt32) {
            self.count = count
            self.entry = entry
        }
    }

    package var grouping: FourCC
    package var runs: [Run]

    package init(grouping: FourCC = RollGroupDescriptionBox.grouping, _ runs: [Run]) {
        self.grouping = grouping
        self.runs = runs
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        let version = try reader.versionAndFlags().version
        grouping = try reader.code()
        if version == 1 { try reader.skip(4) }
        let count = try reader.count(entrySize: 8)
        runs = []
        runs.reserveCapacity(count)
        for _ in 0..<count { runs.append(Run(count: try reader.u32(), entry: try reader.u32())) }
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.code(grouping)
            writer.count(runs.count)
            for run in runs {
                writer.u32(run.count)
                writer.u32(run.entry)
            }
        }
    }
}
