/// Packs bits, most significant first.
package struct BitWriter: Sendable {
    private var packed: [UInt8] = []
    private var bitCount = 0

    package init() {}

    /// Appends the low `count` bits of `value`.
    ///
    /// - Precondition: `count` is in `0...64`.
    package mutating func put(_ value: some BinaryInteger, _ count: Int) {
        let value = UInt64(truncatingIfNeeded: value)
        for shift in stride(from: count - 1, through: 0, by: -1) {
            if bitCount & 7 == 0 { packed.append(0) }
            packed[packed.count - 1] |= UInt8(truncatingIfNeeded: value >> UInt64(shift) & 1) << UInt8(7 - bitCount & 7)
            bitCount += 1
        }
    }

    package mutating func put(_ flag: Bool) { put(flag ? 1 : 0, 1) }

    /// Zero bits up to the next byte border.
    package mutating func align() { put(0, -bitCount & 7) }

    /// What was written, filled up with zero bits to a whole byte.
    package var bytes: [UInt8] { packed }
}
