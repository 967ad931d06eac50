/// A gzip member that holds its bytes uncompressed (RFC 1951 §3.2.4, RFC 1952 §2.3).
enum GzipStored {
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        var start = 0
        repeat {
            let end = min(start + 65535, bytes.count), count = UInt16(end - start)
            result += [end == bytes.count ? 1 : 0, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
            result += bytes[start..<end]
            start = end
        } while start < bytes.count
        for word in [crc(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
            for shift in [0, 8, 16, 24] { result.append(UInt8(word >> shift & 255)) }
        }
        return result
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
