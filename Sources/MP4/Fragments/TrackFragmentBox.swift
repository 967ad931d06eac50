/// `traf` (ISO/IEC 14496-12 §8.8.6) with `tfdt`.
package struct TrackFragmentBox: Box, Hashable {
    package static let type: FourCC = "traf"

    package var header: TrackFragmentHeaderBox
    /// `tfdt` (§8.8.12): decoding time of the first sample, in ticks of the track's timescale. `nil`: where the track's
    /// last fragment ended.
    package var decodeTime: UInt64?
    package var runs: [TrackRunBox]

    package init(header: TrackFragmentHeaderBox, decodeTime: UInt64?, runs: [TrackRunBox]) {
        self.header = header
        self.decodeTime = decodeTime
        self.runs = runs
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        var header: TrackFragmentHeaderBox?
        runs = []
        while var box = try reader.child() {
            switch box.type {
            case TrackFragmentHeaderBox.type: header = try TrackFragmentHeaderBox(from: &box)
            case "tfdt":
                let isLong = try box.versionAndFlags().version == 1
                decodeTime = isLong ? try box.u64() : UInt64(try box.u32())
            case TrackRunBox.type: runs.append(try TrackRunBox(from: &box))
            default: break
            }
        }
        guard let header else { throw reader.error(.malformed, "no tfhd") }
        self.header = header
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            header.write(to: &writer)
            // 64 bits always: then the size of a fragment does not depend on its time.
            if let decodeTime { writer.fullBox("tfdt", version: 1) { $0.u64(decodeTime) } }
            for run in runs { run.write(to: &writer) }
        }
    }
}
