internal import Bytes
internal import ChunkStore
internal import Diagnostics
internal import SourceAPI
internal import Synchronization

/// What is planned under the lock, and done after it is released.
extension OpenObject {
    /// What is neither kept nor in memory.
    func missing(_ blocks: Range<UInt64>) -> [Range<UInt64>] {
        let absent = kept.missing(in: blocks)
        let unknown = shared.recent.missing(object: number, of: absent)
        // It came a moment ago, and the cache does not have it.
        if unknown != absent { lose() }
        return unknown
    }

    func lose() {
        guard !isLossy.exchange(true, ordering: .relaxed) else { return }
        shared.log.write(.debug, "cache", "blocks are lost before they are read; reading ahead less", ["file": name])
    }

    /// - Parameter isMove: false when no reader moved. A window whose blocks are lost is then not filled again: without
    ///   a reader that would go on for ever.
    func plan(_ state: inout State, _ now: SuspendingClock.Instant, isMove: Bool = true) -> [FlightTable.Action] {
        let isLossy = isLossy.load(ordering: .relaxed)
        if isLossy { state.table.shrinkWindows(to: shared.budget.windowShare(of: shared.limits.recentBytes / 2) / Block.size) }
        guard isMove || !isLossy else { return state.table.plan(now: now, readAheadRoom: 0) { missing($0) } }
        let own = state.table.readAheadBlocks * Block.size
        let unreported = own > state.reportedReadAhead ? own - state.reportedReadAhead : 0
        let room = shared.budget.readAheadRoom
        return state.table.plan(now: now, readAheadRoom: (room > unreported ? room - unreported : 0) / Block.size) { missing($0) }
    }

    /// Turns actions into effects, with what only the lock lets see.
    func settle(_ state: inout State, _ actions: [FlightTable.Action]) -> [Effect] {
        let readAhead = state.table.readAheadBlocks * Block.size
        if readAhead > state.reportedReadAhead {
            shared.budget.take(readAhead: readAhead - state.reportedReadAhead)
        } else {
            shared.budget.give(readAhead: state.reportedReadAhead - readAhead)
        }
        state.reportedReadAhead = readAhead
        var effects: [Effect] = actions.compactMap { action in
            switch action {
            case .start(let id, let blocks, let isReadAhead): .start(id, blocks, pinned: state.pinned, isReadAhead: isReadAhead)
            case .cancel(let id): state.tasks.removeValue(forKey: id).map { .cancel($0) }
            case .fail(let id, let error): state.reads.removeValue(forKey: id).map { .fail($0, error) }
            }
        }
        if let next = state.table.nextWake, state.wake.map({ next < $0 }) ?? true {
            state.wake = next
            effects.append(.wake(next))
        }
        return effects
    }

    func perform(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .start(let id, let blocks, let pinned, let isReadAhead): start(id, blocks, pinned, isReadAhead)
            case .cancel(let task): task.cancel()
            case .fail(let read, let error): read.fail(error)
            case .wake(let instant): shared.at(instant) { [weak self] in self?.wake(instant) }
            }
        }
    }

    private func start(_ id: FlightTable.ID, _ blocks: Range<UInt64>, _ pinned: Validator?, _ isReadAhead: Bool) {
        shared.counters.fetches.add()
        let range = Block.bytes(of: blocks, fileSize: size)
        let sink = FlightSink(object: self, id: id, offset: range.offset, budget: shared.budget)
        let task = source.fetch(FetchRequest(entry: entry, range: range, pinned: pinned, isReadAhead: isReadAhead), into: sink)
        // It may have ended, or been given up, before it had a task to cancel.
        let isWanted = state.withLock { state -> Bool in
            guard state.table.flights[id] != nil else { return false }
            state.tasks[id] = task
            return true
        }
        if !isWanted { task.cancel() }
    }

    private func wake(_ instant: SuspendingClock.Instant) {
        let now = SuspendingClock.now
        let effects = state.withLock { state -> [Effect] in
            if let wake = state.wake, wake <= now { state.wake = nil }
            let late = state.table.tick(now: now)
            if !late.isEmpty { state.vainUntil = now + shared.limits.vainTime }
            let trimmed = late.isEmpty ? [] : state.table.trim()
            return settle(&state, late + trimmed + plan(&state, now))
        }
        perform(effects)
    }
}

extension FlightTable.Rules {
    init(_ limits: ReadLimits) {
        leastSegment = max(1, limits.leastSegment / Block.size)
        largestSegment = max(1, limits.largestSegment / Block.size)
        transfers = limits.transfers
        joinDistance = max(1, limits.joinDistance / Block.size)
        streamLead = limits.streamLead / Block.size
        streamRunAhead = limits.streamRunAhead / Block.size
        readAheadRest = limits.readAheadRest
    }
}
