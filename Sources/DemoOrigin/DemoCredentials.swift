package import Diagnostics

/// The one user whom the demo server lets in, by Basic (RFC 7617).
package struct DemoCredentials: Hashable, Sendable {
    private let field: Secret

    package init(user: String, password: Secret) {
        field = Secret("Basic " + Self.base64(Array("\(user):\(password.reveal())".utf8)))
    }

    /// Whether the `Authorization` field is the right one; takes the same time wherever they differ.
    func accept(_ authorization: String?) -> Bool {
        guard let authorization else { return false }
        let words = authorization.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "basic" else { return false }
        let given = Array("Basic \(words[1])".utf8), wanted = Array(field.reveal().utf8)
        var difference = given.count ^ wanted.count
        for (index, byte) in wanted.enumerated() { difference |= Int(byte ^ (index < given.count ? given[index] : 0)) }
        return difference == 0
    }

    /// RFC 4648 §4.
    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * (3 - UInt32(group.count)))
            for place in 0..<4 {
                result.append(place <= group.count ? alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
