/// The header of a packetized elementary stream packet (ISO/IEC 13818-1 §2.4.3.6).
struct PESHeader: Hashable, Sendable {
    enum Parsed: Hashable, Sendable {
        /// More bytes are needed.
        case needMore
        case bad
        /// A stream without such a header: padding, private_stream_2 and the like. Its payload is not media.
        case other
        case header(PESHeader)
    }

    /// Bytes up to the payload.
    var size: Int
    /// Of the payload; `nil` if it goes on until the next PES begins.
    var payloadSize: Int?
    /// 33 bits, 90 kHz.
    var pts: UInt64?
    var dts: UInt64?
    /// PTS or DTS were there with wrong marker bits.
    var hasBadTimestamp: Bool
    /// PES_scrambling_control
    var isScrambled: Bool

    static func parse(_ bytes: [UInt8]) -> Parsed {
        let start: [UInt8] = [0, 0, 1]
        guard bytes.prefix(3).elementsEqual(start.prefix(bytes.count)) else { return .bad }
        guard bytes.count >= 4 else { return .needMore }
        switch bytes[3] {
        case 0xBC, 0xBE, 0xBF, 0xF0, 0xF1, 0xF2, 0xF8, 0xFF: return .other
        case ..<0xBC: return .bad
        default: break
        }
        guard bytes.count >= 9 else { return .needMore }
        guard bytes[6] & 0xC0 == 0x80 else { return .bad }
        let length = Int(bytes[4]) << 8 | Int(bytes[5]), headerLength = Int(bytes[8])
        let size = 9 + headerLength
        // A stated length that does not hold its own header is worth nothing.
        guard length == 0 || length >= 3 + headerLength else { return .bad }
        guard bytes.count >= size else { return .needMore }
        var header = PESHeader(
            size: size, payloadSize: length == 0 ? nil : length - 3 - headerLength, pts: nil, dts: nil, hasBadTimestamp: false,
            isScrambled: bytes[6] & 0x30 != 0)
        let flags = bytes[7] >> 6
        if flags >= 2 {
            header.pts = headerLength >= 5 ? timestamp(bytes, at: 9, mark: flags) : nil
            if flags == 3 { header.dts = headerLength >= 10 ? timestamp(bytes, at: 14, mark: 1) : nil }
            header.hasBadTimestamp = header.pts == nil || flags == 3 && header.dts == nil
        }
        return .header(header)
    }

    /// 33 bits in three parts, a marker bit behind each.
    private static func timestamp(_ bytes: [UInt8], at index: Int, mark: UInt8) -> UInt64? {
        let b = bytes[index..<index + 5].map { UInt64($0) }
        guard b[0] >> 4 == UInt64(mark), b[0] & b[2] & b[4] & 1 == 1 else { return nil }
        return (b[0] >> 1 & 7) << 30 | b[1] << 22 | (b[2] >> 1) << 15 | b[3] << 7 | b[4] >> 1
    }
}
