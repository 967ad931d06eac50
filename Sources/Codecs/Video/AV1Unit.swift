/// An open bitstream unit of AV1 (AV1 Bitstream & Decoding Process Specification §5.3).
package struct AV1Unit: Hashable, Sendable {
    package static let sequenceHeader: UInt8 = 1, temporalDelimiter: UInt8 = 2, frameHeader: UInt8 = 3, frame: UInt8 = 6

    package let type: UInt8
    /// The whole unit, header first.
    package let range: Range<Int>
    /// What is behind header and size.
    package let payload: Range<Int>

    /// The units of a temporal unit in the low-overhead format, or `nil` if their sizes do not end with the bytes. Only the
    /// last may leave its size out.
    package static func units(in bytes: [UInt8]) -> [AV1Unit]? {
        var units: [AV1Unit] = []
        var position = 0
        while position < bytes.count {
            let head = bytes[position]
            guard head & 0x80 == 0 else { return nil }
            var start = position + 1 + (head & 4 != 0 ? 1 : 0)
            guard start <= bytes.count else { return nil }
            var size = bytes.count - start
            if head & 2 != 0 {
                guard let stated = leb128(bytes, &start), stated <= UInt64(bytes.count - start) else { return nil }
                size = Int(stated)
            }
            units.append(AV1Unit(type: head >> 3 & 15, range: position..<start + size, payload: start..<start + size))
            position = start + size
        }
        return units
    }

    /// §4.10.5: at most 8 bytes and 32 bits.
    private static func leb128(_ bytes: [UInt8], _ index: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 56, by: 7) {
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value <= UInt64(UInt32.max) ? value : nil }
        }
        return nil
    }
}
