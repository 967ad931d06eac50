internal import Bytes
internal import ChunkStore
internal import Diagnostics
internal import SourceAPI
internal import Synchronization

/// One version of one file of one source, as long as a handle has it open: its kept blocks, its flights, who waits.
///
/// Lock order: this object's lock, then the cache's own. Sources are called and reads are answered with no lock held.
final class OpenObject: Sendable {
    struct Key: Hashable, Sendable {
        let cacheKey: String
        let version: ObjectVersion
        let source: ObjectIdentifier
    }

    struct State: Sendable {
        var table: FlightTable
        var reads: [FlightTable.ID: PendingRead] = [:]
        var tasks: [FlightTable.ID: any FetchTask] = [:]
        /// What every reply must agree with; `nil` until the first reply.
        var pinned: Validator?
        /// Set once the version is gone upstream: every later miss fails with it.
        var gone: SourceError?
        /// Until when reads that come now share the fate of those that just waited in vain.
        var vainUntil: ContinuousClock.Instant?
        /// When the timer will call.
        var wake: ContinuousClock.Instant?
        /// What the budget was told of `table.readAheadBlocks`.
        var reportedReadAhead: UInt64 = 0
    }

    /// What is to be done after the lock is released.
    enum Effect: Sendable {
        case start(FlightTable.ID, Range<UInt64>, pinned: Validator?, isReadAhead: Bool)
        case cancel(any FetchTask)
        case fail(PendingRead, SourceError)
        case wake(ContinuousClock.Instant)
    }

    let key: Key
    let number: UInt64
    let entry: RemoteEntry
    let size: UInt64
    let kept: any BlockKeeping
    let shared: ReadShared
    let source: any Source
    /// Whether the cache loses blocks it was given (full disk, small limit): windows are then what memory holds.
    let isLossy: Atomic<Bool>
    private let events: Events
    private let state: Mutex<State>

    /// What the object tells its owner, with no lock held.
    struct Events: Sendable {
        /// The version is gone upstream. Once.
        var gone: @Sendable (OpenObject) -> Void
        /// The origin ignores ranges for this file, or honours them again.
        var learnedRanges: @Sendable (_ cacheKey: String, _ isRanged: Bool) -> Void
    }

    init(key: Key, number: UInt64, entry: RemoteEntry, kept: any BlockKeeping, source: any Source, isStream: Bool, shared: ReadShared, events: Events)
    {
        self.key = key
        self.number = number
        self.entry = entry
        size = key.version.size
        self.kept = kept
        self.source = source
        self.shared = shared
        self.events = events
        isLossy = Atomic(kept is UnkeptBlocks)
        let table = FlightTable(blockCount: Block.count(fileSize: size), mode: isStream ? .stream : .unknown, rules: .init(shared.limits))
        state = Mutex(State(table: table, pinned: kept.pinned.map(Validator.init(pinnedText:))))
    }

    deinit {
        shared.recent.remove(object: number)
        kept.close()
    }

    /// For people: the file as errors name it.
    var name: String { Redaction.url(entry.locator.text) }

    // MARK: Handles

    func open(handle: UInt64) { state.withLock { $0.table.open(handle: handle) } }

    /// Its waiting reads end with `.cancelled`; what was read ahead for it alone is cancelled.
    func close(handle: UInt64) {
        let (gone, effects) = state.withLock { state in
            let gone = state.table.close(handle: handle).compactMap { state.reads.removeValue(forKey: $0) }
            return (gone, settle(&state, state.table.trim()))
        }
        let error = SourceError(.cancelled, "\(name): the file was closed")
        if !gone.isEmpty { shared.soon { for read in gone { read.fail(error) } } }
        perform(effects)
    }

    func cancel(_ id: FlightTable.ID) {
        let (read, effects) = state.withLock { state -> (PendingRead?, [Effect]) in
            guard state.table.leave(id) != nil, let read = state.reads.removeValue(forKey: id) else { return (nil, []) }
            return (read, settle(&state, state.table.trim()))
        }
        if let read { shared.soon { read.fail(SourceError(.cancelled, "the read was interrupted")) } }
        perform(effects)
    }

    /// The handle's reads moved on, and were answered from the cache.
    func moved(handle: UInt64, _ step: AccessPattern.Step, keepsEarlier: Bool) {
        let now = ContinuousClock.now
        let effects = state.withLock { state -> [Effect] in
            guard state.gone == nil else { return [] }
            let actions = apply(step, handle, keepsEarlier, &state)
            return settle(&state, actions + plan(&state, now))
        }
        perform(effects)
    }

    private func apply(_ step: AccessPattern.Step, _ handle: UInt64, _ keepsEarlier: Bool, _ state: inout State) -> [FlightTable.Action] {
        switch step {
        case .quiet, .elsewhere: return []
        case .ahead(let range):
            state.table.setWindow(Block.numbers(covering: range), handle: handle, keepsEarlier: keepsEarlier)
            return []
        case .seek:
            state.table.setWindow(0..<0, handle: handle, keepsEarlier: false)
            return state.table.trim()
        }
    }

