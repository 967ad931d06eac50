/// What becomes of a response that points elsewhere (RFC 9110 §15.4). Pure: it decides, the engine acts.
struct RedirectPolicy {
    static let maximumRedirects = 10

    enum Decision: Equatable {
        /// It is the answer; the caller sees it.
        case deliver
        case follow(HTTPURL, method: String, keepsBody: Bool)
        case refuse(TransportError.Code, String)
    }

    var allowsInsecure: Bool
    var allowsPrivate: Bool

    /// Whether an address is out in the internet.
    var isPublic: @Sendable (NetworkAddress) -> Bool

    init(access: HTTPAccess, isPublic: @escaping @Sendable (NetworkAddress) -> Bool = \.isPublic) {
        self.isPublic = isPublic
        allowsInsecure = access.allowsInsecureRedirects
        allowsPrivate = access.allowsPrivateRedirects
    }

    /// - Parameters:
    ///   - followed: redirects followed so far.
    ///   - cameFromPublic: whether an origin on the way so far had a public address.
    func decide(status: Int, location: String?, method: String, from url: HTTPURL, followed: Int, cameFromPublic: Bool) -> Decision {
        guard [301, 302, 303, 307, 308].contains(status), let location, !location.isEmpty else { return .deliver }
        guard let target = url.resolving(location) else { return .refuse(.refused, "redirect to something that is no http or https URL") }
        let isPlain = method == "GET" || method == "HEAD"
        if !isPlain {
            // A method with a meaning is sent again by hand, once, and only to the host that it was meant for.
            guard followed == 0, target.host == url.host else { return .deliver }
        }
        guard followed < Self.maximumRedirects else { return .refuse(.tooManyRedirects, "more than \(Self.maximumRedirects) redirects") }
        if url.origin.isEncrypted, !target.origin.isEncrypted, !allowsInsecure {
            return .refuse(.refused, "redirect from https to http, to \(target.origin)")
        }
        if cameFromPublic, !allowsPrivate, isPrivate(host: target.host) {
            return .refuse(.refused, "redirect from a public origin to a private address, \(target.origin)")
        }
        if method == "POST", (301...303).contains(status) { return .follow(target, method: "GET", keepsBody: false) }
        return .follow(target, method: method, keepsBody: true)
    }

    /// What the name alone tells; addresses behind names are checked where the connection is made.
    private func isPrivate(host: String) -> Bool {
        NetworkAddress(host).map { !isPublic($0) } ?? NetworkAddress.isLoopback(host: host)
    }

    /// Fields of a request that may go to an origin the caller did not name: what describes the question, nothing that
    /// says who asks.
    static func mayFollow(_ field: HTTPField) -> Bool {
        ["accept", "accept-language", "cache-control", "content-type", "depth", "range", "if-range", "if-match", "if-none-match", "if-modified-since"]
            .contains { field.isNamed($0) }
    }
}
