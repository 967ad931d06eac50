/// A positive fraction, reduced: frame rates (frames per second) and pixel aspects (width to height).
package struct Ratio: Hashable, Sendable {
    package let numerator: UInt32
    package let denominator: UInt32

    /// `nil` unless both are positive and the reduced fraction fits 32 bits.
    package init?(_ numerator: UInt64, _ denominator: UInt64) {
        guard numerator > 0, denominator > 0 else { return nil }
        var (a, b) = (numerator, denominator)
        while b > 0 { (a, b) = (b, a % b) }
        guard let top = UInt32(exactly: numerator / a), let bottom = UInt32(exactly: denominator / a) else { return nil }
        self.numerator = top
        self.denominator = bottom
    }

    package var value: Double { Double(numerator) / Double(denominator) }
}

extension Ratio: CustomStringConvertible {
    package var description: String { "\(numerator):\(denominator)" }
}
