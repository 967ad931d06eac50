/// A Variable-Size Integer of 1 to 8 bytes (RFC 8794 §4): as many leading zero bits as further bytes, a marker bit, the value.
struct VariableInteger: Hashable {
    let value: UInt64
    let length: Int

    /// Every value bit is set: the size is unknown (RFC 8794 §6.2).
    var isAllOnes: Bool { value == UInt64(1) << (7 * length) - 1 }

    enum Parsed { case value(VariableInteger), short, invalid }

    static func parse(_ bytes: ArraySlice<UInt8>) -> Parsed {
        guard let first = bytes.first else { return .short }
        let length = first.leadingZeroBitCount + 1
        guard length <= 8 else { return .invalid }
        guard bytes.count >= length else { return .short }
        var value = length == 8 ? 0 : UInt64(first & (0xFF >> UInt8(length)))
        for byte in bytes.dropFirst().prefix(length - 1) { value = value << 8 | UInt64(byte) }
        return .value(VariableInteger(value: value, length: length))
    }

    /// As the differences of EBML lacing write signed numbers (RFC 9559 §10.3.3): the value less half of its room.
    var signed: Int64 { Int64(value) - (Int64(1) << (7 * length - 1) - 1) }
}
