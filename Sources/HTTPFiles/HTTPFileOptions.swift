/// What a source wants of the files behind its links.
package struct HTTPFileOptions: Hashable, Sendable {
    /// Media types that are data although they look like a login page: `text/html`, `*/*`.
    package var acceptedTypes: [String]
    package var cacheKeyRule: CacheKeyRule

    package init(acceptedTypes: [String] = [], cacheKeyRule: CacheKeyRule = CacheKeyRule()) {
        self.acceptedTypes = acceptedTypes
        self.cacheKeyRule = cacheKeyRule
    }
}
