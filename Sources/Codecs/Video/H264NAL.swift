/// NAL unit types of H.264 (ISO/IEC 14496-10 table 7-1).
package enum H264NAL {
    package static let slice: UInt8 = 1, idr: UInt8 = 5, supplemental: UInt8 = 6, sequence: UInt8 = 7, picture: UInt8 = 8, delimiter: UInt8 = 9
    package static let sequenceExtension: UInt8 = 13

    package static func type(_ firstByte: UInt8) -> UInt8 { firstByte & 0x1F }

    /// Whether decoding can start at an access unit: it has an IDR slice, or a recovery point message (an open group of
    /// pictures, §D.2.8).
    ///
    /// - Parameter units: ranges in `bytes`, as `AnnexB` or `LengthPrefixed` found them.
    package static func isSyncPoint(_ units: [Range<Int>], in bytes: [UInt8]) -> Bool {
        units.contains { range in
            guard let first = bytes[range].first else { return false }
            switch type(first) {
            case idr: return true
            case supplemental:
                return SupplementalInformation.messages(in: RBSP.payload(of: Array(bytes[range]), headerSize: 1))
                    .contains { $0.type == SupplementalInformation.recoveryPoint }
            default: return false
            }
        }
    }

    /// Whether a unit begins a picture: a slice whose first_mb_in_slice is 0 (§7.3.3).
    package static func startsPicture(_ unit: some Collection<UInt8>) -> Bool {
        guard let first = unit.first, (1...5).contains(type(first)), let second = unit.dropFirst().first else { return false }
        return second & 0x80 != 0
    }
}
