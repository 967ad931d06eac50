package import SourceAPI
package import Transport

/// Where a file or directory is, and what may be sent there.
package struct HTTPFileLink: Sendable {
    package var url: HTTPURL
    package var access: HTTPAccess

    package init(url: HTTPURL, access: HTTPAccess) {
        self.url = url
        self.access = access
    }
}

/// A source whose entries lie behind links of their own, for who looks at the server itself and not at its files.
package protocol LinkedSource: Source {
    /// - Returns: `nil` for an entry that has no link.
    func link(of entry: RemoteEntry) -> HTTPFileLink?
}
