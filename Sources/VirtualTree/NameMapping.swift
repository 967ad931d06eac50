internal import Bytes
package import SourceAPI

/// How names of origins, which may be any bytes, become names of files.
///
/// 1. A name of 1 to 255 bytes of valid UTF-8, without `/` and NUL, and not `.` or `..`, is shown as it is.
/// 2. Any other name is mapped: each offending byte becomes `%XX`, and `~` with the hash of the original name stands before the extension. A name
///    that is then too long is cut between characters, in front of that hash; an extension of up to 32 bytes stays whole.
/// 3. Of several entries with the same name, directories come before files and then the smaller locator first: the first keeps the name, the others
///    carry `~` with the hash of their locator.
/// 4. A mapped name gives way to any name shown as it is: its hash has 8 digits, or 16 where the shorter one is taken.
///
/// The result depends on the set of entries, never on their order, and adding an entry changes other names only where the new name is one of theirs.
package enum NameMapping {
    /// The longest name that Linux takes (`NAME_MAX`), in bytes.
    package static let maximumBytes = 255

    /// A longer one is no extension but a name with a dot in it.
    private static let maximumExtensionBytes = 32

    package static func isNatural(_ name: [UInt8]) -> Bool {
        guard !name.isEmpty, name.count <= maximumBytes, name != [dot], name != [dot, dot] else { return false }
        var isPlain = true
        for byte in name {
            if byte == slash || byte == 0 { return false }
            if byte >= 0x80 { isPlain = false }
        }
        return isPlain || pieces(of: name).allSatisfy { $0.isWhole }
    }

    /// The name shown for each entry, in the order given; `nil` for an entry that repeats another one (same name, kind and locator).
    ///
    /// - Complexity: O(*n* log *n*).
    package static func shownNames(of entries: [RemoteEntry]) -> [[UInt8]?] {
        var shown: [[UInt8]?] = Array(repeating: nil, count: entries.count)
        var taken = Set<[UInt8]>(minimumCapacity: entries.count)
        var mapped: [Int] = []
        var winners: [[UInt8]: Int] = [:]  // of natural names: the entry that keeps it
        winners.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            guard isNatural(entry.name) else {
                mapped.append(index)
                continue
            }
            guard let other = winners.updateValue(index, forKey: entry.name) else { continue }
            if precedes(entries[other], entry) {
                winners[entry.name] = other
                mapped.append(index)
            } else {
                mapped.append(other)
            }
        }
        for (name, index) in winners {
            shown[index] = name
            taken.insert(name)
        }
        mapped.sort { precedes(entries[$0], entries[$1]) }
        var previous: Int?
        for index in mapped {
            let entry = entries[index]
            defer { previous = index }
            if let previous, isSame(entries[previous], entry) { continue }
            let isDuplicate: Bool
            if let winner = winners[entry.name] {
                if isSame(entries[winner], entry) { continue }
                isDuplicate = true
            } else {
                isDuplicate = previous.map { entries[$0].name == entry.name } ?? false
            }
            shown[index] = firstFree(entry, isDuplicate: isDuplicate, taken: &taken)
        }
        return shown
    }

    // MARK: - Mapping one name

    private static func firstFree(_ entry: RemoteEntry, isDuplicate: Bool, taken: inout Set<[UInt8]>) -> [UInt8] {
        var attempt: UInt64 = 0
        while true {
            let name = mapped(entry, isDuplicate: isDuplicate, attempt: attempt)
            if taken.insert(name).inserted { return name }
            attempt += 1
        }
    }

    private static func mapped(_ entry: RemoteEntry, isDuplicate: Bool, attempt: UInt64) -> [UInt8] {
        var hash = StableHash()
        if isDuplicate { hash.combine(entry.locator.text) } else { hash.combine(entry.name) }
        if attempt > 1 { hash.combine(attempt) }
        let tag = [tilde] + hexadecimal(hash.value, digits: attempt == 0 ? 8 : 16)

        var stem = escaped(entry.name)
        var ending: [[UInt8]] = []
        if let mark = stem.lastIndex(of: [dot]), mark > 0, mark < stem.count - 1 {
            let candidate = stem[mark...]
            if candidate.reduce(0, { $0 + $1.count }) <= maximumExtensionBytes {
                ending = Array(candidate)
                stem = Array(stem[..<mark])
            }
        }
        let endingCount = ending.reduce(0) { $0 + $1.count }
        var room = maximumBytes - tag.count - endingCount
        var result: [UInt8] = []
        for piece in stem {
            guard piece.count <= room else { break }
            room -= piece.count
            result += piece
        }
        result += tag
        for piece in ending { result += piece }
        return result
    }

    /// The name in pieces that must not be cut: characters, and escapes of offending bytes.
    private static func escaped(_ name: [UInt8]) -> [[UInt8]] {
        let isDots = name == [dot] || name == [dot, dot]
        return pieces(of: name).map { piece in
            let bytes = Array(name[piece.range])
            if piece.isWhole, bytes != [slash], bytes != [0], !isDots { return bytes }
            return bytes.flatMap { [percent] + hexadecimal(UInt64($0), digits: 2).map(upperCase) }
        }
    }

    private struct Piece {
        let range: Range<Int>
        /// A character of UTF-8; if not, one byte that belongs to none.
        let isWhole: Bool
    }

    /// Cuts bytes into the characters of UTF-8 (Unicode 15, table 3-7: no surrogates, no over-long forms) and single bytes that belong to none.
    private static func pieces(of name: [UInt8]) -> [Piece] {
        var result: [Piece] = []
        result.reserveCapacity(name.count)
        var index = 0
        while index < name.count {
            let length = characterLength(name, at: index)
            result.append(Piece(range: index..<index + max(length, 1), isWhole: length > 0))
            index += max(length, 1)
        }
        return result
    }

    /// Bytes of the well-formed character at `index`, or 0.
    private static func characterLength(_ bytes: [UInt8], at index: Int) -> Int {
        let second: ClosedRange<UInt8>
        let length: Int
        switch bytes[index] {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return 0 }
        for next in bytes[(index + 2)..<max(index + 2, index + length)] where next & 0xC0 != 0x80 { return 0 }
        return length
    }

    // MARK: - Order

    /// The order in which entries choose names.
    private static func precedes(_ left: RemoteEntry, _ right: RemoteEntry) -> Bool {
        if left.name != right.name { return left.name.lexicographicallyPrecedes(right.name) }
        if left.kind != right.kind { return left.kind == .directory }
        return left.locator.text.utf8.lexicographicallyPrecedes(right.locator.text.utf8)
    }

    private static func isSame(_ left: RemoteEntry, _ right: RemoteEntry) -> Bool {
        left.name == right.name && left.kind == right.kind && left.locator == right.locator
    }

    // MARK: - Bytes

    private static let dot = UInt8(ascii: "."), slash = UInt8(ascii: "/"), tilde = UInt8(ascii: "~"), percent = UInt8(ascii: "%")

    private static func hexadecimal(_ value: UInt64, digits: Int) -> [UInt8] {
        (0..<digits).map { position in
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(4 * (digits - 1 - position))) & 15
            return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
    }

    private static func upperCase(_ digit: UInt8) -> UInt8 { digit >= UInt8(ascii: "a") ? digit - 32 : digit }
}
