internal import Diagnostics

/// Text in columns of a terminal, where Chinese characters and emoji take two cells.
enum TextColumns {
    /// Cells that the text takes (Unicode Standard Annex #11; ambiguous characters count as narrow).
    static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

    static func width(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.contains("\u{FE0F}") || isWide(first) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return 1
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18AFF, 0x1B000...0x1B2FF, 0x1F1E6...0x1F1FF,
            0x20000...0x2FFFD, 0x30000...0x3FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }

    /// Cut to `limit` cells, with `…` in the place of what is gone from the middle.
    static func fitted(_ text: String, _ limit: Int) -> String {
        guard limit > 0 else { return "" }
        guard width(text) > limit else { return text }
        let room = limit - 1
        var head = "", tail: [Character] = []
        var used = 0
        for character in text {
            let cells = width(character)
            if used + cells > room / 2 { break }
            head.append(character)
            used += cells
        }
        for character in text.reversed() {
            let cells = width(character)
            if used + cells > room { break }
            tail.append(character)
            used += cells
        }
        return head + "…" + String(tail.reversed())
    }

    static func padded(_ text: String, _ cells: Int, right: Bool = false) -> String {
        let fill = String(repeating: " ", count: max(0, cells - width(text)))
        return right ? fill + text : text + fill
    }

    /// Rows under a head, columns two spaces apart, each as wide as its widest cell. Texts are made fit for one line.
    /// - Parameter right: the numbers of columns that are aligned to the right.
    static func table(_ head: [String], _ rows: [[String]], right: Set<Int> = []) -> String {
        let all = ([head] + rows).map { $0.map(Redaction.line) }
        var widths = [Int](repeating: 0, count: head.count)
        for row in all { for (column, cell) in row.enumerated() where column < widths.count { widths[column] = max(widths[column], width(cell)) } }
        return all.map { row in
            var line = ""
            for (column, cell) in row.enumerated() where column < widths.count {
                if column > 0 { line += "  " }
                let isLast = column == row.count - 1
                line += isLast && !right.contains(column) ? cell : padded(cell, widths[column], right: right.contains(column))
            }
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    /// Words in lines of at most `limit` cells; every line but the first begins with `indent` spaces.
    static func wrapped(_ text: String, limit: Int, indent: Int = 0) -> String {
        var lines: [String] = [], line = ""
        for word in text.split(separator: " ") {
            let room = limit - (lines.isEmpty ? 0 : indent)
            if line.isEmpty {
                line = String(word)
            } else if width(line) + 1 + width(String(word)) <= room {
                line += " " + word
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        lines.append(line)
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }
}
