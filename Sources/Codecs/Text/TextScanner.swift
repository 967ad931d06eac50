/// Walks over the characters of a subtitle. Bytes that are no UTF-8 become U+FFFD; line ends become line feeds.
struct TextScanner {
    private let characters: [Character]
    private var index = 0
    /// Where the next of each character is that was looked for, as seen from where it was looked for last.
    private var stops: [Character: Int] = [:]

    init(_ payload: some Collection<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count)
        for byte in payload where byte != 0 {
            // CR LF and lone CR
            if byte == 0x0A, bytes.last == 0x0D { bytes.removeLast() }
            bytes.append(byte)
        }
        characters = String(decoding: bytes.map { $0 == 0x0D ? 0x0A : $0 }, as: UTF8.self).map { $0 }
    }

    var peek: Character? { index < characters.count ? characters[index] : nil }

    mutating func next() -> Character? {
        guard index < characters.count else { return nil }
        defer { index += 1 }
        return characters[index]
    }

    /// What stands before the next `end`, which is passed over too; `nil`, and nothing passed, if there is no `end` within 1024
    /// characters or `condition` refuses the inside.
    ///
    /// - Complexity: over all calls with the same `end`, as many steps as there are characters, and what `condition` takes.
    mutating func passed(until end: Character, if condition: (ArraySlice<Character>) -> Bool) -> String? {
        var stop = stops[end] ?? -1
        if stop < index {
            stop = characters[index...].firstIndex(of: end) ?? characters.count
            stops[end] = stop
        }
        guard stop < characters.count, stop - index < 1024, condition(characters[index..<stop]) else { return nil }
        defer { index = stop + 1 }
        return String(characters[index..<stop])
    }

    /// Without blanks and line ends at both ends.
    static func trimmed(_ text: String) -> String {
        var part = text[...]
        while part.first?.isWhitespace ?? false { part.removeFirst() }
        while part.last?.isWhitespace ?? false { part.removeLast() }
        return String(part)
    }
}
