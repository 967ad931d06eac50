internal import Bytes

/// Headers of `mdat` (ISO/IEC 14496-12 §8.1.1), the samples' bytes.
package enum MediaData {
    /// The header of an `mdat` of `size` bytes in all: 8 bytes, or 16 if the size needs 64 bits.
    ///
    /// - Precondition: `size` is at least 8.
    package static func header(size: UInt64) -> [UInt8] { header("mdat", size: size) }

    /// Bytes of the header of an `mdat` of `size` bytes in all.
    package static func headerSize(size: UInt64) -> Int { size > UInt64(UInt32.max) ? 16 : 8 }

    /// The header of an `mdat` around `dataSize` bytes of samples.
    package static func header(dataSize: UInt64) -> [UInt8] {
        let (short, overflow) = dataSize.addingReportingOverflow(8)
        if !overflow, short <= UInt64(UInt32.max) { return header(size: short) }
        return header(size: dataSize.addingReportingOverflow(16).partialValue)
    }

    static func header(_ type: FourCC, size: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt32(exactly: size) ?? 1)
        bytes.append(bigEndian: type.rawValue)
        if size > UInt64(UInt32.max) { bytes.append(bigEndian: size) }
        return bytes
    }

    /// Room for a header while the data's length is still unknown: 16 bytes in front of the first sample.
    package static let reservedHeaderSize = 16

    /// What is put there at last: an empty `free` box and a short header, or one long header.
    package static func reservedHeader(dataSize: UInt64) -> [UInt8] {
        let (short, overflow) = dataSize.addingReportingOverflow(8)
        if !overflow, short <= UInt64(UInt32.max) { return header("free", size: 8) + header(size: short) }
        return header(size: dataSize.addingReportingOverflow(16).partialValue)
    }
}
