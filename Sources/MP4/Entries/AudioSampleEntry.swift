/// `AudioSampleEntry` (ISO/IEC 14496-12 §12.2.3): `mp4a`, `ac-3`, `Opus`, `fLaC` and others. QuickTime's versions 1 and 2
/// are read, version 0 is written.
package struct AudioSampleEntry: Hashable, Sendable {
    package var format: FourCC
    package var channels: UInt16
    /// Bits of a sample; 16 where the codec has none.
    package var bits: UInt16
    /// In Hz. The field has 16 bits: of larger rates the greatest regular division is written, as the mapping of FLAC asks
    /// (96000 → 48000); `mlpa` has all 32 bits. Players take the true rate from the configuration.
    package var rate: UInt32
    /// `esds`, `dac3`, `dec3`, `dOps`, `dfLa`, `alac`, `ddts`, `dmlp`, `pcmC`, then `btrt`.
    package var children: [RawBox]

    package init(format: FourCC, channels: UInt16, rate: UInt32, bits: UInt16 = 16, children: [RawBox]) {
        self.format = format
        self.channels = channels
        self.bits = bits
        self.rate = rate
        self.children = children
    }

    /// `pcmC` (ISO/IEC 23003-5 §6) for `ipcm` and `fpcm`.
    package static func pcmConfiguration(bits: UInt8, isLittleEndian: Bool) -> RawBox {
        RawBox(type: "pcmC", payload: [0, 0, 0, 0, isLittleEndian ? 1 : 0, bits])
    }

    /// The first box of that kind, if it is there and whole.
    package func child<Kind: Box>(_ kind: Kind.Type) -> Kind? { children.lazy.compactMap { $0.parsed(as: kind) }.first }

    init(from reader: inout BoxReader) throws(MP4Error) {
        format = reader.type
        try SampleEntry.readHead(&reader)
        let version = try reader.u16()
        try reader.skip(6)
        channels = try reader.u16()
        bits = try reader.u16()
        try reader.skip(4)
        let rate = try reader.u32()
        self.rate = format == "mlpa" ? rate : rate >> 16
        // QuickTime File Format, sound sample description versions 1 and 2.
        if version == 1 { try reader.skip(16) }
        if version == 2 {
            try reader.skip(4)
            let exact = Double(bitPattern: try reader.u64())
            self.rate = UInt32(exactly: exact.rounded()) ?? self.rate
            channels = UInt16(exactly: try reader.u32()) ?? channels
            try reader.skip(4)
            bits = UInt16(exactly: try reader.u32()) ?? bits
            try reader.skip(12)
        }
        children = try reader.rawChildren()
    }

    func write(to writer: inout BoxWriter) {
        writer.box(format) { writer in
            SampleEntry.writeHead(to: &writer)
            writer.zeros(8)
            writer.u16(channels)
            writer.u16(bits)
            writer.u32(0)
            if format == "mlpa" {
                writer.u32(rate)
            } else {
                var rate = rate
                while rate > UInt32(UInt16.max) { rate /= 2 }
                writer.u32(rate << 16)
            }
            for child in children { child.write(to: &writer) }
        }
    }
}
