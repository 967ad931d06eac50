/// Scheme, host and port: the border that credentials do not cross (RFC 6454).
package struct HTTPOrigin: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// Lower-case; an IPv6 address in brackets.
    package let host: String
    package let port: UInt16

    package init(scheme: String, host: String, port: UInt16) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    package var isEncrypted: Bool { scheme == "https" }
}

extension HTTPOrigin: CustomStringConvertible {
    /// Without the port where it is the scheme's own: `https://host`.
    package var description: String {
        port == (isEncrypted ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}
