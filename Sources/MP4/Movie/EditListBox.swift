/// `elst` (ISO/IEC 14496-12 §8.6.6): which parts of a track's media play, and when. It stands in `edts`.
package struct EditListBox: Box, Hashable {
    package static let type: FourCC = "elst"

    package struct Edit: Hashable, Sendable {
        /// In ticks of the movie's timescale. 0 in a fragmented file: to the end.
        package var duration: UInt64
        /// In ticks of the track's timescale; −1 for an empty edit, a pause.
        package var mediaTime: Int64
        /// 16.16 fixed point.
        package var rate: Int32

        package init(duration: UInt64, mediaTime: Int64, rate: Int32 = 0x10000) {
            self.duration = duration
            self.mediaTime = mediaTime
            self.rate = rate
        }
    }

    package var isLong: Bool
    package var edits: [Edit]

    package init(_ edits: [Edit], isLong: Bool = false) {
        self.edits = edits
        self.isLong = isLong
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        isLong = try reader.versionAndFlags().version == 1
        edits = []
        for _ in 0..<(try reader.count(entrySize: isLong ? 20 : 12)) {
            let duration = isLong ? try reader.u64() : UInt64(try reader.u32())
            let time = isLong ? Int64(bitPattern: try reader.u64()) : Int64(try reader.i32())
            edits.append(Edit(duration: duration, mediaTime: time, rate: try reader.i32()))
        }
    }

    package func write(to writer: inout BoxWriter) {
        let isLong = isLong || edits.contains { $0.duration > UInt64(UInt32.max) || Int32(exactly: $0.mediaTime) == nil }
        writer.fullBox(Self.type, version: isLong ? 1 : 0) { writer in
            writer.count(edits.count)
            for edit in edits {
                writer.time(edit.duration, isLong: isLong)
                if isLong { writer.i64(edit.mediaTime) } else { writer.i32(Int32(truncatingIfNeeded: edit.mediaTime)) }
                writer.i32(edit.rate)
            }
        }
    }
}
