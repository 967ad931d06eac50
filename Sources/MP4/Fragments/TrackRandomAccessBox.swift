/// `tfra` (ISO/IEC 14496-12 §8.8.10): the sync samples of a track.
package struct TrackRandomAccessBox: Box, Hashable {
    package static let type: FourCC = "tfra"

    package struct Entry: Hashable, Sendable {
        /// Presentation time in ticks of the track's timescale.
        package var time: UInt64
        /// Of the `moof`, in the file.
        package var offset: UInt64
        /// Counted from 1, like the two below.
        package var fragment: UInt32
        package var run: UInt32
        package var sample: UInt32

        package init(time: UInt64, offset: UInt64, fragment: UInt32 = 1, run: UInt32 = 1, sample: UInt32 = 1) {
            self.time = time
            self.offset = offset
            self.fragment = fragment
            self.run = run
            self.sample = sample
        }
    }

    package var track: UInt32
    package var entries: [Entry]

    package init(track: UInt32, _ entries: [Entry]) {
        self.track = track
        self.entries = entries
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        let isLong = try reader.versionAndFlags().version == 1
        track = try reader.u32()
        let lengths = try reader.u32()
        let widths = [lengths >> 4 & 3, lengths >> 2 & 3, lengths & 3].map { Int($0) + 1 }
        let count = try reader.count(entrySize: (isLong ? 16 : 8) + widths.reduce(0, +))
        entries = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let time = isLong ? try reader.u64() : UInt64(try reader.u32())
            let offset = isLong ? try reader.u64() : UInt64(try reader.u32())
            var numbers: [UInt32] = []
            for width in widths {
                var value: UInt32 = 0
                for _ in 0..<width { value = value << 8 | UInt32(try reader.u8()) }
                numbers.append(value)
            }
            entries.append(Entry(time: time, offset: offset, fragment: numbers[0], run: numbers[1], sample: numbers[2]))
        }
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, version: 1) { writer in
            writer.u32(track)
            writer.u32(0x3F)  // numbers of four bytes each
            writer.count(entries.count)
            for entry in entries {
                writer.u64(entry.time)
                writer.u64(entry.offset)
                for number in [entry.fragment, entry.run, entry.sample] { writer.u32(number) }
            }
        }
    }
}
