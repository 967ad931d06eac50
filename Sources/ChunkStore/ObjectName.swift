internal import Bytes

/// Where an object's key leads in the directory. Two keys may share it: the key itself stands in the file's header.
struct KeyHash: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init(_ key: String) {
        var first = StableHash(), second = StableHash()
        first.combine(key)
        second.combine("second half")
        second.combine(key)
        high = first.value
        low = second.value
    }
}

/// The name of an object's two files: `objects/3f/<key hash>-<generation>.data` and `.map`. The generation is random
/// and new for each storing of a version, so that old and new ones stand side by side.
struct ObjectName: Hashable, Sendable {
    let hash: KeyHash
    let generation: UInt64

    init(hash: KeyHash, generation: UInt64) {
        self.hash = hash
        self.generation = generation
    }

    /// From a file's name with or without its extension; `nil` when it is no object's.
    init?(fileName: some StringProtocol) {
        let parts = fileName.prefix { $0 != "." }.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 32, parts[1].utf8.count == 16, let high = UInt64(parts[0].prefix(16), radix: 16),
            let low = UInt64(parts[0].dropFirst(16), radix: 16), let generation = UInt64(parts[1], radix: 16)
        else { return nil }
        self.init(hash: KeyHash(high: high, low: low), generation: generation)
        guard stem == fileName.prefix(while: { $0 != "." }) else { return nil }
    }

    var stem: String { ObjectName.hexadecimal(hash.high) + ObjectName.hexadecimal(hash.low) + "-" + ObjectName.hexadecimal(generation) }

    /// The subdirectory of `objects`, one of 256.
    var folder: String { String(stem.prefix(2)) }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
