/// `stco` and `co64` (ISO/IEC 14496-12 §8.7.5): where the chunks stand in the file. 64 bits are taken when an offset needs them.
package struct ChunkOffsetBox: Sendable, Hashable {
    package static let shortType: FourCC = "stco"
    package static let longType: FourCC = "co64"

    package private(set) var offsets: [UInt64]
    /// `co64`.
    package var isLong: Bool
    /// Added to each offset when it is written: how far behind the start of what `offsets` count from.
    package var shift: UInt64 = 0

    package init(_ offsets: [UInt64] = [], isLong: Bool = false) {
        self.offsets = offsets
        self.isLong = isLong
    }

    package mutating func append(_ offset: UInt64) { offsets.append(offset) }

    /// Reads either box, as the reader's type says.
    package init(from reader: inout BoxReader) throws(MP4Error) {
        _ = try reader.versionAndFlags(atMost: 0)
        isLong = reader.type == Self.longType
        let count = try reader.count(entrySize: isLong ? 8 : 4)
        offsets = []
        offsets.reserveCapacity(count)
        for _ in 0..<count { offsets.append(isLong ? try reader.u64() : UInt64(try reader.u32())) }
    }

    package func write(to writer: inout BoxWriter) {
        let (end, overflow) = (offsets.max() ?? 0).addingReportingOverflow(shift)
        let isLong = isLong || end > UInt64(UInt32.max)
        writer.fullBox(isLong ? Self.longType : Self.shortType) { writer in
            if overflow { writer.refuse("offsets beyond 64 bits") }
            writer.count(offsets.count)
            for offset in offsets {
                let place = offset &+ shift
                if isLong { writer.u64(place) } else { writer.u32(UInt32(truncatingIfNeeded: place)) }
            }
        }
    }
}
