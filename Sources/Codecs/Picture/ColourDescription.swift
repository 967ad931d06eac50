/// How sample values become colours: code points of ITU-T H.273 (ISO/IEC 23091-2), which H.264, HEVC, AV1, VP9, Matroska and
/// the `nclx` form of MP4's `colr` box share. 2 means unspecified.
package struct ColourDescription: Hashable, Sendable {
    package var primaries: UInt8
    package var transfer: UInt8
    package var matrix: UInt8
    package var isFullRange: Bool

    package init(primaries: UInt8 = 2, transfer: UInt8 = 2, matrix: UInt8 = 2, isFullRange: Bool = false) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// Nothing is said beyond what a player assumes.
    package var isUnspecified: Bool { primaries == 2 && transfer == 2 && matrix == 2 && !isFullRange }
    /// The transfer is that of HDR: SMPTE ST 2084 or ARIB STD-B67 (HLG).
    package var isHDR: Bool { transfer == 16 || transfer == 18 }
}
