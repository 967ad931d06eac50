/// `VisualSampleEntry` (ISO/IEC 14496-12 §12.1.3): `avc1`, `hvc1`, `av01`, `vp09`, `mp4v` and others.
package struct VisualSampleEntry: Hashable, Sendable {
    package var format: FourCC
    /// Coded size in pixels, before cropping by the player's `clap` and scaling by `pasp`.
    package var width: UInt16
    package var height: UInt16
    /// At most 31 bytes.
    package var compressor: String
    package var depth: UInt16
    /// `avcC`, `hvcC`, `esds`, … first, then `colr`, `pasp`, `mdcv`, `clli`, `btrt`, `fiel`, `dvcC`.
    package var children: [RawBox]

    package init(format: FourCC, width: UInt16, height: UInt16, compressor: String = "", depth: UInt16 = 0x18, children: [RawBox]) {
        self.format = format
        self.width = width
        self.height = height
        self.compressor = compressor
        self.depth = depth
        self.children = children
    }

    /// The first box of that kind, if it is there and whole.
    package func child<Kind: Box>(_ kind: Kind.Type) -> Kind? { children.lazy.compactMap { $0.parsed(as: kind) }.first }

    init(from reader: inout BoxReader) throws(MP4Error) {
        format = reader.type
        try SampleEntry.readHead(&reader)
        try reader.skip(16)
        width = try reader.u16()
        height = try reader.u16()
        try reader.skip(14)  // resolution, reserved, frame count
        let name = try reader.bytes(32)
        compressor = String(decoding: name.dropFirst().prefix(Int(min(name.first ?? 0, 31))), as: UTF8.self)
        depth = try reader.u16()
        try reader.skip(2)
        children = try reader.rawChildren()
    }

    func write(to writer: inout BoxWriter) {
        writer.box(format) { writer in
            SampleEntry.writeHead(to: &writer)
            writer.zeros(16)
            writer.u16(width)
            writer.u16(height)
            writer.u32(0x48_0000)  // 72 dpi
            writer.u32(0x48_0000)
            writer.u32(0)
            writer.u16(1)  // frames per sample
            let name = Array(compressor.utf8)
            if name.count > 31 { writer.refuse("compressor name of \(name.count) bytes") }
            writer.u8(UInt8(truncatingIfNeeded: min(name.count, 31)))
            writer.bytes(name.prefix(31))
            writer.zeros(31 - min(name.count, 31))
            writer.u16(depth)
            writer.i16(-1)
            for child in children { child.write(to: &writer) }
        }
    }
}
