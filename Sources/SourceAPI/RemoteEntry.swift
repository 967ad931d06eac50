package import Bytes

/// Where an entry is inside its source. Only the source that made it reads it; for all others it is an opaque key,
/// unique within the source.
package struct EntryLocator: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }
}

/// A file or directory as its origin lists it. The name is the origin's, unmapped: any bytes.
package struct RemoteEntry: Hashable, Sendable {
    package enum Kind: Int, Hashable, Sendable { case file = 0, directory = 1 }

    package var name: [UInt8]
    package var kind: Kind
    package var locator: EntryLocator
    /// Exact bytes, or `nil` when the listing does not tell truly (absent, rounded): never a guess.
    package var size: UInt64?
    package var modified: UnixTime?
    /// The listing's validator: a change of it means another version. It need not equal what file replies carry.
    package var entityTag: String?
    package var mediaType: String?
    /// Names the content in the cache. Links that differ in a token only share it. Unique across sources that may not
    /// see each other's bytes.
    package var cacheKey: String

    package init(
        name: [UInt8], kind: Kind, locator: EntryLocator, size: UInt64? = nil, modified: UnixTime? = nil, entityTag: String? = nil,
        mediaType: String? = nil,
        cacheKey: String
    ) {
        self.name = name
        self.kind = kind
        self.locator = locator
        self.size = size
        self.modified = modified
        self.entityTag = entityTag
        self.mediaType = mediaType
        self.cacheKey = cacheKey
    }
}

/// What a source answers for one directory: complete, or it throws. Order is the origin's; names may repeat.
package struct DirectoryListing: Sendable {
    package var entries: [RemoteEntry]
    package var quota: Quota?

    package init(entries: [RemoteEntry], quota: Quota? = nil) {
        self.entries = entries
        self.quota = quota
    }

    /// Bytes that the origin says are used and free (RFC 4331), where it says so.
    package struct Quota: Hashable, Sendable {
        package var used: UInt64?
        package var available: UInt64?

        package init(used: UInt64?, available: UInt64?) {
            self.used = used
            self.available = available
        }
    }
}
