/// `trak` (ISO/IEC 14496-12 §8.3.1).
package struct TrackBox: Box, Hashable {
    package static let type: FourCC = "trak"

    package var header: TrackHeaderBox
    package var references: TrackReferenceBox?
    package var edits: EditListBox?
    package var media: MediaBox
    package var userData: UserDataBox?

    package init(
        header: TrackHeaderBox, references: TrackReferenceBox? = nil, edits: EditListBox? = nil, media: MediaBox, userData: UserDataBox? = nil
    ) {
        self.header = header
        self.references = references
        self.edits = edits
        self.media = media
        self.userData = userData
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        var header: TrackHeaderBox?
        var media: MediaBox?
        while var box = try reader.child() {
            switch box.type {
            case TrackHeaderBox.type: header = try TrackHeaderBox(from: &box)
            case TrackReferenceBox.type: references = try TrackReferenceBox(from: &box)
            case "edts":
                while var inner = try box.child() {
                    if inner.type == EditListBox.type { edits = try EditListBox(from: &inner) }
                }
            case MediaBox.type: media = try MediaBox(from: &box)
            case UserDataBox.type: userData = try UserDataBox(from: &box)
            default: break
            }
        }
        guard let header else { throw reader.error(.malformed, "no tkhd") }
        guard let media else { throw reader.error(.malformed, "no mdia") }
        self.header = header
        self.media = media
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            header.write(to: &writer)
            references?.write(to: &writer)
            if let edits { writer.box("edts") { edits.write(to: &$0) } }
            media.write(to: &writer)
            userData?.write(to: &writer)
        }
    }
}
