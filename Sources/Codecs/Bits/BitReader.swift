/// Reads bits, most significant first, from bytes that came from outside. A read past the end, or an Exp-Golomb code that is
/// longer than its standard allows, answers zero and sets `overran`, which stays set: check it after a group of fields and
/// before believing a count.
package struct BitReader: Sendable {
    private let bytes: [UInt8]
    /// Bits read so far.
    package private(set) var position = 0
    package private(set) var overran = false

    package var bitCount: Int { bytes.count * 8 }
    package var remaining: Int { bitCount - position }

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next `count` bits as a number.
    ///
    /// - Precondition: `count` is in `0...32`.
    package mutating func bits(_ count: Int) -> UInt32 {
        guard !overran, count <= remaining else {
            fail()
            return 0
        }
        var value: UInt64 = 0
        var left = count
        while left > 0 {
            let offset = position & 7
            let taken = min(left, 8 - offset)
            let byte = UInt64(bytes[position >> 3]) >> UInt64(8 - offset - taken) & (1 << UInt64(taken) - 1)
            value = value << UInt64(taken) | byte
            position += taken
            left -= taken
        }
        return UInt32(truncatingIfNeeded: value)
    }

    package mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: bits(8)) }

    package mutating func flag() -> Bool { bits(1) == 1 }

    package mutating func skip(_ count: Int) {
        guard !overran, count >= 0, count <= remaining else { return fail() }
        position += count
    }

    /// To the next byte border, as `byte_alignment()` does.
    package mutating func align() { skip(-position & 7) }

    /// `ue(v)`: unsigned Exp-Golomb (ISO/IEC 14496-10 §9.1), at most 2³² − 2.
    package mutating func exp() -> UInt32 {
        var zeros = 0
        while !overran, !flag() {
            zeros += 1
            if zeros > 31 {
                fail()
                return 0
            }
        }
        return overran ? 0 : UInt32(truncatingIfNeeded: (UInt64(1) << UInt64(zeros)) - 1 + UInt64(bits(zeros)))
    }

    /// `ue(v)` that the standard bounds: a larger value counts as damage.
    package mutating func exp(atMost limit: UInt32) -> Int {
        let value = exp()
        guard value <= limit else {
            fail()
            return 0
        }
        return Int(value)
    }

    /// `se(v)`: signed Exp-Golomb (ISO/IEC 14496-10 §9.1.1).
    package mutating func signedExp() -> Int32 {
        let code = Int64(exp())
        return Int32(truncatingIfNeeded: code & 1 == 1 ? (code + 1) / 2 : -(code / 2))
    }

    /// Marks the bits as damaged: all later reads answer zero.
    package mutating func fail() {
        overran = true
        position = bitCount
    }
}
