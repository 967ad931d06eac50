/// `stbl` (ISO/IEC 14496-12 §8.5): what the samples of a track are, how long they last and where they stand.
package struct SampleTableBox: Box, Hashable {
    package static let type: FourCC = "stbl"

    package var descriptions: SampleDescriptionBox
    package var times = TimeToSampleBox()
    /// `nil`: presentation times are decoding times.
    package var offsets: CompositionOffsetBox?
    /// `nil`: decoding can start at every sample.
    package var sync: SyncSampleBox?
    package var chunks = SampleToChunkBox()
    package var sizes = SampleSizeBox()
    package var chunkOffsets = ChunkOffsetBox()
    package var rollDistances: RollGroupDescriptionBox?
    package var rollGroups: SampleToGroupBox?

    /// A table without samples, as a fragmented file has.
    package init(_ descriptions: SampleDescriptionBox) { self.descriptions = descriptions }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        var found: SampleDescriptionBox?
        descriptions = SampleDescriptionBox([])
        while var box = try reader.child() {
            switch box.type {
            case SampleDescriptionBox.type: found = try SampleDescriptionBox(from: &box)
            case TimeToSampleBox.type: times = try TimeToSampleBox(from: &box)
            case CompositionOffsetBox.type: offsets = try CompositionOffsetBox(from: &box)
            case SyncSampleBox.type: sync = try SyncSampleBox(from: &box)
            case SampleToChunkBox.type: chunks = try SampleToChunkBox(from: &box)
            case SampleSizeBox.type: sizes = try SampleSizeBox(from: &box)
            case "stz2": sizes = try SampleSizeBox(compact: &box)
            case ChunkOffsetBox.shortType, ChunkOffsetBox.longType: chunkOffsets = try ChunkOffsetBox(from: &box)
            // Groups of other kinds, or of later versions, are none of ours.
            case RollGroupDescriptionBox.type: if let roll = try? RollGroupDescriptionBox(from: &box) { rollDistances = roll }
            case SampleToGroupBox.type:
                if let groups = try? SampleToGroupBox(from: &box), groups.grouping == RollGroupDescriptionBox.grouping { rollGroups = groups }
            default: break
            }
        }
        guard let found else { throw reader.error(.malformed, "no stsd") }
        descriptions = found
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            descriptions.write(to: &writer)
            times.write(to: &writer)
            sync?.write(to: &writer)
            offsets?.write(to: &writer)
            chunks.write(to: &writer)
            sizes.write(to: &writer)
            chunkOffsets.write(to: &writer)
            rollDistances?.write(to: &writer)
            rollGroups?.write(to: &writer)
        }
    }
}
