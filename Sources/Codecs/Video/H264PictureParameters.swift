/// The numbers that join a picture parameter set of H.264 to its sequence (ISO/IEC 14496-10 §7.3.2.2).
package struct H264PictureParameters: Hashable, Sendable {
    package let identifier: Int
    package let sequenceIdentifier: Int

    /// - Parameter unit: the NAL unit with its header byte.
    package init(unit: [UInt8]) throws(CodecError) {
        guard let first = unit.first, H264NAL.type(first) == H264NAL.picture else {
            throw CodecError(.malformed, "H.264 picture parameter set: other NAL unit type")
        }
        var reader = BitReader(RBSP.payload(of: unit, headerSize: 1))
        identifier = reader.exp(atMost: 255)
        sequenceIdentifier = reader.exp(atMost: 31)
        guard !reader.overran else { throw CodecError(.truncated, "H.264 picture parameter set") }
    }
}
