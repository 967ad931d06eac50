/// NAL units between start codes (ISO/IEC 14496-10 Annex B, ISO/IEC 23008-2 Annex B), as MPEG-TS carries them.
package enum AnnexB {
    /// Where the units are: without start codes and without the zeros before the next one. Bytes in front of the first start
    /// code belong to no unit; empty units are left out.
    package static func units(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        var units: [Range<Int>] = []
        var start: Int?
        var index = 0
        let count = bytes.count
        while index + 2 < count {
            let third = bytes[index + 2]
            if third > 1 {
                index += 3
            } else if third == 0 {
                index += 1
            } else {
                if bytes[index] == 0, bytes[index + 1] == 0 {
                    append(from: start, to: index, in: bytes, &units)
                    start = index + 3
                }
                index += 3
            }
        }
        append(from: start, to: count, in: bytes, &units)
        return units
    }

    package static func units(in bytes: [UInt8]) -> [Range<Int>] { bytes.withUnsafeBytes { units(in: $0) } }

    private static func append(from start: Int?, to end: Int, in bytes: UnsafeRawBufferPointer, _ units: inout [Range<Int>]) {
        guard let start else { return }
        var end = end
        // trailing_zero_8bits and the zero_byte of the next start code: a NAL unit never ends in a zero (§7.4.1).
        while end > start, bytes[end - 1] == 0 { end -= 1 }
        if end > start { units.append(start..<end) }
    }

    /// The same units, each behind its length in four bytes (ISO/IEC 14496-15 §4.3.3), as MP4 carries them.
    package static func lengthPrefixed(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        lengthPrefixed(units(in: bytes), of: bytes)
    }

    package static func lengthPrefixed(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { lengthPrefixed($0) } }

    /// Chosen units of `bytes`, each behind its length in four bytes.
    ///
    /// - Precondition: the ranges lie in `bytes`.
    package static func lengthPrefixed(_ units: [Range<Int>], of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let total = units.reduce(0) { $0 + $1.count + 4 }
        return [UInt8](unsafeUninitializedCapacity: total) { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            for unit in units {
                target.storeBytes(of: UInt32(truncatingIfNeeded: unit.count).bigEndian, toByteOffset: count, as: UInt32.self)
                UnsafeMutableRawBufferPointer(rebasing: target[(count + 4)..<(count + 4 + unit.count)])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[unit]))
                count += 4 + unit.count
            }
        }
    }

    /// Whether the bytes begin as an Annex B stream does: zeros, then a one.
    package static func hasStartCode(_ bytes: [UInt8]) -> Bool {
        guard let one = bytes.firstIndex(where: { $0 != 0 }) else { return false }
        return one >= 2 && bytes[one] == 1
    }
}
