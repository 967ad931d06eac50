internal import SourceAPI

/// Which directories are in memory, which are being listed, and who waits: the rules of age and failure of one source, without locks, threads or
/// requests. Its owner holds the lock, and after releasing it answers the waiters and starts the work that a method names.
///
/// Invariants: at most one flight a directory; a waiter is handed back exactly once; a failed listing never replaces one that was got.
struct SnapshotTable<Waiter: Sendable>: Sendable {
    typealias Answer = Result<DirectoryView, SourceError>

    /// Work to start. The number comes back with its end; ends of flights that were given up are ignored.
    enum Start: Sendable {
        /// Look into what is kept on disk.
        case load(flight: UInt64)
        /// Ask the origin. `isTrial`: its breaker was open.
        case list(flight: UInt64, isTrial: Bool)
    }

    struct Actions {
        var answers: [(waiter: Waiter, answer: Answer)] = []
        var start: Start?
        var change: DirectoryChange?
    }

    struct Pending: Sendable {
        let waiter: Waiter
        /// Takes nothing older than the listing under way: a refresh.
        let wantsFresh: Bool
    }

    struct Flight: Sendable {
        let number: UInt64
        let isLoad: Bool
        let isTrial: Bool
        var waiters: [Pending] = []
        /// Refreshes that were asked when this listing was already under way: it may have missed what they want to see.
        var followers: [Pending] = []
        var isPatienceOver = false
        var isTrialOver = false
    }

    struct Directory: Sendable {
        var snapshot: DirectorySnapshot?
        var listedAt: Duration = .zero
        var learned: [EntryLocator: LearnedFile] = [:]
        var flight: Flight?
        /// What is on disk was looked at, and need not be again.
        var wasLoaded = false
        /// When the origin said that this directory does not exist.
        var goneAt: Duration?
        /// There is reason to believe that the listing is out of date, whatever its age.
        var isExpired = false
        /// Somebody asked for what is true now: the next listing is waited for, whatever the age of this one.
        var isRefreshing = false
        var lastError: SourceError?
        /// For failures that concern this directory alone.
        var breaker: CircuitBreaker
        var lastUse: UInt64 = 0

        var cost: Int { 1 + (snapshot?.items.count ?? 0) }
    }

    let root: EntryLocator
    let options: ShelfOptions
    /// For failures of the origin as a whole.
    var breaker: CircuitBreaker
    var directories: [EntryLocator: Directory] = [:]
    private(set) var entryCount = 0
    var lastError: SourceError?
    private var flights: UInt64 = 0
    private var uses: UInt64 = 0

    init(root: EntryLocator, options: ShelfOptions) {
        self.root = root
        self.options = options
        breaker = CircuitBreaker(firstPause: options.firstPause, longestPause: options.longestPause)
    }

    // MARK: - Asking

    /// The answer, if memory has one; no waiting is begun.
    mutating func answerNow(_ directory: EntryLocator, at now: Duration) -> (answer: Answer, start: Start?)? {
        switch decide(directory, at: now) {
        case .answer(let view, let revalidates): return (.success(view), revalidates ? startListing(directory, waiters: [], at: now) : nil)
        case .refuse(let error): return (.failure(error), nil)
        case .wait, .load, .list: return nil
        }
    }

    /// Answers at once, or keeps the waiter until there is an answer.
    mutating func ask(_ directory: EntryLocator, wantsFresh: Bool = false, at now: Duration, waiter: Waiter) -> Actions {
        let pending = Pending(waiter: waiter, wantsFresh: wantsFresh)
        if wantsFresh { return askFresh(directory, pending, at: now) }
        return route(directory, [pending], at: now)
    }

    private mutating func askFresh(_ directory: EntryLocator, _ pending: Pending, at now: Duration) -> Actions {
        var state = directories[directory] ?? newDirectory()
        if state.flight != nil {
            state.flight?.followers.append(pending)
            update(directory, state)
            return Actions()
        }
        state.breaker.reset()
        if breaker.admission(at: now) == .refuse, !breaker.state.isTrying { breaker.reset() }
        update(directory, state)
        guard let start = startListing(directory, waiters: [pending], at: now, insists: true) else {
            return Actions(answers: [(pending.waiter, .failure(refusal(of: directory)))])
        }
        return Actions(start: start)
    }

