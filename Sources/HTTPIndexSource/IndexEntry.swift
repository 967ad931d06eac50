package import Bytes

/// One link of a directory index.
package struct IndexEntry: Hashable, Sendable {
    /// The decoded last segment of the link: any bytes. Never the text shown, which servers cut.
    package var name: [UInt8]
    package var isDirectory: Bool
    /// Absolute and encoded, as the server wrote it; a directory's ends with `/`.
    package var path: String
    /// Exact, where the shape of the index guarantees it; a rounded size is none.
    package var size: UInt64?
    /// Where the index states it in UTC; a time in an unknown zone is none.
    package var modified: UnixTime?
}

/// What a directory index holds.
package struct DirectoryIndex: Sendable {
    package var entries: [IndexEntry]
    /// The page says itself that it is an index, so that no entries means an empty directory.
    package var isCertain: Bool
    /// The document has its end. A page without one may have been cut where the transport could not see it.
    package var isClosed: Bool
}

/// Why a document is no directory index.
package enum IndexFault: Error, Hashable, Sendable {
    /// A page that asks for a password.
    case loginPage
    /// Neither links to entries nor the marks of an empty index.
    case noIndex
    /// An index, whose entries are links to another host or port.
    case elsewhere
    case notWellFormed(String)
    case tooManyEntries
}

/// Where a page came from, after redirects: links are resolved against it, and only those below it count.
package struct IndexBase: Sendable {
    /// Lower-case scheme, and host with the port unless it is the scheme's.
    package var scheme: String
    package var authority: String
    /// Encoded path of the page.
    package var path: String

    package init(scheme: String, authority: String, path: String) {
        self.scheme = scheme
        self.authority = authority
        self.path = path
    }
}
