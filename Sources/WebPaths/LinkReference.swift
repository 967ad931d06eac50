/// A link as a page or a listing writes it, taken apart (RFC 3986 §3) and not yet resolved or decoded. Bytes, since
/// pages need not be UTF-8.
package struct LinkReference: Hashable, Sendable {
    /// Lower-case; `nil` for a relative reference.
    package let scheme: [UInt8]?
    /// Host and port as written, user information cut off; `nil` when the reference has none.
    package let authority: [UInt8]?
    package let path: [UInt8]
    package let hasQuery: Bool
    package let hasFragment: Bool

    /// - Parameter text: white space around it is dropped, as browsers do.
    package init(_ text: some Sequence<UInt8>) {
        var rest = Self.trimmed(Array(text))[...]
        hasFragment = Self.cut(&rest, at: UInt8(ascii: "#"))
        hasQuery = Self.cut(&rest, at: UInt8(ascii: "?"))
        scheme = Self.takeScheme(&rest)
        authority = Self.takeAuthority(&rest)
        path = Array(rest)
    }

    /// The text without ASCII white space at its ends.
    package static func trimmed(_ text: [UInt8]) -> [UInt8] {
        guard let first = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) }) else { return [] }
        return Array(text[first...last])
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func cut(_ rest: inout ArraySlice<UInt8>, at mark: UInt8) -> Bool {
        guard let index = rest.firstIndex(of: mark) else { return false }
        rest = rest[..<index]
        return true
    }

    /// RFC 3986 §3.1: a letter, then letters, digits, `+`, `-`, `.`, up to a colon.
    private static func takeScheme(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), let first = rest.first, isLetter(first) else { return nil }
        let candidate = rest[..<colon]
        guard candidate.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }) else { return nil }
        rest = rest[(colon + 1)...]
        return candidate.map(lowercased)
    }

    private static func takeAuthority(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.starts(with: [0x2F, 0x2F]) else { return nil }
        let body = rest.dropFirst(2)
        let end = body.firstIndex(of: 0x2F) ?? body.endIndex
        var authority = body[..<end]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
        rest = body[end...]
        return authority.map(lowercased)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }
}
