/// The checksum of CRC-32 elements (RFC 8794 §11.3.1): the polynomial of ISO 3309, reflected, start and end inverted.
struct CRC32: Sendable {
    private var state: UInt32 = .max
    var value: UInt32 { ~state }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }

    mutating func update(_ bytes: ArraySlice<UInt8>) {
        let table = CRC32.table
        var value = state
        for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8 }
        state = value
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var checksum = CRC32()
        checksum.update(bytes)
        return checksum.value
    }
}
