internal import CCurl

/// Which scheme to identify with, and what each origin turned out to want. Owned by the engine.
struct Authenticator {
    private struct Key: Hashable {
        var origin: HTTPOrigin
        var access: HTTPAccess
    }

    private var learned: [Key: AuthenticationScheme] = [:]

    static let none = UInt(ccurl_auth_none)
    static let basic = UInt(ccurl_auth_basic)
    static let digest = UInt(ccurl_auth_digest)
    static let bearer = UInt(ccurl_auth_bearer)

    /// The mask for libcurl. One bit: sent at once (Digest from the second request on). Both: the challenge decides.
    ///
    /// A password goes out unasked only where nobody can listen, as servers that also show something to guests never ask
    /// for it; elsewhere it costs one challenge per origin, since what was learned is remembered.
    func mask(for credentials: HTTPCredentials, hasURLUser: Bool, origin: HTTPOrigin, access: HTTPAccess) -> UInt {
        switch credentials {
        case .bearer: return Self.bearer
        case .none where !hasURLUser: return Self.none
        case .none, .netrc, .password:
            switch learned[Key(origin: origin, access: access)] {
            case .basic?: return Self.basic
            case .digest?: return Self.digest
            case nil: return Self.isSafe(origin) ? Self.basic : Self.basic | Self.digest
            }
        }
    }

    /// The scheme to try instead after a 401 to a request that used only one.
    static func alternative(to mask: UInt, offered: Set<AuthenticationScheme>, at origin: HTTPOrigin) -> AuthenticationScheme? {
        if mask == basic, offered.contains(.digest) { return .digest }
        // From Digest back to a bare password only where nobody can listen.
        if mask == digest, offered == [.basic], isSafe(origin) { return .basic }
        return nil
    }

    mutating func learn(_ scheme: AuthenticationScheme, origin: HTTPOrigin, access: HTTPAccess) {
        // Sources come and go; a bound keeps a long-running daemon from collecting old ones.
        if learned.count >= 1024 { learned.removeAll() }
        learned[Key(origin: origin, access: access)] = scheme
    }

    private static func isSafe(_ origin: HTTPOrigin) -> Bool { origin.isEncrypted || NetworkAddress.isLoopback(host: origin.host) }
}
