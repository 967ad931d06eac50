package import Diagnostics
package import SourceAPI
internal import Bytes
internal import Dispatch
internal import Synchronization

/// One source's directories and files, shared by all mounts: listings in memory and on disk, their age, requests for sizes, the source's health.
///
/// Lock order: `state` is the only lock; nothing is called while it is held. What may touch the disk or take long runs on `queue`,
/// requests run in tasks.
package final class SourceShelf: Sendable {
    package let name: String
    package let source: any Source
    let options: ShelfOptions
    let archive: any ListingArchive
    let content: any ContentProvider
    let clock: any TreeClock
    let log: Log
    let queue: DispatchQueue
    let state: Mutex<State>

    typealias ViewReply = @Sendable (Result<DirectoryView, SourceError>) -> Void
    typealias FileReply = @Sendable (Result<LearnedFile, SourceError>) -> Void

    struct State: Sendable {
        var table: SnapshotTable<ViewReply>
        var probes: ProbeTable<FileReply>
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var listeners: [ObjectIdentifier: WeakListener] = [:]
        /// Open files by cache key, and in which directories they are.
        var openFiles: [String: [EntryLocator: Int]] = [:]
        var openCount = 0
        var revisedAt: [String: Duration] = [:]
        /// Files, by cache key, of which a read saw another version while the listing said this: the size it states is not believed until it
        /// states something else.
        var distrusted: [String: RemoteEntry] = [:]
        var health = ShelfHealth()
        var isClosed = false
    }

    struct WeakListener: Sendable { weak var listener: (any ShelfListener)? }

    /// - Parameters:
    ///   - name: the user's name of the source: inode numbers and kept listings go by it.
    ///   - listings: shared by all sources.
    ///   - content: shared by all sources.
    package init(
        name: String, source: any Source, listings: any ListingArchive, content: any ContentProvider, options: ShelfOptions = ShelfOptions(),
        clock: any TreeClock = SystemClock(), log: Log
    ) {
        self.name = name
        self.source = source
        self.options = options
        archive = listings
        self.content = content
        self.clock = clock
        self.log = log
        queue = DispatchQueue(label: "reelfs.shelf.\(name)")
        state = Mutex(
            State(
                table: SnapshotTable(root: source.root, options: options),
                probes: ProbeTable(atOnce: options.probesAtOnce, pause: options.firstPause)))
        content.onVersionChange { [weak self] cacheKey in self?.versionChanged(cacheKey) }
    }

    /// Lists the root in the background if it is not in memory: a mount begins so, and its first `ls` finds a connection that is up.
    package func warm() { view(of: source.root) { _ in } }

    /// Everything under way ends soon; what is asked afterwards is answered from memory, or fails. The source itself is its owner's to shut down.
    package func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    package var health: ShelfHealth {
        state.withLock { state in
            var health = state.health
            health.isStale = state.table.showsStale
            health.directories = state.table.directories.count
            health.entries = state.table.entryCount - state.table.directories.count
            health.openFiles = state.openCount
            health.lastError = state.table.lastError?.description ?? health.lastError
            switch state.table.breaker.state {
            case .closed: health.state = health.lastError != nil ? .failing : health.lastSuccess == nil ? .unknown : .healthy
            case .open(let until): health.state = until > clock.now ? .resting : .failing
            case .trying: health.state = .failing
            }
            return health
        }
    }

    /// Why the source does not answer at present; `nil` if it does, as far as is known.
    var failure: String? {
        state.withLock { state in state.table.breaker.state == .closed ? nil : state.table.lastError?.detail ?? "the source does not answer" }
    }

    // MARK: - Listeners

    func add(_ listener: any ShelfListener) {
        state.withLock { $0.listeners[ObjectIdentifier(listener)] = WeakListener(listener: listener) }
    }

    func remove(_ listener: any ShelfListener) { _ = state.withLock { $0.listeners.removeValue(forKey: ObjectIdentifier(listener)) } }

    func tell(_ change: DirectoryChange?) {
        guard let change else { return }
        let listeners = state.withLock { state in
            state.listeners = state.listeners.filter { $0.value.listener != nil }
            return state.listeners.values.compactMap(\.listener)
        }
        for listener in listeners { listener.shelf(self, changed: change) }
    }
}

/// A tree that shows the shelf. Called with no lock held; must not wait.
protocol ShelfListener: AnyObject, Sendable {
    func shelf(_ shelf: SourceShelf, changed change: DirectoryChange)
}
