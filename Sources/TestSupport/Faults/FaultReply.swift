/// An answer on its way through the faults: right at first, then as wrong as they make it.
struct FaultReply {
    var status: Int
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// What is sent, HEAD apart, is `body`; the length that is told may be another one.
    var toldLength: Int?
    var isChunked = false
    var isUnframed = false
    /// Bytes behind the end.
    var extra: [UInt8] = []
    /// Instead of everything else.
    var raw: [UInt8]?

    init(_ status: Int, _ fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    init(page: String, status: Int = 200) {
        self.init(status, [("Content-Type", "text/html; charset=utf-8")], body: Array(page.utf8))
    }

    subscript(_ name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }

    mutating func set(_ name: String, _ value: String?) {
        fields.removeAll { $0.name.lowercased() == name.lowercased() }
        if let value { fields.append((name, value)) }
    }

    /// Head and body as they go over the wire.
    func wire(isHead: Bool) -> (head: [UInt8], body: [UInt8]) {
        if let raw { return (raw, []) }
        var text = "HTTP/1.1 \(status) \(status == 206 ? "Partial Content" : "Answer")\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        var sent = body
        if isChunked {
            text += "Transfer-Encoding: chunked\r\n"
            sent = Self.chunked(body)
        } else if isUnframed {
            text += "Connection: close\r\n"
        } else {
            text += "Content-Length: \(toldLength ?? body.count)\r\n"
        }
        return (Array((text + "\r\n").utf8), isHead ? [] : sent + extra)
    }

    /// In chunks of 10 000 bytes (RFC 9112 §7.1).
    private static func chunked(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 10_000) {
            let part = bytes[start..<min(start + 10_000, bytes.count)]
            result += Array("\(String(part.count, radix: 16))\r\n".utf8) + part + [13, 10]
        }
        return result + Array("0\r\n\r\n".utf8)
    }
}
