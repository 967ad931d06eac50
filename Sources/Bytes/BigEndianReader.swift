/// Reads big-endian numbers from bytes that came from outside. It never traps and never throws: a read past the end answers
/// zero and sets `overran`, which stays set, so that a parser checks once after a group of fields and within its loops.
package struct BigEndianReader: Sendable {
    private let bytes: [UInt8]
    /// Index of the next byte, in the array given at `init`.
    package private(set) var position: Int
    /// The first index that is not to be read.
    package let end: Int
    /// Whether anything was asked that is not there. Everything read since the first such ask is zero or empty.
    package private(set) var overran = false

    package var remaining: Int { end - position }

    /// A reader of `range` of `bytes`, cut to what the array has.
    package init(_ bytes: [UInt8], range: Range<Int>? = nil) {
        self.bytes = bytes
        let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        position = range.lowerBound
        end = range.upperBound
    }

    private mutating func take(_ count: Int) -> Int? {
        guard !overran, count >= 0, count <= remaining else {
            overran = true
            position = end
            return nil
        }
        defer { position += count }
        return position
    }

    private mutating func number(_ count: Int) -> UInt64 {
        guard let start = take(count) else { return 0 }
        var value: UInt64 = 0
        for index in start..<start + count { value = value << 8 | UInt64(bytes[index]) }
        return value
    }

    package mutating func u8() -> UInt8 { UInt8(truncatingIfNeeded: number(1)) }
    package mutating func u16() -> UInt16 { UInt16(truncatingIfNeeded: number(2)) }
    package mutating func u24() -> UInt32 { UInt32(truncatingIfNeeded: number(3)) }
    package mutating func u32() -> UInt32 { UInt32(truncatingIfNeeded: number(4)) }
    package mutating func u48() -> UInt64 { number(6) }
    package mutating func u64() -> UInt64 { number(8) }
    package mutating func i16() -> Int16 { Int16(bitPattern: u16()) }
    package mutating func i32() -> Int32 { Int32(bitPattern: u32()) }
    package mutating func i64() -> Int64 { Int64(bitPattern: u64()) }

    /// The next `count` bytes; empty when there are fewer.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        guard let start = take(count) else { return [] }
        return Array(bytes[start..<start + count])
    }

    /// Everything that is left.
    package mutating func rest() -> [UInt8] { bytes(remaining) }

    package mutating func skip(_ count: Int) { _ = take(count) }

    /// The index range of the next `count` bytes, which are passed over; `nil` when there are fewer.
    package mutating func range(_ count: Int) -> Range<Int>? {
        take(count).map { $0..<$0 + count }
    }

    /// The next byte without passing over it; `nil` at the end.
    package var peek: UInt8? { position < end ? bytes[position] : nil }
}
