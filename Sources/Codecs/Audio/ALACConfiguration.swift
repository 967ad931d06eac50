internal import Bytes

/// ALACSpecificConfig (Apple Lossless "magic cookie"): Matroska's CodecPrivate of A_ALAC, and the box `alac` inside MP4's
/// sample entry of that name.
package struct ALACConfiguration: Hashable, Sendable, DecoderConfiguration {
    package let frameLength: UInt32
    package let depth: UInt8
    package let channels: UInt8
    package let samplingRate: UInt32
    private let cookie: [UInt8]

    /// From the cookie: the plain 24 bytes (with or without a channel layout behind), or wrapped in `frma` and `alac` atoms as
    /// old programs stored it.
    package init(codecPrivate: [UInt8]) throws(CodecError) {
        var cookie = codecPrivate
        if cookie.count >= 12, cookie[4..<8].elementsEqual("frma".utf8) { cookie.removeFirst(12) }
        if cookie.count >= 12, cookie[4..<8].elementsEqual("alac".utf8) { cookie.removeFirst(12) }
        var reader = BigEndianReader(cookie)
        frameLength = reader.u32()
        reader.skip(1)  // compatibleVersion
        depth = reader.u8()
        reader.skip(3)
        channels = reader.u8()
        reader.skip(10)
        samplingRate = reader.u32()
        guard !reader.overran else { throw CodecError(.truncated, "ALAC configuration") }
        guard frameLength > 0, channels > 0, samplingRate > 0, [16, 20, 24, 32].contains(depth) else {
            throw CodecError(.malformed, "ALAC configuration")
        }
        self.cookie = cookie
    }

    package var boxType: String { "alac" }
    package var boxPayload: [UInt8] { [0, 0, 0, 0] + cookie }
}
