/// `moof` (ISO/IEC 14496-12 §8.8.4) with `mfhd`.
package struct MovieFragmentBox: Box, Hashable {
    package static let type: FourCC = "moof"

    /// Rises from fragment to fragment.
    package var sequence: UInt32
    package var tracks: [TrackFragmentBox]

    package init(sequence: UInt32, tracks: [TrackFragmentBox]) {
        self.sequence = sequence
        self.tracks = tracks
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        sequence = 0
        tracks = []
        while var box = try reader.child() {
            switch box.type {
            case "mfhd":
                _ = try box.versionAndFlags()
                sequence = try box.u32()
            case TrackFragmentBox.type: tracks.append(try TrackFragmentBox(from: &box))
            default: break
            }
        }
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            writer.fullBox("mfhd") { $0.u32(sequence) }
            for track in tracks { track.write(to: &writer) }
        }
    }
}
