internal import ChunkStore
package import CommandLineTool
package import ControlProtocol
internal import ControlSocket
internal import Diagnostics
internal import Dispatch
internal import Synchronization

/// Answers requests about the cache and the sources in the command's own process, when no daemon runs.
package enum OfflineRequests {
    /// Blocks until it is done.
    ///
    /// - Throws: `.busy` when a daemon has the cache after all, `.notRunning` for what only a daemon can do.
    package static func answer(
        _ options: OfflineOptions, _ request: ControlRequest, _ onEvent: (ControlEvent) -> Void
    ) throws(ControlError) -> ControlAnswer {
        let events = Mutex<[ControlEvent]>([])
        let sink = EventSink { event in events.withLock { $0.append(event) } }
        defer { for event in events.withLock({ $0 }) { onEvent(event) } }
        switch request {
        case .check, .forget: return try withServices(options, request, sink)
        case .cacheList, .cacheShow, .cacheVerify, .cacheDrop, .cacheClear, .cacheLimit, .cacheExport: return try onCache(options, request, sink)
        default: throw ControlError(.notRunning, "reelfs is not running", advice: "mount something first: reelfs mount MOUNTPOINT")
        }
    }

    private static func onCache(_ options: OfflineOptions, _ request: ControlRequest, _ events: EventSink) throws(ControlError) -> ControlAnswer {
        let lock: CacheLock, store: ChunkStore
        do throws(CacheError) {
            lock = try CacheLock(directory: options.cacheDirectory)
            let limits = CacheSpace.limits(directory: options.cacheDirectory, size: options.cacheSize, minimumFree: options.minimumFree)
            store = try ChunkStore(directory: options.cacheDirectory, limits: limits, log: .silent)
        } catch {
            throw ControlError(error)
        }
        defer {
            store.close()
            withExtendedLifetime(lock) {}
        }
        let cache = CacheOperations(store: store, directory: options.cacheDirectory) { CacheLabels.label($0, mounts: []) }
        switch request {
        case .cacheList(let path): return try cache.list(path)
        case .cacheShow(let path): return try cache.show(path)
        case .cacheVerify(let path): return try cache.verify(path, events) { false }
        case .cacheDrop(let paths): return try cache.drop(paths)
        case .cacheClear: return cache.clear()
        case .cacheLimit(let maximum, let free): return cache.setLimits(maximumBytes: maximum, minimumFreeBytes: free)
        case .cacheExport(let paths, let directory): return try cache.export(paths, to: directory, events)
        default: throw ControlError(.internalFault, "not a request about the cache")
        }
    }

    /// A daemon without a socket, for as long as one request takes.
    private static func withServices(_ options: OfflineOptions, _ request: ControlRequest, _ events: EventSink) throws(ControlError) -> ControlAnswer
    {
        let daemon = DaemonOptions(
            cacheDirectory: options.cacheDirectory, configurationDirectory: options.configurationDirectory, cacheSize: options.cacheSize,
            minimumFree: options.minimumFree, style: .background, endsWhenIdle: true, environment: [:])
        let services = try Services(options: daemon, log: .silent) {}
        defer { services.close() }
        let handler = RequestHandler(services: services) {}
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Result<ControlAnswer, ControlError>>(.failure(ControlError(.internalFault, "no answer")))
        Task {
            let answer: Result<ControlAnswer, ControlError>
            do throws(ControlError) { answer = .success(try await handler.answer(request, events)) } catch { answer = .failure(error) }
            result.withLock { $0 = answer }
            done.signal()
        }
        done.wait()
        return try result.withLock { $0 }.get()
    }
}
