/// Puts the head of the latest response together from the lines that libcurl hands over one by one: interim responses,
/// answered challenges and trailers come the same way.
struct ResponseHeadParser {
    private(set) var status = 0
    private(set) var fields: [HTTPField] = []
    /// The empty line behind the fields was seen.
    private(set) var isComplete = false

    /// Takes one line, its line break included.
    mutating func take(_ line: UnsafeRawBufferPointer) {
        var end = line.count
        while end > 0, line[end - 1] == UInt8(ascii: "\n") || line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        let text = line[..<end]
        if text.starts(with: "HTTP/".utf8) {
            fields.removeAll(keepingCapacity: true)
            isComplete = false
            let words = text.split(separator: UInt8(ascii: " "), maxSplits: 2)
            status = words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
        } else if text.isEmpty {
            isComplete = true
        } else if !isComplete {
            takeField(text)
        }
    }

    private mutating func takeField(_ text: Slice<UnsafeRawBufferPointer>) {
        if let first = text.first, first == 32 || first == 9 {
            // RFC 9112 §5.2: a folded line continues the value.
            if !fields.isEmpty { fields[fields.count - 1].value += " " + Self.string(Self.trimmed(text)) }
            return
        }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return }
        fields.append(HTTPField(Self.string(Self.trimmed(text[..<colon])), Self.string(Self.trimmed(text[(colon + 1)...]))))
    }

    /// The body's length as the fields tell it; `nil` when they do not.
    ///
    /// - Throws: when they contradict each other (RFC 9112 §6.3).
    func contentLength() throws(ContradictoryLength) -> UInt64? {
        if fields.contains(where: { $0.isNamed("Transfer-Encoding") }) { return nil }
        var found: UInt64?
        for value in fields.values(of: "Content-Length") {
            for part in value.split(separator: ",", omittingEmptySubsequences: false) {
                let digits = part.filter { $0 != " " && $0 != "\t" }
                guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let length = UInt64(digits),
                    found == nil || found == length
                else { throw ContradictoryLength() }
                found = length
            }
        }
        return found
    }

    struct ContradictoryLength: Error {}

    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var text = text
        while let first = text.first, first == 32 || first == 9 { text = text.dropFirst() }
        while let last = text.last, last == 32 || last == 9 { text = text.dropLast() }
        return text
    }

    /// UTF-8, else Latin-1: no two values become one by being unreadable.
    private static func string(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }
}
