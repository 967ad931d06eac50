package import SourceAPI

/// Where the tree gets bytes from: the read path, or something simpler in tests.
package protocol ContentProvider: AnyObject, Sendable {
    /// - Parameters:
    ///   - entry: with its exact size.
    ///   - revision: counts the changes of this content that only a read could see.
    ///   - path: where it is inside its source, for people.
    func open(
        _ entry: RemoteEntry, revision: UInt64, from source: any Source, sourceName: String, path: String
    ) throws(SourceError) -> any ContentReader

    /// Learns a size that no request tells by fetching the content, up to a limit.
    func spool(_ entry: RemoteEntry, from source: any Source) async throws(SourceError) -> RemoteEntry

    /// Bytes of this content that are kept on disk; `nil` if that cannot be said.
    func cachedBytes(of entry: RemoteEntry, revision: UInt64) -> UInt64?

    /// `handler` is told the cache key of a content whose replies show another version than the listing did. Every handler given is kept.
    func onVersionChange(_ handler: @escaping @Sendable (String) -> Void)
}

package protocol ContentReader: AnyObject, Sendable {
    /// As `OpenFile.read`.
    func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer,
        later: @escaping @Sendable (Result<UnsafeRawBufferPointer, SourceError>) -> Void
    ) -> ReadOutcome

    func close()
}
