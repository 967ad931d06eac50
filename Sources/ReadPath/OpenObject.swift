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
        var vainUntil: SuspendingClock.Instant?
        /// When the timer will call.
        var wake: SuspendingClock.Instant?
        /// What the budget was told of `table.readAheadBlocks`.
        var reportedReadAhead: UInt64 = 0
    }

    /// What is to be done after the lock is released.
    enum Effect: Sendable {
        case start(FlightTable.ID, Range<UInt64>, pinned: Validator?, isReadAhead: Bool)
        case cancel(any FetchTask)
        case fail(PendingRead, SourceError)
        case wake(SuspendingClock.Instant)
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
    let events: Events
    let state: Mutex<State>

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
        let now = SuspendingClock.now
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
        let now = SuspendingClock.now
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
}
