/// `mvhd` (ISO/IEC 14496-12 §8.2.2).
package struct MovieHeaderBox: Box, Hashable {
    package static let type: FourCC = "mvhd"

    /// Version 1, whose times have 64 bits. Taken on its own when a time needs it.
    package var isLong: Bool
    /// `MovieTime` seconds, 0 when unknown.
    package var created: UInt64
    package var modified: UInt64
    package var timescale: UInt32
    /// In ticks of the movie's timescale; all ones when unknown.
    package var duration: UInt64
    package var nextTrack: UInt32

    package init(timescale: UInt32 = 1000, duration: UInt64, nextTrack: UInt32, created: UInt64 = 0, isLong: Bool = false) {
        self.isLong = isLong
        self.created = created
        modified = created
        self.timescale = timescale
        self.duration = duration
        self.nextTrack = nextTrack
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        isLong = try reader.versionAndFlags().version == 1
        created = try reader.time(isLong: isLong)
        modified = try reader.time(isLong: isLong)
        timescale = try reader.u32()
        duration = try reader.time(isLong: isLong)
        guard timescale > 0 else { throw reader.error(.malformed, "timescale 0") }
        try reader.skip(76)  // rate, volume, reserved, matrix, pre_defined
        nextTrack = try reader.u32()
    }

    package func write(to writer: inout BoxWriter) {
        let isLong = isLong || needsLong(created, modified, duration)
        writer.fullBox(Self.type, version: isLong ? 1 : 0) { writer in
            writer.time(created, isLong: isLong)
            writer.time(modified, isLong: isLong)
            writer.u32(timescale)
            writer.time(duration, isLong: isLong)
            writer.u32(0x10000)  // rate 1.0
            writer.u16(0x100)  // volume 1.0
            writer.zeros(10)
            TransformationMatrix.write(TransformationMatrix.unity, to: &writer)
            writer.zeros(24)
            writer.u32(nextTrack)
        }
    }
}

/// Whether a time needs 64 bits; all ones, unknown, has a form in both.
func needsLong(_ times: UInt64...) -> Bool { times.contains { $0 >= UInt64(UInt32.max) && $0 != .max } }
