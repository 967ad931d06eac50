/// A 64-bit hash that is the same in every process and version (FNV-1a, then the MurmurHash3 finaliser): for inode
/// numbers and short name suffixes. Not for security: whoever uses it handles collisions.
package struct StableHash: Sendable {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    /// Adds bytes and their count, so that ("ab", "c") and ("a", "bc") differ.
    package mutating func combine(_ bytes: some Sequence<UInt8>) {
        var count: UInt64 = 0
        for byte in bytes {
            add(byte)
            count += 1
        }
        combine(count)
    }

    package mutating func combine(_ text: String) { combine(text.utf8) }

    package mutating func combine(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    package var value: UInt64 {
        var hash = state
        hash ^= hash >> 33
        hash &*= 0xFF51_AFD7_ED55_8CCD
        hash ^= hash >> 33
        hash &*= 0xC4CE_B9FE_1A85_EC53
        hash ^= hash >> 33
        return hash
    }

    private mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
