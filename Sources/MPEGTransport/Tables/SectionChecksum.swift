/// CRC-32 of sections (ISO/IEC 13818-1 annex A): polynomial 04C11DB7, from all ones, not reflected. Over a section with its
/// CRC it is zero.
enum SectionChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { value, _ in value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
    }

    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(UInt32.max) { $0 << 8 ^ table[Int(UInt8(truncatingIfNeeded: $0 >> 24) ^ $1)] }
    }
}
