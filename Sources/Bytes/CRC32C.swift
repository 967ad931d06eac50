internal import CLinux

/// CRC-32 with the Castagnoli polynomial (RFC 3720 appendix B.4), by the processor's instruction where there is one.
package struct CRC32C: Sendable {
    package private(set) var value: UInt32 = 0

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return }
        value = reelfs_crc32c(value, base, bytes.count)
    }

    package mutating func update(_ text: String) {
        var text = text
        text.withUTF8 { update(UnsafeRawBufferPointer($0)) }
    }

    /// The number's eight bytes, least significant first.
    package mutating func update(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { update($0) }
    }
}
