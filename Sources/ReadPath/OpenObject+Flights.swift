internal import Bytes
internal import ChunkStore
internal import Diagnostics
internal import SourceAPI
internal import Synchronization

/// What flights tell of their replies, blocks and ends.
extension OpenObject {
    func began(_ id: FlightTable.ID, _ reply: FetchReply, asked: UInt64) -> FetchDecision {
        if let total = reply.total, total != size {
            ended(id, SourceError(.changedUpstream, "\(name): the file has \(total) bytes now, not \(size)"))
            return .stop
        }
        guard reply.offset == (reply.isRanged ? asked : 0) else {
            ended(id, SourceError(.malformed, "\(name): bytes from \(reply.offset) came where \(asked) was asked"))
            return .stop
        }
        enum Verdict: Sendable { case proceed, stop, changed }
        let (verdict, effects) = state.withLock { state -> (Verdict, [Effect]) in
            guard state.gone == nil, state.table.flights[id] != nil else { return (.stop, []) }
            guard pin(reply.validator, &state) else { return (.changed, []) }
            let wasStream = state.table.mode == .stream
            let (proceed, actions) = state.table.began(id, isRanged: reply.isRanged, missing: missing)
            let trimmed = wasStream && reply.isRanged ? state.table.trim() : []
            return (proceed ? .proceed : .stop, settle(&state, actions + trimmed + plan(&state, .now)))
        }
        perform(effects)
        switch verdict {
        case .changed:
            ended(id, SourceError(.changedUpstream, "\(name): the file changed"))
            return .stop
        case .stop: return .stop
        case .proceed:
            events.learnedRanges(key.cacheKey, reply.isRanged)
            return .proceed
        }
    }

    /// - Returns: whether the reply is of the version that is pinned, or was the first and is pinned now.
    private func pin(_ validator: Validator, _ state: inout State) -> Bool {
        if let pinned = state.pinned ?? kept.pinned.map(Validator.init(pinnedText:)) {
            state.pinned = pinned
            return pinned.agrees(with: validator)
        }
        do {
            try kept.pin(validator.pinnedText, keep: validator.isStrong)
            state.pinned = validator
            return true
        } catch {
            return false
        }
    }

    func completed(_ id: FlightTable.ID, _ block: UInt64, _ bytes: [UInt8]) -> FetchDecision {
        shared.counters.bytesFetched.add(UInt64(bytes.count))
        // First where readers look, then out of the table: a block is always in one of both.
        shared.recent.insert(object: number, block: block, bytes)
        kept.write(block, bytes)
        let now = SuspendingClock.now
        let (finished, proceeds, effects) = state.withLock { state -> ([PendingRead], Bool, [Effect]) in
            guard state.gone == nil else { return ([], false, []) }
            state.vainUntil = nil
            let completion = state.table.completed(id, block: block, now: now)
            for waiter in completion.waiters { state.reads[waiter]?.take(block, bytes) }
            let finished = completion.finished.compactMap { state.reads.removeValue(forKey: $0) }
            if completion.wasReadAhead { shared.counters.bytesReadAhead.add(UInt64(bytes.count)) }
            if completion.flightEnded { state.tasks[id] = nil }
            return (finished, completion.proceeds, settle(&state, completion.flightEnded ? plan(&state, now, isMove: false) : []))
        }
        for read in finished { read.succeed() }
        perform(effects)
        return proceeds ? .proceed : .stop
    }

    /// The start of a block is here, of a reply that was accepted: who waits for no more than that is answered, rather than
    /// when the whole block came, which takes a fresh connection several round trips.
    func arrived(_ id: FlightTable.ID, startOf block: UInt64, _ bytes: [UInt8]) {
        let reached = block * Block.size + UInt64(bytes.count)
        let served = state.withLock { state -> [PendingRead] in
            guard state.gone == nil, state.table.flights[id]?.covers(block) == true else { return [] }
            return state.table.lastMissing(block).compactMap { waiter in
                guard let read = state.reads[waiter], read.wantsBytes, read.range.end <= reached else { return nil }
                read.take(block, bytes)
                state.table.served(waiter, startOf: block, by: id)
                return state.reads.removeValue(forKey: waiter)
            }
        }
        for read in served { read.succeed() }
    }

    /// - Parameter error: `nil`: all promised bytes came.
    func ended(_ id: FlightTable.ID, _ error: SourceError?) {
        if let error, error.code == .changedUpstream { return versionIsGone(error) }
        let now = SuspendingClock.now
        var isShort = false
        let effects = state.withLock { state -> [Effect] in
            state.tasks[id] = nil
            guard let flight = state.table.flights[id] else { return [] }
            if error == nil, flight.isStream {
                isShort = true
                return []
            }
            let fault = error ?? SourceError(.unreachable, "\(name): the transfer ended early")
            var asked: Duration?
            if case .throttled(let after) = fault.code { asked = after }
            if fault.isTransient { shared.counters.retries.add() }
            let actions = state.table.ended(id, fault, now: now) { shared.limits.pause(failures: $0, retryAfter: asked) }
            return settle(&state, actions + plan(&state, now))
        }
        perform(effects)
        if isShort { versionIsGone(SourceError(.changedUpstream, "\(name): the origin gave fewer bytes than the file had")) }
        if let error, !error.isTransient, error.code != .cancelled {
            shared.log.write(.info, "read", "a fetch failed", ["file": name, "fault": error.description])
        }
    }

    func versionIsGone(_ error: SourceError) {
        let (isFirst, effects) = state.withLock { state -> (Bool, [Effect]) in
            guard state.gone == nil else { return (false, []) }
            state.gone = error
            return (true, settle(&state, state.table.failAll(error)))
        }
        guard isFirst else { return }
        kept.retire()
        events.gone(self)
        perform(effects)
        shared.log.write(
            .notice, "read", "the file changed upstream; open handles fail, new ones see the new version", ["file": name, "cause": error.detail])
    }
}
