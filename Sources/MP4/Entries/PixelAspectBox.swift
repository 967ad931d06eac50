/// `pasp` (ISO/IEC 14496-12 §12.1.4): the shape of a pixel, horizontal to vertical.
package struct PixelAspectBox: Box, Hashable {
    package static let type: FourCC = "pasp"

    package var horizontal: UInt32
    package var vertical: UInt32

    package init(horizontal: UInt32, vertical: UInt32) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        horizontal = try reader.u32()
        vertical = try reader.u32()
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            writer.u32(horizontal)
            writer.u32(vertical)
        }
    }
}
