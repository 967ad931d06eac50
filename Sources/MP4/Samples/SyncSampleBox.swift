/// `stss` (ISO/IEC 14496-12 §8.6.2): the samples at which decoding can start. Without the box all are such.
package struct SyncSampleBox: Box, Hashable {
    package static let type: FourCC = "stss"

    /// Counted from 1, ascending.
    package private(set) var samples: [UInt32]

    package init(_ samples: [UInt32] = []) { self.samples = samples }

    package mutating func append(_ sample: UInt32) { samples.append(sample) }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        _ = try reader.versionAndFlags(atMost: 0)
        let count = try reader.count(entrySize: 4)
        samples = []
        samples.reserveCapacity(count)
        for index in 0..<count {
            let sample = try reader.u32()
            guard sample > samples.last ?? 0 else { throw reader.error(.malformed, "sample \(sample) after \(samples.last ?? 0)", entry: index) }
            samples.append(sample)
        }
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.count(samples.count)
            for sample in samples { writer.u32(sample) }
        }
    }
}
