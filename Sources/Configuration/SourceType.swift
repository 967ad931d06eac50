/// What kind of origin a source is.
package enum SourceType: String, Hashable, Sendable, Codable, CaseIterable {
    /// A WebDAV drive (RFC 4918).
    case webdav
    /// A directory index of a web server, or one file.
    case http
    /// A text file of URLs, on the web or on this machine.
    case list
}
