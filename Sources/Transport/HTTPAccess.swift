package import Diagnostics

/// How to identify to an origin.
package enum HTTPCredentials: Hashable, Sendable {
    case none
    /// A netrc file; `nil` is the user's `~/.netrc`.
    case netrc(path: String?)
    case password(user: String, password: Secret)
    case bearer(Secret)
}

/// How one source is reached: requests with an equal value share connections and what was learned of the origin.
package struct HTTPAccess: Hashable, Sendable {
    package var credentials: HTTPCredentials
    /// The user's own fields. They may hold secrets: never logged, never sent to another origin than the request's.
    package var extraFields: [HTTPField]
    /// A PEM file of authorities to trust beside the system's.
    package var caCertificate: String?
    package var clientCertificate: String?
    package var clientKey: String?
    /// `http://host:port` or `socks5h://host:port`, user information allowed; empty: none whatever the environment says;
    /// `nil`: as `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` of the environment say.
    package var proxy: String?
    /// Whether a public origin may redirect to loopback, link-local and private addresses.
    package var allowsPrivateRedirects: Bool
    /// Whether https may redirect to http.
    package var allowsInsecureRedirects: Bool
    /// Requests under way to one origin at a time.
    package var maximumConnections: Int
    package var userAgent: String

    package init(
        credentials: HTTPCredentials = .none, extraFields: [HTTPField] = [], caCertificate: String? = nil, clientCertificate: String? = nil,
        clientKey: String? = nil, proxy: String? = nil, allowsPrivateRedirects: Bool = false, allowsInsecureRedirects: Bool = false,
        maximumConnections: Int = 6, userAgent: String = "reelfs"
    ) {
        self.credentials = credentials
        self.extraFields = extraFields
        self.caCertificate = caCertificate
        self.clientCertificate = clientCertificate
        self.clientKey = clientKey
        self.proxy = proxy
        self.allowsPrivateRedirects = allowsPrivateRedirects
        self.allowsInsecureRedirects = allowsInsecureRedirects
        self.maximumConnections = maximumConnections
        self.userAgent = userAgent
    }
}