    // MARK: Reads

    enum Registration: Sendable {
        case done
        case waiting(FlightTable.ID)
    }

    /// Registers a read that the cache could not answer whole.
    ///
    /// - Parameters:
    ///   - present: how many of its first bytes are in `buffer`.
    ///   - patience: for a whole fetch: how long to wait for each next block, rather than in all.
    func register(
        _ read: PendingRead, present: Int, patience: Duration?, step: AccessPattern.Step, keepsEarlier: Bool
    ) -> Registration {
        var blocks = Array(Block.numbers(covering: FileRange(offset: read.range.offset + UInt64(present), end: read.range.end)))
        let now = ContinuousClock.now
        let waiter = FlightTable.Waiter(missing: [], deadline: now + shared.limits.deadline, handle: read.handle, patience: patience)
        for attempt in 0... {
            blocks.removeAll { fill(read, $0) }
            if blocks.isEmpty { break }
            var again = false
            let (id, failure, effects) = state.withLock { state -> (FlightTable.ID?, SourceError?, [Effect]) in
                if let gone = state.gone { return (nil, gone, []) }
                // A block that came since it was looked for is on its way no more: it is to be read. But one that is
                // said to be here and cannot be read, again and again, is fetched.
                if attempt < 3, blocks.contains(where: { kept.has($0) && !state.table.isCovered($0) }) {
                    again = true
                    return (nil, nil, [])
                }
                // It waited already, behind the kernel's lock of a page that was read ahead: not twice as long.
                if patience == nil, let until = state.vainUntil, now < until { return (nil, lateError, []) }
                var waiter = waiter
                waiter.missing = blocks
                let id = state.table.newID()
                var actions: [FlightTable.Action] = []
                if let failure = state.table.join(id, waiter, isSeek: step.isJump, missing: missing) { return (nil, failure, []) }
                state.reads[id] = read
                actions += apply(step, read.handle, keepsEarlier, &state)
                actions += plan(&state, now)
                return (id, nil, settle(&state, actions))
            }
            perform(effects)
            if again { continue }
            if let failure { shared.soon { read.fail(failure) } }
            return .waiting(id ?? 0)
        }
        if step.movesWindow { moved(handle: read.handle, step, keepsEarlier: keepsEarlier) }
        return .done
    }

    private var lateError: SourceError { SourceError(.timedOut, "\(name): the origin did not send what was asked in time") }

    /// Gives the read what memory or the cache has of a block.
    private func fill(_ read: PendingRead, _ block: UInt64) -> Bool {
        guard read.wantsBytes else { return kept.has(block) }
        guard let part = read.range.intersection(Block.range(block, fileSize: size)) else { return true }
        if kept.read(part, into: read.place(part)) == Int(part.count) { return true }
        guard let recent = shared.recent.block(object: number, block) else { return false }
        lose()
        read.take(block, recent)
        return true
    }

    // MARK: What flights tell

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
        let now = ContinuousClock.now
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

    /// - Parameter error: `nil`: all promised bytes came.
    func ended(_ id: FlightTable.ID, _ error: SourceError?) {
        if let error, error.code == .changedUpstream { return versionIsGone(error) }
        let now = ContinuousClock.now
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

    private func versionIsGone(_ error: SourceError) {
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

    // MARK: Acting

    /// What is neither kept nor in memory.
    private func missing(_ blocks: Range<UInt64>) -> [Range<UInt64>] {
        let absent = kept.missing(in: blocks)
        let unknown = shared.recent.missing(object: number, of: absent)
        // It came a moment ago, and the cache does not have it.
        if unknown != absent { lose() }
        return unknown
    }

    private func lose() {
        guard !isLossy.exchange(true, ordering: .relaxed) else { return }
        shared.log.write(.debug, "cache", "blocks are lost before they are read; reading ahead less", ["file": name])
    }

    /// - Parameter isMove: false when no reader moved. A window whose blocks are lost is then not filled again: without
    ///   a reader that would go on for ever.
    private func plan(_ state: inout State, _ now: ContinuousClock.Instant, isMove: Bool = true) -> [FlightTable.Action] {
        let isLossy = isLossy.load(ordering: .relaxed)
        if isLossy { state.table.shrinkWindows(to: shared.budget.windowShare(of: shared.limits.recentBytes / 2) / Block.size) }
        guard isMove || !isLossy else { return state.table.plan(now: now, readAheadRoom: 0) { missing($0) } }
        let own = state.table.readAheadBlocks * Block.size
        let unreported = own > state.reportedReadAhead ? own - state.reportedReadAhead : 0
        let room = shared.budget.readAheadRoom
        return state.table.plan(now: now, readAheadRoom: (room > unreported ? room - unreported : 0) / Block.size) { missing($0) }
    }

    /// Turns actions into effects, with what only the lock lets see.
    private func settle(_ state: inout State, _ actions: [FlightTable.Action]) -> [Effect] {
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

    private func perform(_ effects: [Effect]) {
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

    private func wake(_ instant: ContinuousClock.Instant) {
        let now = ContinuousClock.now
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
