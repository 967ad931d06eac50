internal import ChunkStore
internal import CommandLineTool
internal import Configuration
internal import ControlProtocol
internal import Database
internal import Diagnostics
internal import FuseAdapter
internal import Glibc
internal import ListingStore
internal import ReadPath
internal import Transport
internal import VirtualTree

/// The parts of a running daemon, made in the order of their needs and ended in the reverse.
final class Services: Sendable {
    let log: Log
    let hello: DaemonHello
    let sources: SourceRegistry
    let mounts: MountRegistry
    let resolver: PathResolver
    let cache: CacheOperations
    let client: HTTPClient
    let readPath: ReadPath
    let store: ChunkStore
    let meter = RateMeter()
    let started = ContinuousClock.now
    private let lock: CacheLock
    private let listings: ListingStore

    /// - Throws: `.busy` when another daemon uses the cache directory.
    init(options: DaemonOptions, log: Log, whenMountsChange: @escaping @Sendable () -> Void) throws(ControlError) {
        self.log = log
        let configuration = ConfigurationDirectory(
            path: options.configurationDirectory, home: StandardDirectories(environment: options.environment).home)
        do throws(CacheError) {
            lock = try CacheLock(directory: options.cacheDirectory)
            let limits = CacheSpace.limits(directory: options.cacheDirectory, size: options.cacheSize, minimumFree: options.minimumFree)
            store = try ChunkStore(directory: options.cacheDirectory, limits: limits, log: log)
        } catch {
            throw ControlError(error)
        }
        do throws(DatabaseError) { listings = try ListingStore(path: options.cacheDirectory + "/listings.sqlite", log: log) } catch {
            throw ControlError(.cacheFailed, "the kept listings cannot be opened: \(error)", advice: "is \(options.cacheDirectory) writable?")
        }
        readPath = ReadPath(store: store, log: log)
        client = HTTPClient(log: log)
        sources = SourceRegistry(
            directory: configuration, factory: SourceFactory(client: client, log: log), listings: listings, readPath: readPath, store: store, log: log
        )
        mounts = MountRegistry(sources: sources, log: log, whenChanged: whenMountsChange)
        resolver = PathResolver(sources: sources, mounts: mounts)
        cache = CacheOperations(store: store, directory: options.cacheDirectory) { [mounts] in CacheLabels.label($0, mounts: mounts.all) }
        hello = DaemonHello(
            programVersion: ProgramVersion.text, processID: getpid(), cacheDirectory: options.cacheDirectory,
            configurationDirectory: options.configurationDirectory)
        sources.reload()
    }

    func followConfiguration() {
        sources.reload()
        mounts.followSources()
    }

    /// Mounts go first, so that nobody reads any more; the store last, so that all that came is kept.
    func close() {
        mounts.close()
        sources.close()
        client.shutdown()
        listings.close()
        store.close()
    }
}

/// What paths of `cache` commands mean, without asking anybody.
enum CacheLabels {
    static func label(_ reference: PathReference, mounts: [MountRegistry.Mount]) -> (source: String, path: String)? {
        for mount in mounts {
            guard let path = reference.below(mountPoint: mount.mount.mountPoint) else { continue }
            if mount.isSingleRoot { return mount.tree.shelves.first.map { ($0.name, path) } }
            let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
            guard let source = parts.first else { return nil }
            return (source, parts.count > 1 ? parts[1] : "")
        }
        return reference.sourceAndPath.map { ($0.source.text, $0.path) }
    }
}

/// The limits of the cache, from what was configured and the size of its disk.
enum CacheSpace {
    static func limits(directory: String, size: CacheSize?, minimumFree: UInt64?) -> CacheLimits {
        var settings = Settings()
        settings.cacheSize = size
        return CacheLimits(
            maximumBytes: settings.cacheBytes(diskBytes: diskBytes(directory)), minimumFreeBytes: minimumFree ?? Settings.defaultMinimumFree)
    }

    private static func diskBytes(_ path: String) -> UInt64 {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return 0 }
        return UInt64(disk.f_blocks).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue
    }
}
