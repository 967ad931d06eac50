package import Transport

/// Which links mean the same content, though their texts differ.
package struct CacheKeyRule: Hashable, Sendable {
    /// Parts of the query that are no part of the content's name.
    package enum StrippedQuery: Hashable, Sendable { case nothing, everything, names([String]) }

    /// The first match of `from` in the URL becomes `to`; a `*` in `from` stands for any run of characters but `/`, the
    /// shortest that fits.
    package struct Rewrite: Hashable, Sendable {
        package var from: String
        package var to: String

        package init(from: String, to: String) {
            self.from = from
            self.to = to
        }

        func applied(to text: String) -> String {
            let bytes = Array(text.utf8), pattern = Array(from.utf8)
            guard !pattern.isEmpty else { return text }
            for start in bytes.indices {
                guard let end = Self.match(pattern[...], bytes[start...]) else { continue }
                return String(decoding: bytes[..<start] + Array(to.utf8) + bytes[end...], as: UTF8.self)
            }
            return text
        }

        /// Where the match of the whole pattern at the start of `bytes` ends.
        private static func match(_ pattern: ArraySlice<UInt8>, _ bytes: ArraySlice<UInt8>) -> Int? {
            // Wildcards are tried from the shortest; going back to the last one alone is enough, as in any glob.
            var position = bytes.startIndex, next = pattern.startIndex
            var retry: (pattern: Int, position: Int)?
            while next < pattern.endIndex {
                if pattern[next] == UInt8(ascii: "*") {
                    next += 1
                    retry = (next, position)
                } else if position < bytes.endIndex, pattern[next] == bytes[position] {
                    next += 1
                    position += 1
                } else if let last = retry, last.position < bytes.endIndex, bytes[last.position] != UInt8(ascii: "/") {
                    retry = (last.pattern, last.position + 1)
                    next = last.pattern
                    position = last.position + 1
                } else {
                    return nil
                }
            }
            guard pattern.last == UInt8(ascii: "*") else { return position }
            while position < bytes.endIndex, bytes[position] != UInt8(ascii: "/") { position += 1 }
            return position
        }
    }

    package var strippedQuery: StrippedQuery
    package var rewrites: [Rewrite]

    package init(strippedQuery: StrippedQuery = .nothing, rewrites: [Rewrite] = []) {
        self.strippedQuery = strippedQuery
        self.rewrites = rewrites
    }

    /// The URL's text as far as it names the content: the query is stripped first, then the rewrites follow in order.
    package func name(of url: HTTPURL) -> String {
        var text = "\(url.origin)\(url.path)"
        if let query = kept(of: url.query) { text += "?\(query)" }
        for rewrite in rewrites { text = rewrite.applied(to: text) }
        return text
    }

    private func kept(of query: String?) -> String? {
        guard let query else { return nil }
        switch strippedQuery {
        case .nothing: return query
        case .everything: return nil
        case .names(let names):
            let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter { pair in
                !names.contains { $0 == pair.prefix { $0 != "=" } }
            }
            return kept.isEmpty ? nil : kept.joined(separator: "&")
        }
    }
}
