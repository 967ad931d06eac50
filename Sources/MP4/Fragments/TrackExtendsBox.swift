/// `trex` (ISO/IEC 14496-12 §8.8.3): what holds for a track's samples where fragments say nothing else.
package struct TrackExtendsBox: Box, Hashable {
    package static let type: FourCC = "trex"

    package var track: UInt32
    package var description: UInt32
    package var duration: UInt32
    package var size: UInt32
    package var flags: SampleFlags

    package init(track: UInt32, description: UInt32 = 1, duration: UInt32 = 0, size: UInt32 = 0, flags: SampleFlags = SampleFlags(rawValue: 0)) {
        self.track = track
        self.description = description
        self.duration = duration
        self.size = size
        self.flags = flags
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        _ = try reader.versionAndFlags()
        track = try reader.u32()
        description = try reader.u32()
        duration = try reader.u32()
        size = try reader.u32()
        flags = SampleFlags(rawValue: try reader.u32())
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.u32(track)
            writer.u32(description)
            writer.u32(duration)
            writer.u32(size)
            writer.u32(flags.rawValue)
        }
    }
}
