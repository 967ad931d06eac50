/// Width to height of one pixel.
package enum PixelAspect {
    /// `aspect_ratio_idc` of H.264 table E-1 and HEVC table E.1; `nil` for 0, reserved values, and 255 (stated in full).
    package static func named(_ indicator: UInt8) -> Ratio? {
        let table: [(UInt64, UInt64)] = [
            (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11), (15, 11), (64, 33), (160, 99),
            (4, 3), (3, 2), (2, 1),
        ]
        guard indicator >= 1, Int(indicator) <= table.count else { return nil }
        let (width, height) = table[Int(indicator) - 1]
        return Ratio(width, height)
    }

    /// From the size to show a picture in, as Matroska's DisplayWidth and DisplayHeight state it. `nil` if anything is zero.
    package static func ofDisplay(width: UInt64, height: UInt64, pixelWidth: UInt64, pixelHeight: UInt64) -> Ratio? {
        let (left, overflow) = width.multipliedReportingOverflow(by: pixelHeight)
        let (right, overflow2) = height.multipliedReportingOverflow(by: pixelWidth)
        return overflow || overflow2 ? nil : Ratio(left, right)
    }
}
