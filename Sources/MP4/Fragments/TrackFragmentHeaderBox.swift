/// `tfhd` (ISO/IEC 14496-12 §8.8.7): the track, and what holds for its samples in this fragment.
package struct TrackFragmentHeaderBox: Box, Hashable {
    package static let type: FourCC = "tfhd"

    package var track: UInt32
    /// Where data offsets count from; `nil`: see `isBasedOnFragment`.
    package var baseOffset: UInt64?
    /// Data offsets count from the first byte of the `moof` (default-base-is-moof).
    package var isBasedOnFragment: Bool
    package var description: UInt32?
    package var duration: UInt32?
    package var size: UInt32?
    package var flags: SampleFlags?
    /// There are no samples for the time that `duration` says.
    package var isEmpty: Bool

    package init(track: UInt32, description: UInt32? = nil, duration: UInt32? = nil, size: UInt32? = nil, flags: SampleFlags? = nil) {
        self.track = track
        isBasedOnFragment = true
        self.description = description
        self.duration = duration
        self.size = size
        self.flags = flags
        isEmpty = false
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        let bits = try reader.versionAndFlags().flags
        track = try reader.u32()
        if bits & 0x1 != 0 { baseOffset = try reader.u64() }
        if bits & 0x2 != 0 { description = try reader.u32() }
        if bits & 0x8 != 0 { duration = try reader.u32() }
        if bits & 0x10 != 0 { size = try reader.u32() }
        if bits & 0x20 != 0 { flags = SampleFlags(rawValue: try reader.u32()) }
        isEmpty = bits & 0x1_0000 != 0
        isBasedOnFragment = bits & 0x2_0000 != 0
    }

    package func write(to writer: inout BoxWriter) {
        var bits: UInt32 = baseOffset == nil ? 0 : 0x1
        if description != nil { bits |= 0x2 }
        if duration != nil { bits |= 0x8 }
        if size != nil { bits |= 0x10 }
        if flags != nil { bits |= 0x20 }
        if isEmpty { bits |= 0x1_0000 }
        if isBasedOnFragment { bits |= 0x2_0000 }
        writer.fullBox(Self.type, flags: bits) { writer in
            writer.u32(track)
            if let baseOffset { writer.u64(baseOffset) }
            for value in [description, duration, size, flags?.rawValue] { if let value { writer.u32(value) } }
        }
    }
}
