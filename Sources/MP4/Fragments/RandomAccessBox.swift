/// `mfra` (ISO/IEC 14496-12 §8.8.9): where to find sync samples, at the end of a fragmented file.
package struct RandomAccessBox: Box, Hashable {
    package static let type: FourCC = "mfra"

    package var tracks: [TrackRandomAccessBox]

    package init(_ tracks: [TrackRandomAccessBox]) { self.tracks = tracks }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        tracks = []
        while var box = try reader.child() {
            if box.type == TrackRandomAccessBox.type { tracks.append(try TrackRandomAccessBox(from: &box)) }
        }
    }

    package func write(to writer: inout BoxWriter) {
        // mfro (§8.8.11) ends with the size of the whole: a reader starts from the file's last four bytes.
        let size = 8 + tracks.reduce(0) { $0 + $1.size } + 16
        writer.box(Self.type) { writer in
            for track in tracks { track.write(to: &writer) }
            writer.fullBox("mfro") { $0.u32($0.fit(size, "size")) }
        }
    }

    /// Size of the `mfra` that ends with these 16 bytes, the last of a file; `nil` if there is none.
    package static func size(fromLast bytes: [UInt8]) -> UInt32? {
        var root = BoxReader(bytes)
        guard bytes.count == 16, var box = try? root.child(), box.type == "mfro", (try? box.versionAndFlags()) != nil else { return nil }
        return try? box.u32()
    }
}
