/// `tkhd` (ISO/IEC 14496-12 §8.3.2).
package struct TrackHeaderBox: Box, Hashable {
    package static let type: FourCC = "tkhd"

    /// 1 enabled, 2 in the movie, 4 in its preview.
    package var flags: UInt32
    package var isLong: Bool
    package var created: UInt64
    package var modified: UInt64
    package var track: UInt32
    /// In ticks of the movie's timescale; all ones when unknown.
    package var duration: UInt64
    /// Tracks of one number are alternatives of each other; 0 for none.
    package var alternateGroup: Int16
    /// 8.8 fixed point: 0x100 for sound, else 0.
    package var volume: Int16
    /// Nine values (`TransformationMatrix`).
    package var matrix: [Int32]
    /// 16.16 fixed point, of the picture as shown before `matrix`.
    package var width: UInt32
    package var height: UInt32

    package static let enabled: UInt32 = 7, disabled: UInt32 = 6

    package init(
        track: UInt32, duration: UInt64, flags: UInt32 = enabled, alternateGroup: Int16 = 0, volume: Int16 = 0,
        matrix: [Int32] = TransformationMatrix.unity, width: UInt32 = 0, height: UInt32 = 0, created: UInt64 = 0, isLong: Bool = false
    ) {
        self.flags = flags
        self.isLong = isLong
        self.created = created
        modified = created
        self.track = track
        self.duration = duration
        self.alternateGroup = alternateGroup
        self.volume = volume
        self.matrix = matrix
        self.width = width
        self.height = height
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        let head = try reader.versionAndFlags()
        isLong = head.version == 1
        flags = head.flags
        created = try reader.time(isLong: isLong)
        modified = try reader.time(isLong: isLong)
        track = try reader.u32()
        guard track > 0 else { throw reader.error(.malformed, "track 0") }
        try reader.skip(4)
        duration = try reader.time(isLong: isLong)
        try reader.skip(10)  // reserved, layer
        alternateGroup = try reader.i16()
        volume = try reader.i16()
        try reader.skip(2)
        matrix = try TransformationMatrix.read(&reader)
        width = try reader.u32()
        height = try reader.u32()
    }

    package func write(to writer: inout BoxWriter) {
        let isLong = isLong || needsLong(created, modified, duration)
        writer.fullBox(Self.type, version: isLong ? 1 : 0, flags: flags) { writer in
            writer.time(created, isLong: isLong)
            writer.time(modified, isLong: isLong)
            writer.u32(track)
            writer.u32(0)
            writer.time(duration, isLong: isLong)
            writer.zeros(10)
            writer.i16(alternateGroup)
            writer.i16(volume)
            writer.u16(0)
            TransformationMatrix.write(matrix, to: &writer)
            writer.u32(width)
            writer.u32(height)
        }
    }
}
