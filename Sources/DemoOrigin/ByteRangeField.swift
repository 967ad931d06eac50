internal import Bytes

/// What a `Range` field asks of a file (RFC 9110 §14.2).
enum ByteRangeField: Hashable, Sendable {
    /// Absent, another unit, malformed or several ranges: the whole file is the answer.
    case whole
    case part(FileRange)
    /// 416: nothing of it lies in the file.
    case unsatisfiable

    init(_ text: String?, fileSize: UInt64) {
        self = .whole
        guard let text, let equals = text.firstIndex(of: "="), text[..<equals].lowercased() == "bytes" else { return }
        let specifier = text[text.index(after: equals)...].filter { $0 != " " && $0 != "\t" }
        let parts = specifier.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, !specifier.contains(",") else { return }
        if parts[0].isEmpty {
            guard let count = Self.number(parts[1]) else { return }
            guard count > 0, fileSize > 0 else {
                self = .unsatisfiable
                return
            }
            self = .part(FileRange(offset: fileSize - min(count, fileSize), end: fileSize))
        } else {
            guard let first = Self.number(parts[0]) else { return }
            var last = UInt64.max
            if !parts[1].isEmpty {
                guard let given = Self.number(parts[1]), given >= first else { return }
                last = given
            }
            guard first < fileSize else {
                self = .unsatisfiable
                return
            }
            self = .part(FileRange(offset: first, end: last < fileSize ? last + 1 : fileSize))
        }
    }

    /// Digits only; a number that is too big stands for the biggest.
    private static func number(_ text: Substring) -> UInt64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return UInt64(text) ?? .max
    }
}
