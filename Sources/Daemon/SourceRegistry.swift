internal import ChunkStore
internal import Configuration
internal import Diagnostics
internal import ListingStore
internal import ReadPath
internal import SourceAPI
internal import Synchronization
internal import VirtualTree

/// The sources in use: the configured ones, which follow the configuration, and those that a mount brought along.
final class SourceRegistry: Sendable {
    private let directory: ConfigurationDirectory
    private let factory: SourceFactory
    private let listings: ListingStore
    private let readPath: ReadPath
    private let store: ChunkStore
    private let log: Log
    private let state = Mutex(State())

    private struct State: Sendable {
        var configured: [ActiveSource] = []
        var inline: [ActiveSource] = []
        var problems: [ConfigurationProblem] = []
        var isClosed = false
    }

    init(directory: ConfigurationDirectory, factory: SourceFactory, listings: ListingStore, readPath: ReadPath, store: ChunkStore, log: Log) {
        self.directory = directory
        self.factory = factory
        self.listings = listings
        self.readPath = readPath
        self.store = store
        self.log = log
    }

    /// In the order of their names.
    var configured: [ActiveSource] { state.withLock { $0.configured } }

    /// All sources, configured ones first.
    var all: [ActiveSource] { state.withLock { $0.configured + $0.inline } }

    /// What was wrong with the configuration when it was last read.
    var problems: [ConfigurationProblem] { state.withLock { $0.problems } }

    func configured(_ name: SourceName) -> ActiveSource? { state.withLock { $0.configured.first { $0.configured.name == name } } }

    /// Reads the configuration and follows it: what did not change goes on as it is. Blocks on disk.
    ///
    /// A source whose file is damaged just now, or cannot be read, goes on as it was: the fault costs nobody the mount.
    func reload() {
        let loaded = directory.load()
        for problem in loaded.problems where problem.isFault { log.write(.warning, "configuration", problem.description) }
        let present = Set(loaded.sources.map(\.name))
        let damaged = Set(loaded.problems.compactMap { problem in problem.isFault ? problem.path : nil })
        let gone: [ActiveSource] = state.withLock { state in
            guard !state.isClosed else { return [] }
            state.problems = loaded.problems
            var kept: [ActiveSource] = []
            var gone: [ActiveSource] = []
            for active in state.configured {
                let isDamaged = !present.contains(active.configured.name) && damaged.contains(directory.sourcePath(active.configured.name))
                if isDamaged || loaded.sources.contains(where: { isSame($0, active) }) { kept.append(active) } else { gone.append(active) }
            }
            let names = Set(kept.map(\.configured.name))
            state.configured = (kept + loaded.sources.filter { !names.contains($0.name) }.map { activate($0, isConfigured: true) }).sorted {
                $0.name < $1.name
            }
            return gone
        }
        // Reads of open files end with an error: their source is gone.
        for active in gone { active.close() }
    }

    /// A source that is not configured, for one mount.
    func bring(_ configured: ConfiguredSource) -> ActiveSource {
        let active = activate(configured, isConfigured: false)
        state.withLock { $0.inline.append(active) }
        return active
    }

    /// The mount that brought them is over.
    func release(_ sources: [ActiveSource]) {
        let gone = state.withLock { state in
            let gone = state.inline.filter { inline in sources.contains { $0 === inline } }
            state.inline.removeAll { inline in sources.contains { $0 === inline } }
            return gone
        }
        for active in gone { active.close() }
    }

    /// Forgets what is kept of the directories of a source, whatever its address was; it need not be configured any more.
    func forgetListings(of name: SourceName) { listings.forget(source: ScopedListings.prefix(of: name)) }

    func close() {
        let gone = state.withLock { state in
            state.isClosed = true
            defer {
                state.configured = []
                state.inline = []
            }
            return state.configured + state.inline
        }
        for active in gone { active.close() }
    }

    /// The type may have been found out since: that alone makes no other source.
    private func isSame(_ loaded: ConfiguredSource, _ active: ActiveSource) -> Bool {
        var before = active.configured
        if before.definition.type == nil, loaded.definition.type == active.origin.type { before.definition.type = loaded.definition.type }
        return before == loaded
    }

    private func activate(_ configured: ConfiguredSource, isConfigured: Bool) -> ActiveSource {
        let factory = factory, directory = directory, log = log
        let origin = DeferredSource(configured) { configured throws(SourceError) in
            try await factory.make(configured)
        } whenMade: { type in
            guard isConfigured, configured.definition.type == nil else { return }
            Task { await BlockingWork.run { Self.remember(type, of: configured, in: directory, log) } }
        }
        var options = ShelfOptions()
        if let seconds = configured.definition.listingSeconds { options.timeToLive = .seconds(Int64(seconds)) }
        let shelf = SourceShelf(
            name: configured.name.text, source: origin, listings: ScopedListings(listings, of: configured),
            content: ReadPathContent(readPath, store: store),
            options: options, log: log)
        return ActiveSource(configured: configured, origin: origin, shelf: shelf)
    }

    /// Writes the type that was found out into the source's file, unless the file changed meanwhile.
    private static func remember(_ type: SourceType, of configured: ConfiguredSource, in directory: ConfigurationDirectory, _ log: Log) {
        var problems: [ConfigurationProblem] = []
        guard var current = directory.load(configured.name, problems: &problems), current == configured else { return }
        current.definition.type = type
        do { try directory.save(current, replaces: true) } catch {
            log.write(
                .notice, "configuration", "the type of a source was found out, but not written down",
                ["source": configured.name.text, "why": "\(error)"])
        }
    }
}
