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
    private(set) var directories: [EntryLocator: Directory] = [:]
    private(set) var entryCount = 0
    private(set) var lastError: SourceError?
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
    private mutating func route(_ directory: EntryLocator, _ waiters: [Pending], at now: Duration) -> Actions {
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
    private mutating func startListing(_ directory: EntryLocator, waiters: [Pending], at now: Duration, insists: Bool = false) -> Start? {
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

    // MARK: - Ends of flights

    /// What was kept on disk, or `nil`.
    mutating func loaded(
        _ directory: EntryLocator, flight number: UInt64, _ snapshot: DirectorySnapshot?, age: Duration, at now: Duration
    ) -> Actions {
        guard var state = directories[directory], let flight = state.flight, flight.number == number else { return Actions() }
        state.flight = nil
        state.wasLoaded = true
        state.snapshot = snapshot
        state.listedAt = now - max(age, .zero)
        update(directory, state)
        evict()
        var actions = route(directory, flight.waiters, at: now)
        if !flight.followers.isEmpty { actions = follow(directory, flight.followers, after: actions, at: now) }
        return actions
    }

    mutating func listed(_ directory: EntryLocator, flight number: UInt64, _ snapshot: DirectorySnapshot, at now: Duration) -> Actions {
        guard var state = directories[directory], let flight = state.flight, flight.number == number else { return Actions() }
        let old = view(of: state, at: now)
        breaker.succeeded()
        lastError = nil
        state.breaker.succeeded()
        state.lastError = nil
        state.flight = nil
        state.wasLoaded = true
        state.goneAt = nil
        state.isExpired = false
        state.isRefreshing = false
        state.learned = old.map { stillTrue(of: $0, in: snapshot, at: now) } ?? [:]
        state.snapshot = snapshot
        state.listedAt = now
        update(directory, state)
        var actions = Actions()
        if let new = view(of: state, at: now) {
            actions.answers = flight.waiters.map { ($0.waiter, .success(new)) }
            if let old {
                let change = DirectoryChange(directory: directory, from: old, to: new)
                if !change.isEmpty { actions.change = change }
            }
        }
        if !flight.followers.isEmpty { actions = follow(directory, flight.followers, after: actions, at: now) }
        evict()
        return actions
    }

    mutating func failed(_ directory: EntryLocator, flight number: UInt64, _ error: SourceError, at now: Duration) -> Actions {
        guard var state = directories[directory], let flight = state.flight, flight.number == number else { return Actions() }
        state.flight = nil
        state.wasLoaded = true
        state.isRefreshing = false
        state.lastError = error
        var actions = Actions()
        if isOfOrigin(error) {
            note(error, at: now)
            state.breaker.abandoned(at: now)
        } else if error.code == .cancelled {
            breaker.abandoned(at: now)
            state.breaker.abandoned(at: now)
        } else {
            breaker.succeeded()
            state.breaker.failed(at: now)
        }
        if error.code == .notFound, directory != root {
            // The origin itself says so of this very directory: the one failure that takes a listing away.
            if let old = view(of: state, at: now) { actions.change = DirectoryChange(directory: directory, gone: old) }
            state.snapshot = nil
            state.learned = [:]
            state.goneAt = now
        }
        update(directory, state)
        let view = view(of: state, at: now)
        for pending in flight.waiters {
            if let view, !pending.wantsFresh {
                actions.answers.append((pending.waiter, .success(view)))
            } else {
                actions.answers.append((pending.waiter, .failure(error)))
            }
        }
        if !flight.followers.isEmpty { actions = follow(directory, flight.followers, after: actions, at: now) }
        return actions
    }

    private mutating func follow(_ directory: EntryLocator, _ followers: [Pending], after actions: Actions, at now: Duration) -> Actions {
        var actions = actions
        if directories[directory]?.flight != nil {
            // Only the load routed just now can have started one, and it began after the refresh was asked.
            directories[directory]?.flight?.waiters += followers
        } else if let start = startListing(directory, waiters: followers, at: now, insists: true) {
            actions.start = start
        }
        return actions
    }

    // MARK: - Time

    /// A listing has been under way for `patience`: whoever can be shown an old one is.
    mutating func patienceOver(_ directory: EntryLocator, flight number: UInt64, at now: Duration) -> Actions {
        guard var state = directories[directory], var flight = state.flight, flight.number == number else { return Actions() }
        flight.isPatienceOver = true
        var actions = Actions()
        if let view = view(of: state, at: now) {
            actions.answers = flight.waiters.filter { !$0.wantsFresh }.map { ($0.waiter, .success(view)) }
            flight.waiters.removeAll { !$0.wantsFresh }
        }
        state.flight = flight
        update(directory, state)
        return actions
    }

    /// A trial has been under way for `trialPatience`: nobody waits for it any more.
    mutating func trialOver(_ directory: EntryLocator, flight number: UInt64, at now: Duration) -> Actions {
        guard var state = directories[directory], var flight = state.flight, flight.number == number, flight.isTrial else { return Actions() }
        flight.isTrialOver = true
        var actions = Actions()
        let answer: Answer = view(of: state, at: now).map { .success($0) } ?? .failure(refusal(of: directory))
        actions.answers = flight.waiters.filter { !$0.wantsFresh }.map { ($0.waiter, answer) }
        flight.waiters.removeAll { !$0.wantsFresh }
        state.flight = flight
        update(directory, state)
        return actions
    }

    /// A listing did not end within its deadline. It counts as failed; its end, should it come, is ignored.
    mutating func deadlineOver(_ directory: EntryLocator, flight number: UInt64, at now: Duration) -> Actions {
        failed(directory, flight: number, SourceError(.timedOut, "no listing within \(options.listingDeadline.components.seconds) s"), at: now)
    }

    // MARK: - What is learned beside listings

    /// A size was learned of an entry as it was asked. `nil`: the listing says something else by now, or nothing changed that anybody saw.
    mutating func learn(_ directory: EntryLocator, shownName: [UInt8], asked: RemoteEntry, _ file: LearnedFile) -> DirectoryChange? {
        guard let item = item(directory, shownName), item.entry == asked else { return nil }
        let old = directories[directory]?.learned.updateValue(file, forKey: asked.locator)
        guard let old, old.number != file.number else { return nil }
        return DirectoryChange(directory: directory, name: shownName, oldNumber: old.number)
    }

    /// A read saw another version than was listed: its number changes, and its directory is to be listed again.
    mutating func revise(
        _ directory: EntryLocator, source: String, cacheKey: String, revision: UInt64, at now: Duration
    ) -> DirectoryChange? {
        guard var state = directories[directory], let old = view(of: state, at: now) else { return nil }
        guard let snapshot = old.snapshot.replacingRevision(source: source, cacheKey: cacheKey, by: revision) else { return nil }
        for item in snapshot.items where item.entry.cacheKey == cacheKey { state.learned[item.entry.locator] = nil }
        state.snapshot = snapshot
        state.isExpired = true
        update(directory, state)
        guard let new = view(of: state, at: now) else { return nil }
        return DirectoryChange(directory: directory, from: old, to: new)
    }

    /// The next ask lists again.
    mutating func expire(_ directory: EntryLocator) { directories[directory]?.isExpired = true }

    /// Each next ask lists again, and waits for it as for a stale listing.
    mutating func expireAll() {
        for directory in directories.keys {
            directories[directory]?.isExpired = true
            directories[directory]?.isRefreshing = true
        }
    }

    // MARK: - Looking without asking

    func peek(_ directory: EntryLocator, at now: Duration) -> DirectoryView? { directories[directory].flatMap { view(of: $0, at: now) } }

    func isUnderWay(_ directory: EntryLocator, flight number: UInt64) -> Bool { directories[directory]?.flight?.number == number }

    func item(_ directory: EntryLocator, _ shownName: [UInt8]) -> DirectorySnapshot.Item? {
        guard let snapshot = directories[directory]?.snapshot, let index = snapshot.index(ofShown: shownName) else { return nil }
        return snapshot.items[index]
    }

    func entry(_ directory: EntryLocator, cacheKey: String) -> RemoteEntry? {
        directories[directory]?.snapshot?.items.first { $0.entry.kind == .file && $0.entry.cacheKey == cacheKey }?.entry
    }

    var showsStale: Bool { directories.values.contains { $0.snapshot != nil && $0.lastError != nil } }

    /// A failure of the origin as a whole, from here or from a request for a size.
    mutating func note(_ error: SourceError, at now: Duration) {
        lastError = error
        var pause: Duration?
        if case .throttled(let retryAfter) = error.code { pause = retryAfter }
        breaker.failed(at: now, atLeast: pause)
    }

    func isOfOrigin(_ error: SourceError) -> Bool { error.isTransient }

    private func view(of state: Directory, at now: Duration) -> DirectoryView? {
        guard let snapshot = state.snapshot else { return nil }
        let age = now - state.listedAt
        var staleness: String?
        if let error = state.lastError, age >= options.timeToLive || state.isExpired {
            staleness = error.detail
        } else if age >= options.timeToLive, let error = lastError, breaker.state != .closed {
            staleness = error.detail
        } else if age >= options.staleAfter {
            staleness = "listed \(age.components.seconds / 60) minutes ago"
        }
        return DirectoryView(snapshot: snapshot, learned: state.learned, age: age, staleness: staleness)
    }

    private func refusal(of directory: EntryLocator) -> SourceError {
        directories[directory]?.lastError ?? lastError ?? SourceError(.unreachable, "the source does not answer")
    }

    /// Sizes that were learned, or kept from the last listing, and that the new listing does not contradict.
    private func stillTrue(of old: DirectoryView, in snapshot: DirectorySnapshot, at now: Duration) -> [EntryLocator: LearnedFile] {
        var result: [EntryLocator: LearnedFile] = [:]
        for item in snapshot.items where item.entry.kind == .file && item.entry.size == nil {
            guard let index = old.snapshot.index(ofShown: item.shownName), old.snapshot.items[index].revision == item.revision else { continue }
            let known = old.entry(at: index), before = old.snapshot.items[index].entry
            guard known.locator == item.entry.locator, known.size != nil else { continue }
            let statesTheSame = agree(item.entry.modified, known.modified) && agree(item.entry.entityTag, known.entityTag)
            let agrees = before.size == nil ? before == item.entry : statesTheSame
            guard agrees else { continue }
            if let file = old.learned[known.locator] {
                result[known.locator] = file
            } else {
                result[known.locator] = LearnedFile(numbered: old.number(at: index), entry: known, learnedAt: now - old.age)
            }
        }
        return result
    }

    private func agree<Value: Equatable>(_ stated: Value?, _ known: Value?) -> Bool { stated == nil || stated == known }

    // MARK: - Room

    private func newDirectory() -> Directory {
        Directory(breaker: CircuitBreaker(firstPause: options.firstPause, longestPause: options.longestPause), lastUse: uses)
    }

    private mutating func update(_ directory: EntryLocator, _ state: Directory) {
        entryCount += state.cost - (directories.updateValue(state, forKey: directory)?.cost ?? 0)
    }

    /// Drops what was used least recently until a tenth of the room is free. What was learned of it is on disk.
    private mutating func evict() {
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
