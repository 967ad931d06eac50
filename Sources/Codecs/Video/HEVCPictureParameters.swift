/// The numbers that join a picture parameter set of HEVC to its sequence (ISO/IEC 23008-2 §7.3.2.3.1).
package struct HEVCPictureParameters: Hashable, Sendable {
    package let identifier: Int
    package let sequenceIdentifier: Int

    /// - Parameter unit: the NAL unit with its header of two bytes.
    package init(unit: [UInt8]) throws(CodecError) {
        guard let first = unit.first, HEVCNAL.type(first) == HEVCNAL.picture else {
            throw CodecError(.malformed, "HEVC picture parameter set: other NAL unit type")
        }
        var reader = BitReader(RBSP.payload(of: unit, headerSize: 2))
        identifier = reader.exp(atMost: 63)
        sequenceIdentifier = reader.exp(atMost: 15)
        guard !reader.overran else { throw CodecError(.truncated, "HEVC picture parameter set") }
    }
}
