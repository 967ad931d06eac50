internal import Bytes
package import Diagnostics

/// What a person typed as the place of a source, taken apart: the scheme says the type, and user information is kept away from the URL.
package struct SourceLocation: Hashable, Sendable {
    /// `http://…` or `https://…` without user information, or the absolute path of a local file (type `list` only).
    package var url: String
    /// What the scheme says (`webdav`, `webdavs`, `dav`, `davs`), or `.list` for a local file; `nil`: to be found out.
    package var impliedType: SourceType?
    /// User information that stood in the URL, percent-decoded.
    package var user: String?
    package var password: Secret?

    /// - Parameter directory: what a relative local path is relative to; `nil` refuses local paths.
    /// - Throws: `.invalid` with words for the person who typed it. The text itself is never in the message: it may hold a password.
    package init(_ text: String, relativeTo directory: String?) throws(ConfigurationError) {
        guard !text.isEmpty, !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw ConfigurationError(.invalid, "the URL is empty or holds control characters")
        }
        guard let mark = text.range(ofFirst: "://") else {
            guard let directory, !text.contains("://") else {
                throw ConfigurationError(.invalid, "not a URL", advice: "it begins with https:// or http://")
            }
            let path = text.hasPrefix("/") ? text : directory + "/" + text
            self.url = path
            self.impliedType = .list
            return
        }
        let scheme = text[..<mark.lowerBound].lowercased()
        var rest = text[mark.upperBound...]
        let realScheme: String
        switch scheme {
        case "http", "https": realScheme = scheme
        case "webdav", "dav": (realScheme, impliedType) = ("http", .webdav)
        case "webdavs", "davs": (realScheme, impliedType) = ("https", .webdav)
        default:
            throw ConfigurationError(
                .invalid, "a URL of a scheme that is not spoken here",
                advice: "use https://, http://, webdavs://, webdav://, davs:// or dav://")
        }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        if let at = rest[..<end].lastIndex(of: "@") {
            let information = rest[..<at]
            if let colon = information.firstIndex(of: ":") {
                user = Self.decoded(information[..<colon])
                let secret = Self.decoded(information[information.index(after: colon)...])
                password = secret.isEmpty ? nil : Secret(secret)
            } else if !information.isEmpty {
                user = Self.decoded(information)
            }
            if user?.isEmpty == true { user = nil }
            rest = rest[rest.index(after: at)...]
        }
        let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let host = rest[..<authorityEnd]
        guard !host.isEmpty, !host.hasPrefix(":"), !host.contains(" ") else { throw ConfigurationError(.invalid, "the URL names no host") }
        guard Self.hasUsablePort(host) else {
            // Most likely the host is cut off: a password with one of these characters stands in front of it.
            throw ConfigurationError(
                .invalid, "the URL's port is no number up to 65535",
                advice: "write / ? # in a password as %2F %3F %23, or better leave it out: it is asked for")
        }
        if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
        url = realScheme + "://" + rest
    }

    /// Scheme, host and port as they stand in the URL; of a local file, empty.
    package var origin: String {
        var slashes = 0
        let end = url.firstIndex { character in
            if character == "/" { slashes += 1 }
            return slashes == 3 || character == "?"
        }
        return url.hasPrefix("/") ? "" : String(url[..<(end ?? url.endIndex)])
    }

    /// Whether what stands behind the host is nothing or a port (RFC 3986 §3.2.3).
    private static func hasUsablePort(_ authority: Substring) -> Bool {
        let host = authority.hasPrefix("[") ? authority.drop { $0 != "]" } : authority
        guard let colon = host.firstIndex(of: ":") else { return true }
        let digits = host[host.index(after: colon)...]
        return digits.isEmpty || (digits.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(digits) != nil)
    }

    private static func decoded(_ text: Substring) -> String { String(decoding: PercentCoding.decode(text), as: UTF8.self) }

    /// The host without port and `www.`, and the last segment of the path, decoded, if the path does not end in `/`.
    static func split(_ url: String) -> (host: String, lastSegment: String?) {
        var rest = url[...]
        if let mark = url.range(ofFirst: "://") { rest = rest[mark.upperBound...] }
        let end = rest.firstIndex { $0 == "?" || $0 == "#" } ?? rest.endIndex
        rest = rest[..<end]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var host = rest[..<slash]
        if let at = host.lastIndex(of: "@") { host = host[host.index(after: at)...] }
        if host.hasPrefix("[") {
            host = host.dropFirst().prefix { $0 != "]" }
        } else {
            host = host.prefix { $0 != ":" }
        }
        if host.hasPrefix("www.") { host = host.dropFirst(4) }
        let path = rest[slash...]
        guard let lastSlash = path.lastIndex(of: "/") else { return (String(host), nil) }
        let segment = path[path.index(after: lastSlash)...]
        return (String(host), segment.isEmpty ? nil : decoded(segment))
    }
}

extension String {
    /// Where `text` first stands. (The Foundation-free stand-in for `range(of:)`.)
    func range(ofFirst text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
