/// The language of a track: three letters of ISO 639-2/T, packed in 15 bits (ISO/IEC 14496-12 §8.4.2.3).
package struct LanguageCode: Hashable, Sendable {
    package let packed: UInt16

    package static let undetermined = LanguageCode(packed: 0x55C4)

    init(packed: UInt16) { self.packed = packed & 0x7FFF }

    /// From three letters a–z, of either case; `nil` for other text.
    package init?(_ text: String) {
        let letters = Array(text.lowercased().utf8)
        guard letters.count == 3, letters.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }) else { return nil }
        packed = letters.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
    }
}

extension LanguageCode: CustomStringConvertible {
    /// Three letters; `und` if the bits are none (QuickTime's language numbers).
    package var description: String {
        let letters = [10, 5, 0].map { UInt8(packed >> UInt16($0) & 31) }
        guard letters.allSatisfy({ (1...26).contains($0) }) else { return "und" }
        return String(decoding: letters.map { $0 + 0x60 }, as: UTF8.self)
    }
}
