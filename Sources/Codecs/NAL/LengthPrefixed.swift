internal import Bytes

/// NAL units behind their lengths (ISO/IEC 14496-15 §4.3.3), as Matroska and MP4 carry them.
package enum LengthPrefixed {
    /// Where the units are, or `nil` if the lengths do not end exactly with the bytes. Empty units are left out.
    ///
    /// - Parameter lengthSize: bytes in a length: 1, 2, 3 or 4, as the configuration says.
    package static func units(in bytes: [UInt8], lengthSize: Int) -> [Range<Int>]? {
        guard (1...4).contains(lengthSize) else { return nil }
        var units: [Range<Int>] = []
        var position = 0
        while position < bytes.count {
            guard bytes.count - position >= lengthSize else { return nil }
            var length = 0
            for index in position..<position + lengthSize { length = length << 8 | Int(bytes[index]) }
            position += lengthSize
            guard length <= bytes.count - position else { return nil }
            if length > 0 { units.append(position..<position + length) }
            position += length
        }
        return units
    }

    /// Whether a frame that should be length-prefixed is in truth Annex B, which some programs put into Matroska. Start codes
    /// can be read as lengths of 1 or 256…511, so that the lengths must be wrong too.
    package static func isReallyAnnexB(_ bytes: [UInt8], lengthSize: Int) -> Bool {
        AnnexB.hasStartCode(bytes) && units(in: bytes, lengthSize: lengthSize) == nil
    }

    /// The units with a start code of four bytes before each, or `nil` if the lengths are wrong.
    package static func annexB(_ bytes: [UInt8], lengthSize: Int) -> [UInt8]? {
        guard let units = units(in: bytes, lengthSize: lengthSize) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + units.count * 4)
        for unit in units {
            result.append(bigEndian: UInt32(1))
            result.append(contentsOf: bytes[unit])
        }
        return result
    }
}
