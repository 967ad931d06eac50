internal import Bytes
internal import Diagnostics
internal import Dispatch
internal import SourceAPI
internal import Synchronization

/// Sizes that listings do not tell, and files that are open.
extension SourceShelf {
    /// Learns the size of the file at `index`. Replies once, within the deadline; the files after it are asked for along with it.
    func learn(_ index: Int, in view: DirectoryView, of directory: EntryLocator, reply: @escaping FileReply) {
        let now = clock.now
        let job = job(index, in: view, of: directory)
        enum Step { case answer(SourceError), start([ProbeTable<FileReply>.Job]) }
        let once = FirstReply(reply)
        let step: Step = state.withLock { state in
            if state.isClosed { return .answer(SourceError(.cancelled, "the source was removed")) }
            if let failure = state.probes.recentFailure(job.key, at: now) { return .answer(failure) }
            if !state.probes.isWanted(job.key) {
                if state.table.breaker.admit(at: now) == .refuse {
                    return .answer(state.table.lastError ?? SourceError(.unreachable, "the source does not answer"))
                }
            }
            var start = state.probes.ask(job) { once($0) }
            if state.table.breaker.state == .closed {
                start += state.probes.readAhead(ahead(of: index, in: view, of: directory, at: now, state))
            }
            return .start(start)
        }
        switch step {
        case .answer(let error): once(.failure(error))
        case .start(let jobs):
            clock.after(options.probeDeadline) { once(.failure(SourceError(.timedOut, "the size was not told in time"))) }
            for job in jobs { probe(job) }
        }
    }

    /// Asks again, in the background, for a size whose listing tells no version: nothing else would show that the file changed.
    func refreshLearned(_ index: Int, in view: DirectoryView, of directory: EntryLocator) {
        let entry = view.snapshot.items[index].entry
        guard entry.modified == nil, entry.entityTag == nil, let file = view.learned[entry.locator] else { return }
        let now = clock.now
        guard now - file.learnedAt >= options.timeToLive else { return }
        let job = job(index, in: view, of: directory)
        let jobs = state.withLock { state in
            guard !state.isClosed, state.table.breaker.state == .closed, state.probes.recentFailure(job.key, at: now) == nil else {
                return [ProbeTable<FileReply>.Job]()
            }
            return state.probes.readAhead([job])
        }
        for job in jobs { probe(job) }
    }

    private func job(_ index: Int, in view: DirectoryView, of directory: EntryLocator) -> ProbeTable<FileReply>.Job {
        let item = view.snapshot.items[index]
        return ProbeTable.Job(
            key: ProbeTable.Key(directory: directory, file: item.entry.locator), shownName: item.shownName, entry: item.entry,
            revision: item.revision)
    }

    /// The files after `index` that lack a size, as many as are read ahead; the search ends after a few hundred entries that need none.
    private func ahead(
        of index: Int, in view: DirectoryView, of directory: EntryLocator, at now: Duration, _ state: borrowing State
    ) -> [ProbeTable<FileReply>.Job] {
        var jobs: [ProbeTable<FileReply>.Job] = []
        var wanted = 0
        let items = view.snapshot.items
        for next in (index + 1)..<max(index + 1, min(items.count, index + 512)) where wanted < options.probesAhead {
            let entry = items[next].entry
            guard entry.kind == .file, entry.size == nil, view.learned[entry.locator] == nil else { continue }
            wanted += 1
            let job = job(next, in: view, of: directory)
            if !state.probes.isWanted(job.key), state.probes.recentFailure(job.key, at: now) == nil { jobs.append(job) }
        }
        return jobs
    }

    private func probe(_ job: ProbeTable<FileReply>.Job) {
        state.withLock { $0.health.probes += 1 }
        Task { [source, content] in
            var result: Result<RemoteEntry, SourceError>
            do throws(SourceError) { result = .success(try await source.probe(job.entry)) } catch { result = .failure(error) }
            var wasSpooled = false
            if case .failure(let error) = result, error.code == .sizeUnknown, self.state.withLock({ $0.probes.hasWaiters(job.key) }) {
                // Only fetching it tells its length, and somebody waits for it.
                wasSpooled = true
                do throws(SourceError) { result = .success(try await content.spool(job.entry, from: source)) } catch { result = .failure(error) }
            }
            if case .success(let entry) = result, entry.size == nil {
                result = .failure(SourceError(.sizeUnknown, "no request tells the size of this file"))
            }
            self.probed(job, result, wasSpooled: wasSpooled)
        }
    }

