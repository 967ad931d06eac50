internal import SourceAPI

/// How listings end, and what happens when they take too long.
extension SnapshotTable {
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
}
