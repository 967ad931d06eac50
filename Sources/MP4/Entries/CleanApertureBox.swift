/// `clap` (ISO/IEC 14496-12 §12.1.4): the part of the picture to show.
package struct CleanApertureBox: Box, Hashable {
    package static let type: FourCC = "clap"

    package struct Fraction: Hashable, Sendable {
        /// Signed in the two offsets, in two's complement.
        package var numerator: UInt32
        package var denominator: UInt32

        package init(_ numerator: UInt32, _ denominator: UInt32) {
            self.numerator = numerator
            self.denominator = denominator
        }
    }

    package var width: Fraction
    package var height: Fraction
    /// From the picture's centre.
    package var horizontalOffset: Fraction
    package var verticalOffset: Fraction

    package init(width: Fraction, height: Fraction, horizontalOffset: Fraction, verticalOffset: Fraction) {
        self.width = width
        self.height = height
        self.horizontalOffset = horizontalOffset
        self.verticalOffset = verticalOffset
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        width = Fraction(try reader.u32(), try reader.u32())
        height = Fraction(try reader.u32(), try reader.u32())
        horizontalOffset = Fraction(try reader.u32(), try reader.u32())
        verticalOffset = Fraction(try reader.u32(), try reader.u32())
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            for fraction in [width, height, horizontalOffset, verticalOffset] {
                writer.u32(fraction.numerator)
                writer.u32(fraction.denominator)
            }
        }
    }
}
