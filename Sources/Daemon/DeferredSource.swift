internal import Bytes
internal import Configuration
internal import Diagnostics
internal import SourceAPI
internal import Synchronization

/// A source that comes into being when it is first needed: its kind may have to be asked of the origin, its password of a
/// command, and neither may hold up a mount. A failure is not remembered: the next request tries again.
///
/// The root's locator is empty whatever the real source calls it, so that a listing kept on disk is found before the
/// source exists.
final class DeferredSource: Source {
    let publicAddress: String
    let root = EntryLocator("")
    let meter = SourceMeter()
    let configured: ConfiguredSource
    private let make: @Sendable (ConfiguredSource) async throws(SourceError) -> SourceFactory.Product
    private let whenMade: @Sendable (SourceType) -> Void
    private let state = Mutex(State())

    private struct State: Sendable {
        var made: SourceFactory.Product?
        var making: Task<Result<SourceFactory.Product, SourceError>, Never>?
        var isShutDown = false
    }

    /// - Parameter whenMade: hears the type once, when the source is there.
    init(
        _ configured: ConfiguredSource, make: @escaping @Sendable (ConfiguredSource) async throws(SourceError) -> SourceFactory.Product,
        whenMade: @escaping @Sendable (SourceType) -> Void
    ) {
        self.configured = configured
        self.make = make
        self.whenMade = whenMade
        publicAddress = configured.publicURL
    }

    var kind: String { (type ?? configured.definition.type)?.rawValue ?? "unknown" }

    /// `nil`: not found out yet.
    var type: SourceType? { state.withLock { $0.made?.type } ?? configured.definition.type }

    func publicAddress(of entry: RemoteEntry) -> String? { state.withLock { $0.made }?.source.publicAddress(of: entry) }

    func list(_ directory: EntryLocator) async throws(SourceError) -> DirectoryListing {
        meter.requests.add()
        return try await counted { source throws(SourceError) in
            try await source.list(directory == self.root ? source.root : directory)
        }
    }

    func probe(_ entry: RemoteEntry) async throws(SourceError) -> RemoteEntry {
        meter.requests.add()
        return try await counted { source throws(SourceError) in try await source.probe(entry) }
    }

    func fetch(_ request: FetchRequest, into sink: any FetchSink) -> any FetchTask {
        let sink = meter.counting(sink)
        if let made = state.withLock({ $0.made }) { return made.source.fetch(request, into: sink) }
        let task = DeferredFetch()
        task.start { [self] in
            do throws(SourceError) {
                let source = try await source()
                task.begin { source.fetch(request, into: sink) } cancelled: { sink.end(SourceError(.cancelled, "nobody waits for it any more")) }
            } catch {
                sink.end(error)
            }
        }
        return task
    }

    func shutdown() {
        let (made, making) = state.withLock { state in
            state.isShutDown = true
            return (state.made, state.making)
        }
        making?.cancel()
        made?.source.shutdown()
    }

    private func counted<Value>(_ work: (any Source) async throws(SourceError) -> Value) async throws(SourceError) -> Value {
        do throws(SourceError) { return try await work(try await source()) } catch {
            if error.code != .cancelled { meter.failures.add() }
            throw error
        }
    }

    /// The real source; one making at a time however many ask.
    private func source() async throws(SourceError) -> any Source {
        let task: Task<Result<SourceFactory.Product, SourceError>, Never>
        switch state.withLock({ state -> Step in
            if state.isShutDown { return .ended }
            if let made = state.made { return .there(made.source) }
            if let making = state.making { return .join(making) }
            let new = Task { [self] in await result() }
            state.making = new
            return .join(new)
        }) {
        case .there(let source): return source
        case .ended: throw SourceError(.cancelled, "the source was removed, or the daemon stops")
        case .join(let making): task = making
        }
        return try await task.value.get().source
    }

    private enum Step: Sendable {
        case there(any Source)
        case join(Task<Result<SourceFactory.Product, SourceError>, Never>)
        case ended
    }

    private func result() async -> Result<SourceFactory.Product, SourceError> {
        do throws(SourceError) {
            let product = try await make(configured)
            let isWanted = state.withLock { state in
                state.making = nil
                if !state.isShutDown { state.made = product }
                return !state.isShutDown
            }
            guard isWanted else {
                product.source.shutdown()
                return .failure(SourceError(.cancelled, "the source was removed, or the daemon stops"))
            }
            whenMade(product.type)
            return .success(product)
        } catch {
            state.withLock { $0.making = nil }
            return .failure(error)
        }
    }
}

/// A fetch whose source is still being made.
private final class DeferredFetch: FetchTask {
    private enum Phase: Sendable { case waiting, cancelled, running(any FetchTask) }
    private let phase = Mutex(Phase.waiting)

    func start(_ work: @escaping @Sendable () async -> Void) { Task { await work() } }

    /// Starts the real fetch, unless it was cancelled meanwhile.
    func begin(_ fetch: () -> any FetchTask, cancelled: () -> Void) {
        guard phase.withLock({ if case .waiting = $0 { true } else { false } }) else { return cancelled() }
        let task = fetch()
        let isLate = phase.withLock { phase in
            if case .cancelled = phase { return true }
            phase = .running(task)
            return false
        }
        if isLate { task.cancel() }
    }

    func cancel() {
        let task: (any FetchTask)? = phase.withLock { phase in
            if case .running(let task) = phase { return task }
            phase = .cancelled
            return nil
        }
        task?.cancel()
    }
}
