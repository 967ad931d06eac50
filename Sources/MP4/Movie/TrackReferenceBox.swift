/// `tref` (ISO/IEC 14496-12 §8.3.3): other tracks this one belongs to; `chap` names the text track with the chapters.
package struct TrackReferenceBox: Box, Hashable {
    package static let type: FourCC = "tref"
    package static let chapters: FourCC = "chap"

    package struct Reference: Hashable, Sendable {
        package var kind: FourCC
        package var tracks: [UInt32]

        package init(kind: FourCC, tracks: [UInt32]) {
            self.kind = kind
            self.tracks = tracks
        }
    }

    package var references: [Reference]

    package init(_ references: [Reference]) { self.references = references }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        references = []
        while var box = try reader.child() {
            var tracks: [UInt32] = []
            while box.remaining >= 4 { tracks.append(try box.u32()) }
            references.append(Reference(kind: box.type, tracks: tracks))
        }
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            for reference in references { writer.box(reference.kind) { writer in for track in reference.tracks { writer.u32(track) } } }
        }
    }
}
