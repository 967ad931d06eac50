/// Bytes from hexadecimal text; blanks are ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// SplitMix64: the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}

/// What damage makes of `whole`: each cut, each single bit flipped (of long input some), and several bytes replaced.
func damaged(_ whole: [UInt8], seed: UInt64 = 3, rounds: Int = 400) -> [[UInt8]] {
    var generator = SeededGenerator(seed: seed)
    var results = (0...whole.count).map { Array(whole.prefix($0)) }
    let bits = whole.count * 8
    for bit in 0..<min(bits, 1600) {
        var copy = whole
        let place = bits <= 1600 ? bit : Int.random(in: 0..<bits, using: &generator)
        copy[place >> 3] ^= 0x80 >> UInt8(place & 7)
        results.append(copy)
    }
    guard !whole.isEmpty else { return results }
    for _ in 0..<rounds {
        var copy = whole
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            copy[Int.random(in: 0..<copy.count, using: &generator)] = [0, 0xFF, UInt8.random(in: 0...255, using: &generator)]
                .randomElement(using: &generator) ?? 0
        }
        if Bool.random(using: &generator) { copy.removeLast(Int.random(in: 0..<copy.count, using: &generator)) }
        results.append(copy)
    }
    return results
}
