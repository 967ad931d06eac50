/// `stsd` (ISO/IEC 14496-12 §8.5.2): the formats of a track's samples.
package struct SampleDescriptionBox: Box, Hashable {
    package static let type: FourCC = "stsd"

    package var entries: [SampleEntry]

    package init(_ entries: [SampleEntry]) { self.entries = entries }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        _ = try reader.versionAndFlags()
        // A sample entry has at least the box's header, six reserved bytes and the data reference.
        let count = try reader.count(entrySize: 16)
        entries = []
        for index in 0..<count {
            guard var box = try reader.child() else { throw reader.error(.truncated, "no entry", entry: index) }
            entries.append(try SampleEntry(from: &box))
        }
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.count(entries.count)
            for entry in entries { entry.write(to: &writer) }
        }
    }
}
