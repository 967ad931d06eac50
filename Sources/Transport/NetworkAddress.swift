internal import CCurl
internal import Glibc

/// An IPv4 or IPv6 address, and how far it reaches.
package struct NetworkAddress: Hashable, Sendable {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    /// - Returns: `nil` for any other number of bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// An address as text: `127.0.0.1`, `::1`, `[::1]`, a zone (`%eth0`) allowed. Also the short and the hexadecimal forms
    /// of IPv4 (`127.1`, `0x7f.1`), since connecting takes them too. `nil` for a name.
    package init?(_ text: String) {
        var text = text[...]
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        if let zone = text.firstIndex(of: "%") { text = text[..<zone] }
        if text.contains(":") {
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
            bytes = withUnsafeBytes(of: &address) { Array($0) }
        } else {
            var address = in_addr()
            guard !text.isEmpty, inet_aton(String(text), &address) != 0 else { return nil }
            bytes = withUnsafeBytes(of: &address) { Array($0) }
        }
    }

    /// Whether any host of the internet may be meant. False for loopback, private (RFC 1918), link-local, unique local
    /// (RFC 4193), carrier-grade NAT (RFC 6598), multicast and reserved addresses, also inside an IPv6 form of IPv4.
    package var isPublic: Bool { bytes.count == 4 ? Self.isPublic4(bytes[0], bytes[1], bytes[2]) : Self.isPublic6(bytes) }

    package var isLoopback: Bool {
        if bytes.count == 4 { return bytes[0] == 127 }
        if let inner = Self.mapped(bytes) { return inner[0] == 127 }
        return bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// Whether the host of a URL is, as it is written, surely this machine.
    package static func isLoopback(host: String) -> Bool {
        NetworkAddress(host)?.isLoopback ?? (host == "localhost" || host.hasSuffix(".localhost"))
    }

    /// The IANA registry of special-purpose IPv4 addresses, without the documentation blocks.
    private static func isPublic4(_ a: UInt8, _ b: UInt8, _ c: UInt8) -> Bool {
        switch (a, b, c) {
        case (0, _, _), (10, _, _), (127, _, _), (224..., _, _): false
        case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (192, 0, 0), (198, 18...19, _): false
        default: true
        }
    }

    private static func isPublic6(_ bytes: [UInt8]) -> Bool {
        if let inner = mapped(bytes) { return isPublic4(inner[0], inner[1], inner[2]) }
        if bytes.prefix(12).allSatisfy({ $0 == 0 }) { return false }  // ::, ::1 and the old IPv4-compatible form
        switch (bytes[0], bytes[1]) {
        case (0xFC...0xFD, _), (0xFF, _), (0xFE, 0x80...0xFF): return false  // unique local, multicast, link- and site-local
        case (0x20, 0x02): return isPublic4(bytes[2], bytes[3], bytes[4])  // 6to4, RFC 3056
        case (0x20, 0x01) where bytes[2] == 0 && bytes[3] == 0: return false  // Teredo hides its address
        case (0x00, 0x64) where bytes[2] == 0xFF && bytes[3] == 0x9B: return isPublic4(bytes[12], bytes[13], bytes[14])  // NAT64, RFC 6052
        default: return true
        }
    }

    /// The IPv4 address inside `::ffff:a.b.c.d`.
    private static func mapped(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count == 16, bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF else { return nil }
        return Array(bytes[12...])
    }
}
