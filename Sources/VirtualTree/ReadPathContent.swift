internal import Bytes
package import ChunkStore
package import Diagnostics
package import ListingStore
package import ReadPath
package import SourceAPI

/// Content by way of the cache.
package final class ReadPathContent: ContentProvider {
    private let readPath: ReadPath
    private let store: ChunkStore?

    /// - Parameter store: the one behind `readPath`, to say how much of a file is kept.
    package init(_ readPath: ReadPath, store: ChunkStore?) {
        self.readPath = readPath
        self.store = store
    }

    package func open(
        _ entry: RemoteEntry, revision: UInt64, from source: any Source, sourceName: String, path: String
    ) throws(SourceError) -> any ContentReader {
        CachedContentReader(try readPath.open(entry, revision: revision, from: source, label: ObjectLabel(source: sourceName, path: path)))
    }

    package func spool(_ entry: RemoteEntry, from source: any Source) async throws(SourceError) -> RemoteEntry {
        try await readPath.spool(entry, from: source)
    }

    package func cachedBytes(of entry: RemoteEntry, revision: UInt64) -> UInt64? {
        guard let store else { return nil }
        guard let kept = store.show(key: entry.cacheKey), kept.version.size == entry.size else { return 0 }
        return kept.cachedBytes
    }

    package func onVersionChange(_ handler: @escaping @Sendable (String) -> Void) { readPath.onVersionChange(handler) }
}

extension SourceShelf {
    /// A shelf whose files are read through the cache.
    ///
    /// - Parameter store: the one behind `readPath`, to say how much of a file is kept.
    package convenience init(
        name: String, source: any Source, listings: ListingStore, readPath: ReadPath, store: ChunkStore? = nil,
        options: ShelfOptions = ShelfOptions(), log: Log
    ) {
        self.init(name: name, source: source, listings: listings, content: ReadPathContent(readPath, store: store), options: options, log: log)
    }
}

/// A `FileReader` as the tree hands it on.
final class CachedContentReader: ContentReader {
    let reader: FileReader

    init(_ reader: FileReader) { self.reader = reader }

    func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer,
        later: @escaping @Sendable (Result<UnsafeRawBufferPointer, SourceError>) -> Void
    ) -> ReadOutcome {
        switch reader.read(at: offset, into: buffer, later: later) {
        case .done(let count): .done(count)
        case .pending(let ticket): .pending(TreeTask { [reader] in reader.cancel(ticket) })
        }
    }

    func close() { reader.close() }
}

extension OpenFile {
    /// The handle in the read path, for what goes beyond reading (`fetchWhole`); `nil` where the content comes from elsewhere.
    package var fileReader: FileReader? { (content as? CachedContentReader)?.reader }
}
