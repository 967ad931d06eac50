/// `fiel` (QuickTime File Format, video sample description extensions): interlacing.
package struct FieldBox: Box, Hashable {
    package static let type: FourCC = "fiel"

    /// 1 progressive, 2 interlaced.
    package var fields: UInt8
    /// 0 unknown or progressive; 1 top first, stored so; 6 bottom first, stored so; 9 top stored first, bottom shown first; 14 the opposite.
    package var order: UInt8

    package init(fields: UInt8, order: UInt8) {
        self.fields = fields
        self.order = order
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        fields = try reader.u8()
        order = try reader.u8()
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            writer.u8(fields)
            writer.u8(order)
        }
    }
}
