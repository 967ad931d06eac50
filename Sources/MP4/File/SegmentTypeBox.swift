/// `styp` (ISO/IEC 14496-12 §8.16.2): what a segment that stands alone conforms to.
package struct SegmentTypeBox: Box, Hashable {
    package static let type: FourCC = "styp"

    package var brands: FileTypeBox

    package init(_ brands: FileTypeBox) { self.brands = brands }

    package init(from reader: inout BoxReader) throws(MP4Error) { brands = try FileTypeBox(from: &reader) }

    package func write(to writer: inout BoxWriter) { writer.box(Self.type) { brands.writeFields(to: &$0) } }
}
