internal import Bytes
internal import Diagnostics
internal import Dispatch
internal import ListingStore
internal import SourceAPI
internal import Synchronization

/// Directories: from memory, from disk, from the origin.
extension SourceShelf {
    /// The directory's content if memory has it, by the rules of age. Starts a revalidation where one is due.
    func viewNow(of directory: EntryLocator) -> Result<DirectoryView, SourceError>? {
        let now = clock.now
        let found = state.withLock { $0.table.answerNow(directory, at: now) }
        guard let found else { return nil }
        begin(found.start, directory)
        return found.answer
    }

    /// Replies once: on this thread if memory has the answer.
    func view(of directory: EntryLocator, wantsFresh: Bool = false, reply: @escaping ViewReply) {
        let now = clock.now
        let (actions, isClosed) = state.withLock { state in
            if state.isClosed { return (SnapshotTable<ViewReply>.Actions(), true) }
            return (state.table.ask(directory, wantsFresh: wantsFresh, at: now, waiter: reply), false)
        }
        if isClosed { return reply(.failure(SourceError(.cancelled, "the source was removed"))) }
        perform(actions, directory)
    }

    func view(of directory: EntryLocator, wantsFresh: Bool = false) async throws(SourceError) -> DirectoryView {
        try await withCheckedContinuation { continuation in
            view(of: directory, wantsFresh: wantsFresh) { continuation.resume(returning: $0) }
        }.get()
    }

    /// What memory has, however old; asks nobody.
    func peek(_ directory: EntryLocator) -> DirectoryView? {
        let now = clock.now
        return state.withLock { $0.table.peek(directory, at: now) }
    }

    /// Every directory in memory is listed again when it is asked for next.
    package func expireAll() { state.withLock { $0.table.expireAll() } }

    private func perform(_ actions: SnapshotTable<ViewReply>.Actions, _ directory: EntryLocator) {
        for (waiter, answer) in actions.answers { waiter(answer) }
        tell(actions.change)
        begin(actions.start, directory)
    }

    private func begin(_ start: SnapshotTable<ViewReply>.Start?, _ directory: EntryLocator) {
        switch start {
        case nil: break
        case .load(let flight): queue.async { self.load(directory, flight) }
        case .list(let flight, let isTrial): list(directory, flight, isTrial: isTrial)
        }
    }

    /// On the queue.
    private func load(_ directory: EntryLocator, _ flight: UInt64) {
        var snapshot: DirectorySnapshot?
        var age = Duration.zero
        if let stored = archive.load(source: name, directory: directory) {
            snapshot = DirectorySnapshot(source: name, listing: stored.listing, listedAt: stored.listedAt) { stored.revisions[$0.locator] ?? 0 }
            // A listing from the future tells of a clock that was set back: its age is not known, so it counts as old.
            let (seconds, overflow) = clock.wall.seconds.subtractingReportingOverflow(stored.listedAt.seconds)
            age = seconds < 0 || overflow ? options.staleAfter : .seconds(min(seconds, 1 << 40))
        }
        let now = clock.now
        perform(state.withLock { $0.table.loaded(directory, flight: flight, snapshot, age: age, at: now) }, directory)
    }

    private func list(_ directory: EntryLocator, _ flight: UInt64, isTrial: Bool) {
        let task = Task { [source] in
            let result: Result<DirectoryListing, SourceError>
            do throws(SourceError) { result = .success(try await source.list(directory)) } catch { result = .failure(error) }
            self.queue.async { self.end(directory, flight, result) }
        }
        let isClosed = state.withLock { state in
            state.health.listings += 1
            // It may have ended already.
            if !state.isClosed, state.table.isUnderWay(directory, flight: flight) { state.tasks[flight] = task }
            return state.isClosed
        }
        if isClosed { task.cancel() }
        clock.after(options.patience) { [weak self] in
            guard let self else { return }
            let now = clock.now
            perform(state.withLock { $0.table.patienceOver(directory, flight: flight, at: now) }, directory)
        }
        if isTrial {
            clock.after(options.trialPatience) { [weak self] in
                guard let self else { return }
                let now = clock.now
                perform(state.withLock { $0.table.trialOver(directory, flight: flight, at: now) }, directory)
            }
        }
        clock.after(options.listingDeadline) { [weak self] in self?.giveUp(directory, flight) }
    }

    private func giveUp(_ directory: EntryLocator, _ flight: UInt64) {
        let now = clock.now
        let (task, actions) = state.withLock { state -> (Task<Void, Never>?, SnapshotTable<ViewReply>.Actions?) in
            guard state.table.isUnderWay(directory, flight: flight) else { return (nil, nil) }
            return (state.tasks.removeValue(forKey: flight), state.table.deadlineOver(directory, flight: flight, at: now))
        }
        guard let actions else { return }
        task?.cancel()
        report(directory, SourceError(.timedOut, "no listing within \(options.listingDeadline.components.seconds) s"))
        perform(actions, directory)
    }

    /// On the queue. A listing that was given up meanwhile is kept for later runs only.
    private func end(_ directory: EntryLocator, _ flight: UInt64, _ result: Result<DirectoryListing, SourceError>) {
        state.withLock { $0.tasks[flight] = nil }
        switch result {
        case .success(let listing):
            let wall = clock.wall
            let snapshot = DirectorySnapshot(source: name, listing: withoutDistrusted(listing), listedAt: wall) {
                archive.revision(cacheKey: $0.cacheKey)
            }
            archive.save(source: name, directory: directory, listing: listing, listedAt: wall)
            let now = clock.now
            let actions = state.withLock { state in
                state.health.lastSuccess = wall
                state.health.lastError = nil
                return state.table.listed(directory, flight: flight, snapshot, at: now)
            }
            perform(actions, directory)
        case .failure(let error):
            report(directory, error)
            let now = clock.now
            perform(state.withLock { $0.table.failed(directory, flight: flight, error, at: now) }, directory)
        }
    }

    /// A listing that says the same of a file that a read found changed is wrong about it, and its size must be asked for.
    private func withoutDistrusted(_ listing: DirectoryListing) -> DirectoryListing {
        let distrusted = state.withLock { $0.distrusted }
        guard !distrusted.isEmpty else { return listing }
        var listing = listing
        var cleared: [String] = []
        for index in listing.entries.indices {
            guard let wrong = distrusted[listing.entries[index].cacheKey] else { continue }
            let entry = listing.entries[index]
            if entry.size == wrong.size, entry.modified == wrong.modified, entry.entityTag == wrong.entityTag {
                listing.entries[index].size = nil
            } else {
                cleared.append(entry.cacheKey)
            }
        }
        state.withLock { state in for key in cleared { state.distrusted[key] = nil } }
        return listing
    }

    private func report(_ directory: EntryLocator, _ error: SourceError) {
        guard error.code != .cancelled else { return }
        let wall = clock.wall
        let isNews = state.withLock { state in
            state.health.failedListings += 1
            state.health.lastFailure = wall
            defer { state.health.lastError = error.description }
            return state.health.lastError != error.description
        }
        log.write(
            isNews ? .warning : .debug, "source", "a directory could not be listed",
            ["source": name, "reason": error.detail, "advice": error.advice ?? "nothing to do unless it lasts: the last listing is shown meanwhile"])
    }
}
