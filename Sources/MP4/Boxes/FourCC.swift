/// The type of a box, brand, handler or sample entry: four bytes, mostly ASCII.
package struct FourCC: Hashable, Sendable, RawRepresentable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// From four characters up to U+00FF (`©nam` begins with byte A9); `nil` for other text.
    package init?(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count == 4, scalars.allSatisfy({ $0.value <= 0xFF }) else { return nil }
        rawValue = scalars.reduce(0) { $0 << 8 | $1.value }
    }
}

extension FourCC: ExpressibleByStringLiteral {
    /// - Precondition: four characters up to U+00FF. Only names written in this program come here.
    package init(stringLiteral text: StaticString) {
        guard let code = FourCC(text.description) else { preconditionFailure("\(text) is no four-character code") }
        self = code
    }
}

extension FourCC: CustomStringConvertible {
    /// Four characters; bytes outside printable ASCII as U+00xx or `.`.
    package var description: String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> UInt32($0)) }
        return String(String.UnicodeScalarView(bytes.map { (0x20...0x7E).contains($0) || $0 >= 0xA0 ? Unicode.Scalar($0) : "." }))
    }
}
