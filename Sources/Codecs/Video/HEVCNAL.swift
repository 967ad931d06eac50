/// NAL unit types of HEVC (ISO/IEC 23008-2 table 7-1).
package enum HEVCNAL {
    package static let video: UInt8 = 32, sequence: UInt8 = 33, picture: UInt8 = 34, delimiter: UInt8 = 35, prefixSupplemental: UInt8 = 39

    package static func type(_ firstByte: UInt8) -> UInt8 { firstByte >> 1 & 0x3F }

    /// IRAP pictures: BLA, IDR, CRA and the reserved types between.
    package static func isRandomAccess(_ type: UInt8) -> Bool { (16...23).contains(type) }

    /// Whether decoding can start at an access unit: its slices are those of an IRAP picture.
    package static func isSyncPoint(_ units: [Range<Int>], in bytes: [UInt8]) -> Bool {
        units.contains { range in bytes[range].first.map { isRandomAccess(type($0)) } ?? false }
    }

    /// Whether a unit begins a picture: a slice segment with first_slice_segment_in_pic_flag (§7.3.6.1).
    package static func startsPicture(_ unit: some Collection<UInt8>) -> Bool {
        guard let first = unit.first, type(first) < 32, let third = unit.dropFirst(2).first else { return false }
        return third & 0x80 != 0
    }
}
