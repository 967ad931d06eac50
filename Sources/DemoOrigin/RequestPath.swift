internal import Bytes

/// The path of a request, decoded once and proven harmless: no segment is empty, `.`, `..`, or holds `/` or NUL.
struct RequestPath: Hashable, Sendable {
    let segments: [[UInt8]]
    let endsWithSlash: Bool

    /// - Parameter target: The request target without its query (RFC 9112 §3.2), still percent-encoded.
    /// - Returns: `nil` for what no client of ours sends: relative targets, dot segments, encoded slashes or NULs.
    init?(target: String) {
        var path = target[...]
        if !path.hasPrefix("/") {
            // The absolute form, as proxies use it: scheme and authority are dropped.
            guard let colon = path.firstIndex(of: ":"), path[colon...].hasPrefix("://") else { return nil }
            let authority = path.index(colon, offsetBy: 3)
            path = path[authority...].drop { $0 != "/" }
            if path.isEmpty { path = "/" }
        }
        var segments: [[UInt8]] = []
        for part in path.split(separator: "/") {
            let bytes = PercentCoding.decode(part)
            guard bytes != [UInt8(ascii: ".")], bytes != [UInt8(ascii: "."), UInt8(ascii: ".")], bytes.count <= 255 else { return nil }
            guard !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")) else { return nil }
            segments.append(bytes)
        }
        guard segments.count <= 128 else { return nil }
        self.segments = segments
        endsWithSlash = path.utf8.last == UInt8(ascii: "/")
    }

    /// Encoded again, for `href` and `Location`.
    func encoded(asDirectory: Bool) -> String {
        let text = segments.map { "/" + PercentCoding.encodeSegment($0) }.joined()
        return asDirectory ? text + "/" : text
    }
}
