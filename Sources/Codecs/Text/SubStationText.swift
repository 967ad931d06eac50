/// Text of SubStation Alpha subtitles, Matroska's S_TEXT/ASS and S_TEXT/SSA.
package enum SubStationText {
    /// The words without styling of a Matroska block: "ReadOrder, Layer, Style, Name, MarginL, MarginR, MarginV, Effect, Text".
    /// Overrides in braces, drawings and the other fields are left out.
    package static func plain(block payload: [UInt8]) -> String {
        // The text is behind the eighth comma and may have commas itself.
        let fields = payload.split(separator: UInt8(ascii: ","), maxSplits: 8, omittingEmptySubsequences: false)
        guard fields.count == 9 else { return "" }
        return plain(text: fields[8])
    }

    /// The same for the Text field alone.
    package static func plain(text: some Collection<UInt8>) -> String {
        var scanner = TextScanner(text)
        var result = ""
        var isDrawing = false
        while let character = scanner.next() {
            if character == "{", let orders = scanner.passed(until: "}", if: { _ in true }) {
                isDrawing = drawing(orders) ?? isDrawing
            } else if isDrawing {
                continue
            } else if character == "\\", let next = scanner.peek, "Nnh".contains(next) {
                _ = scanner.next()
                result.append(next == "h" ? " " : "\n")
            } else {
                result.append(character)
            }
        }
        return TextScanner.trimmed(result)
    }

    /// What the last `\p` order says: a scale above 0 begins a drawing, 0 ends it.
    private static func drawing(_ orders: String) -> Bool? {
        orders.split(separator: "\\").last { $0.hasPrefix("p") && ($0.dropFirst().first?.isNumber ?? false) }
            .map { $0.dropFirst().first != "0" }
    }
}
