/// `stts` (ISO/IEC 14496-12 §8.6.1.2): how long each sample lasts, in runs.
package struct TimeToSampleBox: Box, Hashable {
    package static let type: FourCC = "stts"

    package struct Run: Hashable, Sendable {
        package var count: UInt32
        /// In ticks of the track's timescale, from one decoding time to the next.
        package var duration: UInt32

        package init(count: UInt32, duration: UInt32) {
            self.count = count
            self.duration = duration
        }
    }

    package private(set) var runs: [Run]

    package init(_ runs: [Run] = []) { self.runs = runs }

    /// One more sample.
    package mutating func append(duration: UInt32) {
        if let last = runs.last, last.duration == duration, last.count < .max {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(count: 1, duration: duration))
        }
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        _ = try reader.versionAndFlags(atMost: 0)
        let count = try reader.count(entrySize: 8)
        runs = []
        runs.reserveCapacity(count)
        for _ in 0..<count { runs.append(Run(count: try reader.u32(), duration: try reader.u32())) }
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.count(runs.count)
            for run in runs {
                writer.u32(run.count)
                writer.u32(run.duration)
            }
        }
    }
}
