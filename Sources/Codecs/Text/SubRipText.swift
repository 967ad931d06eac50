/// Text of SubRip subtitles, Matroska's S_TEXT/UTF8.
package enum SubRipText {
    /// The words without styling: the tags b, i, u, s and font, and `{\…}` orders that programs take over from ASS. Lines end
    /// with a single line feed.
    package static func plain(_ payload: [UInt8]) -> String {
        var scanner = TextScanner(payload)
        var result = ""
        while let character = scanner.next() {
            if character == "<", scanner.passed(until: ">", if: isTag) != nil { continue }
            if character == "{", scanner.peek == "\\", scanner.passed(until: "}", if: { _ in true }) != nil { continue }
            result.append(character)
        }
        return TextScanner.trimmed(result)
    }

    private static func isTag(_ inside: ArraySlice<Character>) -> Bool {
        let name = String((inside.first == "/" ? inside.dropFirst() : inside).prefix(5).prefix { $0.isLetter }).lowercased()
        return ["b", "i", "u", "s", "font"].contains(name)
    }
}
