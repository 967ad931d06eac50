import SourceAPI
import Synchronization
import VirtualTree

/// Content straight from a scripted source, without a cache.
final class PlainContent: ContentProvider {
    private let handlers = Mutex<[@Sendable (String) -> Void]>([])
    let spools = Mutex(0)

    func open(
        _ entry: RemoteEntry, revision: UInt64, from source: any Source, sourceName: String, path: String
    ) throws(SourceError) -> any ContentReader {
        guard let source = source as? ScriptedSource, let file = source.change({ $0.files[entry.locator.text] }) else {
            throw SourceError(.notFound, "no such file")
        }
        return PlainReader(file.bytes)
    }

    func spool(_ entry: RemoteEntry, from source: any Source) async throws(SourceError) -> RemoteEntry {
        spools.withLock { $0 += 1 }
        guard let source = source as? ScriptedSource, let file = source.change({ $0.files[entry.locator.text] }) else {
            throw SourceError(.notFound, "no such file")
        }
        guard file.bytes.count < 1_000_000 else { throw SourceError(.sizeUnknown, "too long to be spooled") }
        var entry = entry
        entry.size = UInt64(file.bytes.count)
        return entry
    }

    func cachedBytes(of entry: RemoteEntry, revision: UInt64) -> UInt64? { 7 }

    func onVersionChange(_ handler: @escaping @Sendable (String) -> Void) { handlers.withLock { $0.append(handler) } }

    func reportVersionChange(_ cacheKey: String) { for handler in handlers.withLock({ $0 }) { handler(cacheKey) } }
}

private final class PlainReader: ContentReader {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer,
        later: @escaping @Sendable (Result<UnsafeRawBufferPointer, SourceError>) -> Void
    ) -> ReadOutcome {
        let start = Int(min(offset, UInt64(bytes.count)))
        let count = min(buffer.count, bytes.count - start)
        bytes[start..<(start + count)].withUnsafeBytes { buffer.copyMemory(from: $0) }
        return .done(count)
    }

    func close() {}
}
