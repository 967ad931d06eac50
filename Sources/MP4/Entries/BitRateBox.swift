/// `btrt` (ISO/IEC 14496-12 §8.5.2): bits per second.
package struct BitRateBox: Box, Hashable {
    package static let type: FourCC = "btrt"

    /// Bytes of the decoder's buffer; 0 unknown.
    package var bufferSize: UInt32
    package var maximum: UInt32
    package var average: UInt32

    package init(bufferSize: UInt32 = 0, maximum: UInt32, average: UInt32) {
        self.bufferSize = bufferSize
        self.maximum = maximum
        self.average = average
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        bufferSize = try reader.u32()
        maximum = try reader.u32()
        average = try reader.u32()
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            writer.u32(bufferSize)
            writer.u32(maximum)
            writer.u32(average)
        }
    }
}
