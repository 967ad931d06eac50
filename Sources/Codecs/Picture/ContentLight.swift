internal import Bytes

/// The brightest pixel and the brightest picture average in cd/m² (CTA-861.3), as in MP4's `clli` box and the SEI message 144
/// (ISO/IEC 23008-2 §D.3.35).
package struct ContentLight: Hashable, Sendable, DecoderConfiguration {
    package var maximumContent: UInt16
    package var maximumPictureAverage: UInt16

    package init(maximumContent: UInt16, maximumPictureAverage: UInt16) {
        self.maximumContent = maximumContent
        self.maximumPictureAverage = maximumPictureAverage
    }

    /// From the SEI message, and likewise from a `clli` box, which copies it.
    package init?(payload: [UInt8]) {
        var reader = BigEndianReader(payload)
        maximumContent = reader.u16()
        maximumPictureAverage = reader.u16()
        if reader.overran { return nil }
    }

    package var boxType: String { "clli" }

    package var boxPayload: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: maximumContent)
        bytes.append(bigEndian: maximumPictureAverage)
        return bytes
    }
}
