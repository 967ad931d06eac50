/// `hdlr` (ISO/IEC 14496-12 §8.4.3): what kind of media a track has, and its name for people.
package struct HandlerBox: Box, Hashable {
    package static let type: FourCC = "hdlr"

    package var handler: FourCC
    package var name: String

    package init(handler: FourCC, name: String) {
        self.handler = handler
        self.name = name
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        _ = try reader.versionAndFlags()
        try reader.skip(4)
        handler = try reader.code()
        try reader.skip(12)
        name = reader.text()
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.u32(0)
            writer.code(handler)
            writer.zeros(12)
            writer.text(name)
        }
    }
}
