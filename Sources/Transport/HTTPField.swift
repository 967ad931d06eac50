/// One field line of a request or response (RFC 9110 §5).
package struct HTTPField: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether it can be sent: a token as name, and no line break or other control character that could start another
    /// field or request.
    package var isSendable: Bool {
        !name.isEmpty && name.utf8.allSatisfy(Self.isToken) && value.utf8.allSatisfy { $0 == 9 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    package func isNamed(_ other: String) -> Bool { Self.equal(name, other) }

    /// RFC 9110 §5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Names compare without regard to ASCII case.
    static func equal(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte }
}

extension [HTTPField] {
    /// The first value of that name, which is compared without regard to case.
    package subscript(_ name: String) -> String? { first { $0.isNamed(name) }?.value }

    /// Every value of that name, in order.
    package func values(of name: String) -> [String] { filter { $0.isNamed(name) }.map(\.value) }
}
