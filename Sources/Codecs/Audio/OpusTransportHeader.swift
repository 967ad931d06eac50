/// The control header before each Opus packet in MPEG-TS (Opus in MPEG-TS, opus_control_header()).
package struct OpusTransportHeader: Hashable, Sendable {
    /// Of the header itself.
    package let size: Int
    /// Of the packet behind it.
    package let packetSize: Int
    /// Samples of 48 kHz to drop at the packet's start and end.
    package let startTrim: UInt16
    package let endTrim: UInt16

    /// From the start of an access unit; `nil` unless a whole header stands there.
    package init?(_ bytes: some Collection<UInt8>) {
        var reader = BitReader(Array(bytes.prefix(600)))
        guard reader.bits(11) == 0x3FF else { return nil }
        let hasStart = reader.flag(), hasEnd = reader.flag(), hasExtension = reader.flag()
        reader.skip(2)
        var length = 0
        while !reader.overran {
            let part = Int(reader.byte())
            length += part
            if part != 255 { break }
        }
        startTrim = hasStart ? UInt16(reader.bits(16)) & 0x1FFF : 0
        endTrim = hasEnd ? UInt16(reader.bits(16)) & 0x1FFF : 0
        if hasExtension { reader.skip(Int(reader.byte()) * 8) }
        guard !reader.overran else { return nil }
        packetSize = length
        size = reader.position / 8
    }
}
