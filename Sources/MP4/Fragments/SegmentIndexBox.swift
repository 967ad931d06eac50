/// `sidx` (ISO/IEC 14496-12 §8.16.3): the sizes and times of the fragments behind it, for one track.
package struct SegmentIndexBox: Box, Hashable {
    package static let type: FourCC = "sidx"

    package struct Reference: Hashable, Sendable {
        /// Refers to another `sidx`, not to media.
        package var isIndex: Bool
        /// In bytes, at most 31 bits.
        package var size: UInt32
        /// In ticks of the box's timescale.
        package var duration: UInt32
        /// starts_with_SAP, SAP_type and SAP_delta_time as they are.
        package var access: UInt32

        /// Starts with a stream access point of type 1.
        package static let startsWithSync: UInt32 = 0x9000_0000

        package init(size: UInt32, duration: UInt32, access: UInt32, isIndex: Bool = false) {
            self.isIndex = isIndex
            self.size = size
            self.duration = duration
            self.access = access
        }
    }

    /// References that the box can hold; its count has 16 bits.
    package static let maximumReferences = 65535

    package var track: UInt32
    package var timescale: UInt32
    package var earliestPresentation: UInt64
    /// From the first byte behind this box to the first fragment.
    package var firstOffset: UInt64
    package var references: [Reference]

    package init(track: UInt32, timescale: UInt32, earliestPresentation: UInt64, firstOffset: UInt64, references: [Reference]) {
        self.track = track
        self.timescale = timescale
        self.earliestPresentation = earliestPresentation
        self.firstOffset = firstOffset
        self.references = references
    }

    /// Bytes of a box with `references` references.
    package static func size(references: Int) -> UInt64 { 40 + 12 * UInt64(max(references, 0)) }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        let isLong = try reader.versionAndFlags().version == 1
        track = try reader.u32()
        timescale = try reader.u32()
        guard timescale > 0 else { throw reader.error(.malformed, "timescale 0") }
        earliestPresentation = isLong ? try reader.u64() : UInt64(try reader.u32())
        firstOffset = isLong ? try reader.u64() : UInt64(try reader.u32())
        try reader.skip(2)
        let count = try reader.room(for: UInt64(reader.u16()), entrySize: 12)
        references = []
        references.reserveCapacity(count)
        for _ in 0..<count {
            let word = try reader.u32()
            references.append(
                Reference(size: word & 0x7FFF_FFFF, duration: try reader.u32(), access: try reader.u32(), isIndex: word >> 31 == 1))
        }
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, version: 1) { writer in
            writer.u32(track)
            writer.u32(timescale)
            writer.u64(earliestPresentation)
            writer.u64(firstOffset)
            writer.u16(0)
            writer.u16(writer.fit(references.count, "count of references"))
            for (index, reference) in references.enumerated() {
                if reference.size >> 31 != 0 { writer.refuse("\(reference.size) bytes do not fit 31 bits", entry: index) }
                writer.u32(reference.size | (reference.isIndex ? 1 << 31 : 0))
                writer.u32(reference.duration)
                writer.u32(reference.access)
            }
        }
    }
}
