private import Glibc

/// SplitMix64: the same numbers from the same seed on every machine. Print `seed` with a failure; `REELFS_TEST_SEED`
/// in the environment runs the failing sequence again.
package struct RepeatableRandom: RandomNumberGenerator, Sendable {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The seed of the environment, else `fallback`.
    package static func forTest(fallback: UInt64 = 20_260_101) -> RepeatableRandom {
        let text = getenv("REELFS_TEST_SEED").map { String(cString: $0) }
        return RepeatableRandom(seed: text.flatMap { UInt64($0) } ?? fallback)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// `count` bytes that do not compress and do not repeat.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count + 8)
        while result.count < count {
            withUnsafeBytes(of: next().littleEndian) { result.append(contentsOf: $0) }
        }
        result.removeLast(result.count - count)
        return result
    }
}
