/// The header of a transport packet with what its adaptation field says (ISO/IEC 13818-1 §2.4.3.2, §2.4.3.4).
struct PacketHeader: Hashable, Sendable {
    var pid: UInt16
    /// payload_unit_start_indicator
    var startsUnit: Bool
    /// transport_error_indicator
    var hasError: Bool
    /// transport_scrambling_control other than 0.
    var isScrambled: Bool
    var counter: UInt8
    /// Where the payload is in the packet; `nil` without one.
    var payload: Range<Int>?
    /// discontinuity_indicator
    var isDiscontinuous: Bool
    var hasPCR: Bool

    static let size = 188
    static let sync: UInt8 = 0x47

    /// From the sync byte on; `nil` if the adaptation field does not fit, or neither field nor payload is there.
    ///
    /// - Precondition: `packet` has at least 188 bytes.
    init?(_ packet: UnsafeRawBufferPointer) {
        let second = packet[1], fourth = packet[3]
        pid = UInt16(second & 0x1F) << 8 | UInt16(packet[2])
        startsUnit = second & 0x40 != 0
        hasError = second & 0x80 != 0
        isScrambled = fourth & 0xC0 != 0
        counter = fourth & 0x0F
        isDiscontinuous = false
        hasPCR = false
        var start = 4
        if fourth & 0x20 != 0 {
            let length = Int(packet[4])
            // With a payload at least one byte must be left for it.
            guard length <= (fourth & 0x10 != 0 ? 182 : 183) else { return nil }
            if length > 0 {
                isDiscontinuous = packet[5] & 0x80 != 0
                hasPCR = packet[5] & 0x10 != 0
            }
            start = 5 + length
        } else if fourth & 0x10 == 0 {
            return nil
        }
        payload = fourth & 0x10 != 0 ? start..<PacketHeader.size : nil
    }
}
