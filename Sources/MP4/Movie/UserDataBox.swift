/// `udta` (ISO/IEC 14496-12 §8.10.1) of a movie or a track.
package struct UserDataBox: Box, Hashable {
    package static let type: FourCC = "udta"

    package var metadata: MetadataBox?
    package var chapters: ChapterListBox?
    /// What a track is for.
    package var kinds: [TrackKindBox]

    package init(metadata: MetadataBox? = nil, chapters: ChapterListBox? = nil, kinds: [TrackKindBox] = []) {
        self.metadata = metadata
        self.chapters = chapters
        self.kinds = kinds
    }

    package var isEmpty: Bool { metadata == nil && chapters == nil && kinds.isEmpty }

    /// Damage in what people wrote about a film does not make the film unreadable: such a box is left out.
    package init(from reader: inout BoxReader) throws(MP4Error) {
        self.init()
        while var box = try? reader.child() {
            switch box.type {
            case MetadataBox.type: metadata = try? MetadataBox(from: &box)
            case ChapterListBox.type: chapters = try? ChapterListBox(from: &box)
            case TrackKindBox.type: if let kind = try? TrackKindBox(from: &box) { kinds.append(kind) }
            default: break
            }
        }
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            for kind in kinds { kind.write(to: &writer) }
            chapters?.write(to: &writer)
            metadata?.write(to: &writer)
        }
    }
}
