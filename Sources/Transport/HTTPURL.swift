internal import CCurl
package import Diagnostics

/// An absolute `http` or `https` URL, taken apart by libcurl's own parser, so that what is checked is what is spoken to.
package struct HTTPURL: Hashable, Sendable {
    package let origin: HTTPOrigin
    /// Percent-encoded as given, except that bytes which no URL may hold (spaces, raw UTF-8) are encoded. Never empty.
    package let path: String
    /// Without its `?`; `nil` and empty differ.
    package let query: String?
    /// User information that stood in the text, decoded. It is no part of `text`.
    package let user: String?
    package let password: Secret?

    /// - Returns: `nil` when the text is no absolute URL of the two schemes, or holds control characters.
    package init?(_ text: String) {
        guard let parts = URLParts(text), let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let authority = parts.authority,
            !authority.isEmpty, let handle = curl_url()
        else { return nil }
        defer { curl_url_cleanup(handle) }
        let path = parts.path.isEmpty ? "/" : Self.encoded(parts.path)
        // Only the authority is left to libcurl: it decides what the host is, the rest is kept as it was given.
        guard path.utf8.first == UInt8(ascii: "/"), curl_url_set(handle, CURLUPART_URL, "\(scheme)://\(authority)/", 0) == CURLUE_OK,
            let host = Self.part(handle, CURLUPART_HOST), !host.isEmpty,
            let port = Self.part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap({ UInt16($0) })
        else { return nil }
        origin = HTTPOrigin(scheme: scheme, host: host.lowercased(), port: port)
        self.path = path
        query = parts.query.map(Self.encoded)
        user = Self.part(handle, CURLUPART_USER, UInt32(CURLU_URLDECODE))
        password = Self.part(handle, CURLUPART_PASSWORD, UInt32(CURLU_URLDECODE)).map { Secret($0) }
    }

    private init(origin: HTTPOrigin, path: String, query: String?, user: String?, password: Secret?) {
        self.origin = origin
        self.path = path
        self.query = query
        self.user = user
        self.password = password
    }

    package var scheme: String { origin.scheme }
    package var host: String { origin.host }
    package var port: UInt16 { origin.port }

    /// Host, and the port where it is not the scheme's own.
    package var authority: String { String(origin.description.dropFirst(scheme.count + 3)) }

    /// The whole URL without user information and fragment.
    package var text: String { "\(origin)\(target)" }

    /// Path and query, as a request line holds them.
    package var target: String { query.map { "\(path)?\($0)" } ?? path }

    /// For people: the values of the query are hidden.
    package var redacted: String { Redaction.url(text) }

    /// The URL that `reference` means when it stands in this one's document (RFC 3986 §5.2). User information stays only
    /// with the same origin.
    ///
    /// - Returns: `nil` when it leads to another scheme than the two, or cannot be read.
    package func resolving(_ reference: String) -> HTTPURL? {
        guard let parts = URLParts(reference) else { return nil }
        if let scheme = parts.scheme {
            guard parts.authority != nil else { return nil }
            return HTTPURL("\(scheme)://\(parts.authority ?? "")\(URLParts.removingDots(parts.path))\(parts.query.map { "?\($0)" } ?? "")")
        }
        if let authority = parts.authority {
            return HTTPURL("\(scheme)://\(authority)\(URLParts.removingDots(parts.path))\(parts.query.map { "?\($0)" } ?? "")")
        }
        if parts.path.isEmpty { return replacing(path: path, query: parts.query ?? query) }
        let merged = parts.path.hasPrefix("/") ? parts.path : URLParts.directory(of: path) + parts.path
        return replacing(path: URLParts.removingDots(merged), query: parts.query)
    }

    /// The same origin and user with another path, that should start with `/` and be percent-encoded.
    package func replacing(path: String, query: String?) -> HTTPURL {
        let absolute = path.hasPrefix("/") ? path : "/" + path
        return HTTPURL(origin: origin, path: Self.encoded(absolute), query: query.map(Self.encoded), user: user, password: password)
    }

    private static func part(_ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// Encodes the bytes that may not stand in a path or query at all; leaves `%` and every delimiter alone.
    private static func encoded(_ text: String) -> String {
        func mustEncode(_ byte: UInt8) -> Bool {
            switch byte {
            case 0...0x20, 0x7F...0xFF, UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
                UInt8(ascii: "^"),
                UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                true
            default: false
            }
        }
        guard text.utf8.contains(where: mustEncode) else { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            if mustEncode(byte) {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension HTTPURL: CustomStringConvertible {
    /// Redacted, since descriptions end in logs.
    package var description: String { redacted }
}
