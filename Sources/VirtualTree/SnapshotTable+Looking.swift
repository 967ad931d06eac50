internal import SourceAPI

/// What is known without asking, and what is learned beside listings.
extension SnapshotTable {
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

    func view(of state: Directory, at now: Duration) -> DirectoryView? {
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

    func refusal(of directory: EntryLocator) -> SourceError {
        directories[directory]?.lastError ?? lastError ?? SourceError(.unreachable, "the source does not answer")
    }

    /// Sizes that were learned, or kept from the last listing, and that the new listing does not contradict.
    func stillTrue(of old: DirectoryView, in snapshot: DirectorySnapshot, at now: Duration) -> [EntryLocator: LearnedFile] {
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
}