    private func probed(_ job: ProbeTable<FileReply>.Job, _ result: Result<RemoteEntry, SourceError>, wasSpooled: Bool) {
        let now = clock.now
        var answer: Result<LearnedFile, SourceError>
        switch result {
        case .success(let told):
            let entry = Self.learned(told, of: job.entry)
            answer = .success(LearnedFile(source: name, entry: entry, revision: job.revision, learnedAt: now))
            queue.async { self.archive.record(source: self.name, directory: job.key.directory, probed: entry) }
        case .failure(let error):
            answer = .failure(error)
        }
        let (ended, change) = state.withLock { state in
            var change: DirectoryChange?
            var recorded: SourceError?
            var pause: Duration?
            switch answer {
            case .success(let file):
                state.table.breaker.succeeded()
                change = state.table.learn(job.key.directory, shownName: job.shownName, asked: job.entry, file)
            case .failure(let error):
                state.health.failedProbes += 1
                if state.table.isOfOrigin(error) {
                    state.table.note(error, at: now)
                    state.probes.dropReadAhead()
                } else if error.code == .cancelled {
                    state.table.breaker.abandoned(at: now)
                } else {
                    state.table.breaker.succeeded()
                }
                if error.code == .notFound { state.table.expire(job.key.directory) }
                let isUnfinished = error.code == .sizeUnknown && !wasSpooled && !state.probes.hasWaiters(job.key)
                recorded = isUnfinished ? nil : error
                // Spooling is dear: a file that was too long for it is not spooled again for a while.
                if wasSpooled, error.code == .sizeUnknown { pause = options.staleAfter }
            }
            return (state.probes.finished(job.key, error: recorded, pause: pause, at: now), change)
        }
        if case .failure(let error) = answer, !ended.waiters.isEmpty {
            log.write(.notice, "source", "a file's size could not be learned", ["source": name, "reason": error.detail])
        }
        for waiter in ended.waiters { waiter(answer) }
        tell(change)
        for job in ended.start { probe(job) }
    }

    /// What the listing states of a version stands, so that the number is the same in the next run, which takes it from there; only where the
    /// listing states nothing does the whole answer count.
    private static func learned(_ told: RemoteEntry, of listed: RemoteEntry) -> RemoteEntry {
        var entry = listed
        entry.size = told.size
        entry.modified = listed.modified ?? told.modified
        if listed.modified == nil, listed.entityTag == nil { entry.entityTag = told.entityTag }
        return entry
    }

    // MARK: - Open files

    /// The number that a name has now, if its directory is in memory. Look-ups after a change give another than before.
    func currentNumber(of shownName: [UInt8], in directory: EntryLocator) -> Current {
        guard let view = peek(directory) else { return .unknown }
        guard let index = view.snapshot.index(ofShown: shownName) else { return .gone }
        return .number(view.number(at: index))
    }

    enum Current: Equatable { case unknown, gone, number(UInt64) }

    func opened(_ entry: RemoteEntry, in directory: EntryLocator) {
        state.withLock { state in
            state.openFiles[entry.cacheKey, default: [:]][directory, default: 0] += 1
            state.openCount += 1
        }
    }

    func closed(_ entry: RemoteEntry, in directory: EntryLocator) {
        state.withLock { state in
            state.openCount -= 1
            guard let count = state.openFiles[entry.cacheKey]?[directory] else { return }
            state.openFiles[entry.cacheKey]?[directory] = count > 1 ? count - 1 : nil
            if state.openFiles[entry.cacheKey]?.isEmpty == true { state.openFiles[entry.cacheKey] = nil }
        }
    }

    /// Replies show another version than the listing did: the file gets a new number, and its directory is listed again.
    func versionChanged(_ cacheKey: String) {
        let now = clock.now
        let directories: [EntryLocator] = state.withLock { state in
            guard !state.isClosed, let directories = state.openFiles[cacheKey] else { return [] }
            // Several handles report the same change.
            if let last = state.revisedAt[cacheKey], now - last < .seconds(1) { return [] }
            if state.revisedAt.count > 10_000 { state.revisedAt = state.revisedAt.filter { now - $0.value < .seconds(1) } }
            state.revisedAt[cacheKey] = now
            return Array(directories.keys)
        }
        guard !directories.isEmpty else { return }
        log.write(.notice, "source", "a file changed while it was listed as before; open handles of it end", ["source": name])
        queue.async {
            self.archive.bumpRevision(cacheKey: cacheKey)
            let revision = self.archive.revision(cacheKey: cacheKey)
            for directory in directories {
                let now = self.clock.now
                let change = self.state.withLock { state in
                    if state.distrusted.count > 10_000 { state.distrusted = [:] }
                    if let entry = state.table.entry(directory, cacheKey: cacheKey), entry.size != nil { state.distrusted[cacheKey] = entry }
                    return state.table.revise(directory, source: self.name, cacheKey: cacheKey, revision: revision, at: now)
                }
                self.tell(change)
                self.view(of: directory, wantsFresh: true) { _ in }
            }
        }
    }
}

/// Takes the first of several answers.
private final class FirstReply: Sendable {
    private let reply: Mutex<(@Sendable (Result<LearnedFile, SourceError>) -> Void)?>

    init(_ reply: @escaping @Sendable (Result<LearnedFile, SourceError>) -> Void) { self.reply = Mutex(reply) }

    func callAsFunction(_ result: Result<LearnedFile, SourceError>) {
        let taken = reply.withLock { reply in
            defer { reply = nil }
            return reply
        }
        taken?(result)
    }
}
