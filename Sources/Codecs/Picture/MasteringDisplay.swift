internal import Bytes

/// The display a film was graded on (SMPTE ST 2086), in the units of MP4's `mdcv` box and of the SEI message 137
/// (ISO/IEC 23008-2 §D.3.28): chromaticities in 1/50000, luminances in 1/10000 cd/m².
package struct MasteringDisplay: Hashable, Sendable, DecoderConfiguration {
    package struct Chromaticity: Hashable, Sendable {
        package var x: UInt16, y: UInt16

        package init(x: UInt16, y: UInt16) {
            self.x = x
            self.y = y
        }

        /// From CIE 1931 coordinates as Matroska states them; `nil` outside 0…1 or not a number.
        package init?(x: Double, y: Double) {
            guard (0...1).contains(x), (0...1).contains(y) else { return nil }
            self.init(x: UInt16((x * 50000).rounded()), y: UInt16((y * 50000).rounded()))
        }
    }

    package var green: Chromaticity, blue: Chromaticity, red: Chromaticity, white: Chromaticity
    package var maximumLuminance: UInt32
    package var minimumLuminance: UInt32

    package init(
        red: Chromaticity, green: Chromaticity, blue: Chromaticity, white: Chromaticity, maximumLuminance: UInt32, minimumLuminance: UInt32
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
        self.maximumLuminance = maximumLuminance
        self.minimumLuminance = minimumLuminance
    }

    /// From the SEI message, and likewise from an `mdcv` box, which copies it.
    package init?(payload: [UInt8]) {
        var reader = BigEndianReader(payload)
        func point() -> Chromaticity { Chromaticity(x: reader.u16(), y: reader.u16()) }
        green = point()
        blue = point()
        red = point()
        white = point()
        maximumLuminance = reader.u32()
        minimumLuminance = reader.u32()
        if reader.overran { return nil }
    }

    package var boxType: String { "mdcv" }

    package var boxPayload: [UInt8] {
        var bytes: [UInt8] = []
        for point in [green, blue, red, white] {
            bytes.append(bigEndian: point.x)
            bytes.append(bigEndian: point.y)
        }
        bytes.append(bigEndian: maximumLuminance)
        bytes.append(bigEndian: minimumLuminance)
        return bytes
    }

    /// Candela per square metre in the unit of `maximumLuminance`; `nil` if it does not fit or is not a number.
    package static func luminance(_ candela: Double) -> UInt32? { UInt32(exactly: (candela * 10000).rounded()) }
}