    private enum Decision {
        case answer(DirectoryView, revalidates: Bool)
        case wait
        case refuse(SourceError)
        case load
        case list
    }

    private mutating func decide(_ directory: EntryLocator, at now: Duration) -> Decision {
        guard var state = directories[directory] else { return .load }
        uses += 1
        state.lastUse = uses
        directories[directory]?.lastUse = uses
        if let flight = state.flight, flight.isLoad { return .wait }
        guard let view = view(of: state, at: now) else {
            if !state.wasLoaded { return .load }
            if let flight = state.flight { return flight.isTrialOver ? .refuse(refusal(of: directory)) : .wait }
            if let goneAt = state.goneAt, now - goneAt < options.timeToLive { return .refuse(refusal(of: directory)) }
            return admits(state, at: now) ? .list : .refuse(refusal(of: directory))
        }
        if view.age < options.timeToLive, !state.isExpired { return .answer(view, revalidates: false) }
        let mayList = state.flight == nil && admits(state, at: now)
        if view.age < options.staleAfter, !state.isRefreshing { return .answer(view, revalidates: mayList) }
        if let flight = state.flight { return flight.isPatienceOver ? .answer(view, revalidates: false) : .wait }
        return mayList ? .list : .answer(view, revalidates: false)
    }

    /// Gives each waiter an answer, or a place in a flight.
    mutating func route(_ directory: EntryLocator, _ waiters: [Pending], at now: Duration) -> Actions {
        switch decide(directory, at: now) {
        case .answer(let view, let revalidates):
            let start = revalidates ? startListing(directory, waiters: [], at: now) : nil
            return Actions(answers: waiters.map { ($0.waiter, .success(view)) }, start: start)
        case .refuse(let error):
            return Actions(answers: waiters.map { ($0.waiter, .failure(error)) })
        case .wait:
            directories[directory]?.flight?.waiters += waiters
            return Actions()
        case .load:
            var state = directories[directory] ?? newDirectory()
            flights += 1
            state.flight = Flight(number: flights, isLoad: true, isTrial: false, waiters: waiters)
            update(directory, state)
            return Actions(start: .load(flight: flights))
        case .list:
            guard let start = startListing(directory, waiters: waiters, at: now) else {
                return Actions(answers: waiters.map { ($0.waiter, .failure(refusal(of: directory))) })
            }
            return Actions(start: start)
        }
    }

    private func admits(_ state: Directory, at now: Duration) -> Bool {
        state.breaker.admission(at: now) != .refuse && breaker.admission(at: now) != .refuse
    }

    /// `nil`: a breaker refuses.
    mutating func startListing(_ directory: EntryLocator, waiters: [Pending], at now: Duration, insists: Bool = false) -> Start? {
        var state = directories[directory] ?? newDirectory()
        guard state.flight == nil else { return nil }
        guard insists || admits(state, at: now) else { return nil }
        let whole = breaker.admit(at: now), own = state.breaker.admit(at: now)
        let isTrial = !insists && (whole == .trial || own == .trial)
        flights += 1
        state.flight = Flight(number: flights, isLoad: false, isTrial: isTrial, waiters: waiters)
        update(directory, state)
        return .list(flight: flights, isTrial: isTrial)
    }

    // MARK: - Room

    private func newDirectory() -> Directory {
        Directory(breaker: CircuitBreaker(firstPause: options.firstPause, longestPause: options.longestPause), lastUse: uses)
    }

    mutating func update(_ directory: EntryLocator, _ state: Directory) {
        entryCount += state.cost - (directories.updateValue(state, forKey: directory)?.cost ?? 0)
    }

    /// Drops what was used least recently until a tenth of the room is free. What was learned of it is on disk.
    mutating func evict() {
        guard entryCount > options.maximumEntries else { return }
        let goal = options.maximumEntries - options.maximumEntries / 10
        for (directory, state) in directories.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard entryCount > goal else { break }
            guard state.flight == nil, state.lastUse != uses else { continue }
            entryCount -= state.cost
            directories[directory] = nil
        }
    }
}
