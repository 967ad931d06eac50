/// Raw byte sequence payloads: the inside of NAL units, where 00 00 03 stands for 00 00 (ISO/IEC 14496-10 §7.3.1).
package enum RBSP {
    /// `unit` without its header of `headerSize` bytes and without emulation prevention bytes.
    package static func payload(of unit: [UInt8], headerSize: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(unit.count)
        var zeros = 0
        for byte in unit.dropFirst(headerSize) {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }

    /// The way back: `payload` as it stands inside a NAL unit, without a header.
    package static func escaped(_ payload: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(payload.count + payload.count / 64)
        var zeros = 0
        for byte in payload {
            if zeros >= 2, byte <= 3 {
                result.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }
}
