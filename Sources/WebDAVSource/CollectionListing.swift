internal import WebPaths

/// What the responses of one PROPFIND with Depth 1 say of one path: the resource itself and its members.
///
/// Servers behind proxies write other schemes, hosts and ports into hrefs than the ones they were asked by: only decoded
/// paths are compared. Responses for other places, or for deeper ones, are left out.
struct CollectionListing: Sendable {
    struct Member: Sendable {
        let name: [UInt8]
        let path: LinkPath
        let response: MultistatusResponse
    }

    enum Fault: Error, Hashable, Sendable {
        /// No response at all, not even for the resource itself, which RFC 4918 §9.1 demands.
        case empty
        /// The answer is about another path; the first one that it names.
        case elsewhere(String)
    }

    private let authority: [UInt8]?
    private(set) var itself: MultistatusResponse?
    private(set) var members: [Member] = []

    /// Every escape in the members' names could be an escape of an escape, and the requested path has none that would
    /// tell: either a proxy on the way encodes what is already encoded, or files have such names (`a%20b`). Only the
    /// server knows which.
    private(set) var mayBeEncodedTwice = false

    /// - Parameters:
    ///   - requestPath: the encoded path that was asked.
    ///   - authority: host, and port if any, that were asked: `//host/path` with it is a network path (RFC 3986 §4.2).
    ///   - isEncodedTwice: whether hrefs are to be decoded once more than they should be.
    init(
        _ responses: [MultistatusResponse], requestPath: LinkPath, authority: String? = nil, isEncodedTwice: Bool = false
    ) throws(Fault) {
        self.authority = authority.map { Array($0.utf8) }
        guard !responses.isEmpty else { throw .empty }
        let pathHasEscapes = requestPath.encoded.utf8.contains(0x25)
        if gather(responses, in: requestPath, isEncodedTwice: isEncodedTwice) {
            mayBeEncodedTwice = !isEncodedTwice && !pathHasEscapes && Self.areAllEncodedTwice(members)
            return
        }
        // A requested path with escapes tells: it is found only when each href is decoded once more.
        if pathHasEscapes, gather(responses, in: requestPath, isEncodedTwice: !isEncodedTwice) { return }
        throw .elsewhere(String(decoding: responses[0].href.prefix(200), as: UTF8.self))
    }

    /// Whether there are escapes in names, and each is one of `%` in front of two hexadecimal digits.
    private static func areAllEncodedTwice(_ members: [Member]) -> Bool {
        var count = 0
        for member in members where member.name.contains(0x25) || member.path.encoded.utf8.contains(0x25) {
            var rest = member.path.encoded.utf8[...]
            while let escape = rest.firstIndex(of: 0x25) {
                rest = rest[escape...]
                guard rest.starts(with: "%25".utf8), LinkPath.decoded(Array("%".utf8) + rest.dropFirst(3).prefix(2)).count == 1 else { return false }
                count += 1
                rest = rest.dropFirst(3)
            }
        }
        return count > 0
    }

    /// - Returns: whether any response was about the path or a member of it.
    private mutating func gather(_ responses: [MultistatusResponse], in directory: LinkPath, isEncodedTwice: Bool) -> Bool {
        itself = nil
        members = []
        var seen: Set<String> = []
        for response in responses where !response.href.isEmpty {
            let href = isEncodedTwice ? LinkPath.decoded(response.href) : response.href
            guard let path = path(of: href, in: directory) else { continue }
            if path.segments == directory.segments {
                // A listing that was cut off says so in a response of its own, beside the good one (RFC 5323 §2.2).
                if itself == nil || response.hasFailed { itself = response }
            } else if let name = path.name(in: directory), response.status != 404, response.status != 410,
                seen.insert(path.encoded).inserted
            {
                members.append(Member(name: name, path: path, response: response))
            }
        }
        return itself != nil || !members.isEmpty
    }

    /// The path of an href: an absolute URL, a network path, an absolute or a relative path.
    private func path(of href: [UInt8], in directory: LinkPath) -> LinkPath? {
        let slash = UInt8(ascii: "/")
        if href.first == slash {
            if let authority, href.starts(with: [slash, slash] + authority + [slash]) { return Self.afterAuthority(href.dropFirst(2)) }
            // `//a/b` is `//host/path` to RFC 3986, but what servers that write it mean is `/a/b`.
            if let path = LinkPath(href), path.isInside(directory) || !href.starts(with: [slash, slash]) { return path }
            guard href.starts(with: [slash, slash]) else { return nil }
            return Self.afterAuthority(href.dropFirst(2))
        }
        if let separator = Self.schemeEnd(href) { return Self.afterAuthority(href[separator...]) }
        return LinkPath(Array(directory.asDirectory.utf8) + href)
    }

    private static func afterAuthority(_ rest: ArraySlice<UInt8>) -> LinkPath? {
        guard let path = rest.firstIndex(of: UInt8(ascii: "/")) else { return LinkPath("/") }
        return LinkPath(rest[path...])
    }

    /// The index behind `scheme://`. A name may hold a colon, but hardly this.
    private static func schemeEnd(_ href: [UInt8]) -> Int? {
        guard let colon = href.firstIndex(of: UInt8(ascii: ":")), href[(colon + 1)...].starts(with: [0x2F, 0x2F]) else { return nil }
        let isScheme = href[..<colon].allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
        return isScheme && colon > 0 ? colon + 3 : nil
    }
}
