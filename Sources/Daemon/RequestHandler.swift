internal import ChunkStore
internal import Configuration
internal import ControlProtocol
internal import ControlSocket
internal import Diagnostics
internal import SourceAPI
internal import Synchronization
internal import VirtualTree

/// Answers the requests of commands. Runs on Swift's pool, so what blocks goes to `BlockingWork`.
final class RequestHandler: Sendable {
    private let services: Services
    private let stop: @Sendable () -> Void
    /// Requests being worked on, the endless ones (`status --watch`) not counted: while there are any the daemon is not idle.
    private let running = Mutex(0)

    init(services: Services, stop: @escaping @Sendable () -> Void) {
        self.services = services
        self.stop = stop
    }

    var isBusy: Bool { running.withLock { $0 } > 0 }

    func answer(_ request: ControlRequest, _ events: EventSink) async throws(ControlError) -> ControlAnswer {
        if case .status(let interval?) = request { return try await watch(interval, events) }
        running.withLock { $0 += 1 }
        defer { running.withLock { $0 -= 1 } }
        return try await work(request, events)
    }

    private func work(_ request: ControlRequest, _ events: EventSink) async throws(ControlError) -> ControlAnswer {
        let services = services
        let cache = services.cache
        switch request {
        case .hello: return .hello(hello: services.hello)
        case .mount(let request):
            let mount = try await BlockingWork.run { () throws(ControlError) in try services.mounts.mount(request) }
            await warn(of: mount, events)
            return .mounted(mount: mount.status)
        case .unmount(let target, let lazy):
            let result = try await BlockingWork.run { () throws(ControlError) in
                let result = try services.mounts.unmount(target, lazy: lazy)
                return UnmountResult(mountPoints: result.mountPoints, lazy: result.lazy)
            }
            return .unmounted(mountPoints: result.mountPoints, lazy: result.lazy)
        case .mounts: return .mounts(mounts: services.mounts.all.map(\.status))
        case .sourcesChanged:
            await BlockingWork.run { services.followConfiguration() }
            return .done
        case .status: return .status(report: await BlockingWork.run { services.report() })
        case .cacheList(let path): return try await BlockingWork.run { () throws(ControlError) in try cache.list(path) }
        case .cacheShow(let path): return try await BlockingWork.run { () throws(ControlError) in try cache.show(path) }
        case .cacheVerify(let path):
            let flag = CancelFlag()
            return try await withTaskCancellation(flag) { () async throws(ControlError) in
                try await BlockingWork.run { () throws(ControlError) in try cache.verify(path, events) { flag.isSet } }
            }
        case .cacheDrop(let paths): return try await BlockingWork.run { () throws(ControlError) in try cache.drop(paths) }
        case .cacheClear: return await BlockingWork.run { cache.clear() }
        case .cacheLimit(let maximum, let free): return await BlockingWork.run { cache.setLimits(maximumBytes: maximum, minimumFreeBytes: free) }
        case .cacheExport(let paths, let directory):
            return try await BlockingWork.run { () throws(ControlError) in try cache.export(paths, to: directory, events) }
        case .get(let paths, let directory):
            return .fetched(report: try await GetOperation(resolver: services.resolver, log: services.log).run(paths, to: directory, events))
        case .refresh(let path): return try await refresh(path)
        case .forget(let source, let purge): return await forget(source, purge)
        case .check(let sources): return .checks(findings: try await SourceChecks(registry: services.sources).run(sources))
        case .stop:
            stop()
            return .done
        }
    }

    private struct UnmountResult: Sendable {
        let mountPoints: [String]
        let lazy: [String]
    }

    private func watch(_ milliseconds: UInt32, _ events: EventSink) async throws(ControlError) -> ControlAnswer {
        let services = services
        while !Task.isCancelled {
            events.send(.status(report: await BlockingWork.run { services.report() }))
            do { try await Task.sleep(for: .milliseconds(max(100, Int64(milliseconds)))) } catch { break }
        }
        throw ControlError(.cancelled, "stopped")
    }

    /// A mount is made whether its origins answer or not; a wrong link should still be noticed at once.
    private func warn(of mount: MountRegistry.Mount, _ events: EventSink) async {
        for _ in 0..<20 {
            if mount.tree.shelves.allSatisfy({ $0.health.state != .unknown }) { break }
            do { try await Task.sleep(for: .milliseconds(100)) } catch { return }
        }
        for shelf in mount.tree.shelves { if let error = shelf.health.lastError { events.send(.note(text: "\(shelf.name): \(error)")) } }
    }

    private func refresh(_ path: PathReference?) async throws(ControlError) -> ControlAnswer {
        var failures: [ItemFailure] = []
        guard let path else {
            let active = services.sources.all
            for source in active {
                let tree = VirtualTree(root: .shelf(source.shelf), log: .silent)
                do throws(TreeError) { try await tree.refresh([]) } catch {
                    failures.append(ItemFailure(item: source.name, message: error.detail, advice: error.advice))
                }
            }
            return .refreshed(directories: UInt64(active.count - failures.count), failures: failures)
        }
        let place = try services.resolver.place(path)
        do throws(TreeError) { try await place.tree.refresh(Array(place.path.utf8)) } catch {
            failures.append(ItemFailure(item: path.given, message: error.detail, advice: error.advice))
        }
        return .refreshed(directories: failures.isEmpty ? 1 : 0, failures: failures)
    }

    private func forget(_ source: SourceName, _ purge: Bool) async -> ControlAnswer {
        let services = services
        return await BlockingWork.run {
            services.followConfiguration()
            guard purge else { return .freed(bytes: 0, objects: 0, keptInUse: 0) }
            services.sources.forgetListings(of: source)
            return services.cache.drop(source: source.text)
        }
    }
}

/// Carries a cancellation to a thread that does not know tasks.
final class CancelFlag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}

/// `withTaskCancellationHandler`, with a typed error.
private func withTaskCancellation<Value: Sendable>(
    _ flag: CancelFlag, _ work: @Sendable () async throws(ControlError) -> Value
) async throws(ControlError) -> Value {
    let result: Result<Value, ControlError> = await withTaskCancellationHandler {
        do throws(ControlError) { return .success(try await work()) } catch { return .failure(error) }
    } onCancel: {
        flag.set()
    }
    return try result.get()
}
