/// `stsc` (ISO/IEC 14496-12 §8.7.4): how many samples each chunk has, in runs of chunks.
package struct SampleToChunkBox: Box, Hashable {
    package static let type: FourCC = "stsc"

    package struct Run: Hashable, Sendable {
        /// Counted from 1.
        package var firstChunk: UInt32
        package var samplesPerChunk: UInt32
        /// Entry of `stsd`, counted from 1.
        package var description: UInt32

        package init(firstChunk: UInt32, samplesPerChunk: UInt32, description: UInt32 = 1) {
            self.firstChunk = firstChunk
            self.samplesPerChunk = samplesPerChunk
            self.description = description
        }
    }

    package private(set) var runs: [Run]

    package init(_ runs: [Run] = []) { self.runs = runs }

    /// The next chunk, `number` counted from 1.
    package mutating func append(chunk number: UInt32, samples: UInt32, description: UInt32) {
        if let last = runs.last, last.samplesPerChunk == samples, last.description == description { return }
        runs.append(Run(firstChunk: number, samplesPerChunk: samples, description: description))
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        _ = try reader.versionAndFlags(atMost: 0)
        let count = try reader.count(entrySize: 12)
        runs = []
        runs.reserveCapacity(count)
        for index in 0..<count {
            let run = Run(firstChunk: try reader.u32(), samplesPerChunk: try reader.u32(), description: try reader.u32())
            let previous = runs.last?.firstChunk ?? 0
            guard run.firstChunk > previous, index > 0 || run.firstChunk == 1 else {
                throw reader.error(.malformed, "chunk \(run.firstChunk) after \(previous)", entry: index)
            }
            guard run.samplesPerChunk > 0 else { throw reader.error(.malformed, "chunks without samples", entry: index) }
            runs.append(run)
        }
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.count(runs.count)
            for run in runs {
                writer.u32(run.firstChunk)
                writer.u32(run.samplesPerChunk)
                writer.u32(run.description)
            }
        }
    }
}
