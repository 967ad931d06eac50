internal import Bytes
internal import SourceAPI

/// Which blocks of one object are on their way, who waits for them, and what else is worth fetching. Pure: it is told
/// what happens and answers what to do; its owner holds the lock, and acts after releasing it.
///
/// Invariants:
/// - A waiter's missing blocks are each covered by a flight, or a pause after a fault runs (`notBefore`), or the mode
///   is `.stream` and all streams are in use. `plan` restores this after each event.
/// - Two flights never cover the same block, except streams of an origin without ranges.
/// - A waiter leaves the table exactly once, with the action or answer that says how.
struct FlightTable: Sendable {
    typealias ID = UInt64
    /// Of a clock that stands still while the machine sleeps: a read that waited through the night goes on in the morning.
    typealias Instant = SuspendingClock.Instant

    /// What is known of the origin's ranges for this file.
    enum Mode: Equatable, Sendable { case unknown, ranged, stream }

    struct Flight: Equatable, Sendable {
        /// The first block not yet here, and the block where it ends.
        var next: UInt64
        var end: UInt64
        var isReadAhead: Bool
        /// It gives the whole file from its start, whatever was asked.
        var isStream: Bool
        /// Up to here it goes on though nobody waits any more: the reader was answered from the start of a block.
        var owed: UInt64 = 0
        func covers(_ block: UInt64) -> Bool { block >= next && block < end }
    }

    struct Waiter: Sendable {
        var missing: [UInt64]
        var deadline: Instant
        var handle: UInt64
        /// Set for a whole fetch: it waits as long as any blocks arrive, and yields to readers.
        var patience: Duration?
        var isReadAhead: Bool { patience != nil }
    }

    enum Action: Sendable {
        case start(ID, Range<UInt64>, isReadAhead: Bool)
        case cancel(ID)
        case fail(ID, SourceError)
    }

    let blockCount: UInt64
    private(set) var mode: Mode
    var flights: [ID: Flight] = [:]
    private(set) var waiters: [ID: Waiter] = [:]
    /// Waiters by the block they miss.
    var waiting: [UInt64: [ID]] = [:]
    /// What each handle will read next: blocks worth fetching ahead, the current window last.
    private(set) var windows: [UInt64: [Range<UInt64>]] = [:]
    /// Open handles, and the furthest block each is known to have read: a stream runs while one is open.
    var positions: [UInt64: UInt64] = [:]
    /// The furthest block that any stream of this object reached.
    private(set) var frontier: UInt64 = 0
    private(set) var failures = 0
    var notBefore: Instant?
    var readAheadNotBefore: Instant?
    private var lastFault: SourceError?
    let rules: Rules
    private var lastID: ID = 0

    /// The limits in blocks.
    struct Rules: Sendable {
        var leastSegment: UInt64
        var largestSegment: UInt64
        var transfers: Int
        var joinDistance: UInt64
        var streamLead: UInt64
        var streamRunAhead: UInt64
        var readAheadRest: Duration
        /// Streams of one object at a time: a second one lets a reader start over while another goes on.
        var streams = 2
    }

    init(blockCount: UInt64, mode: Mode, rules: Rules) {
        self.blockCount = blockCount
        self.mode = mode
        self.rules = rules
    }

    var isIdle: Bool { flights.isEmpty && waiters.isEmpty && windows.isEmpty }

    func isCovered(_ block: UInt64) -> Bool { flights.values.contains { $0.covers(block) } }

    /// A number no waiter or flight has.
    mutating func newID() -> ID {
        lastID += 1
        return lastID
    }

    // MARK: Who waits

    /// Adds a waiter. `missing` is ascending and not empty.
    ///
    /// - Parameter isSeek: the reader just went there; a flight that is far from it is cut in two, so that the reader
    ///   does not wait for what lies between.
    /// - Returns: why it cannot be served; it was then not added.
    mutating func join(_ id: ID, _ waiter: Waiter, isSeek: Bool, missing: (Range<UInt64>) -> [Range<UInt64>]) -> SourceError? {
        if mode == .stream, let failure = tooFarAhead(waiter, missing) { return failure }
        waiters[id] = waiter
        if let position = positions[waiter.handle], let last = waiter.missing.last, last > position { positions[waiter.handle] = last }
        for block in waiter.missing { waiting[block, default: []].append(id) }
        if isSeek, mode == .ranged, let first = waiter.missing.first { split(before: first) }
        return nil
    }

    /// Takes a waiter out, whose reader gave up. `nil`: it was answered already.
    mutating func leave(_ id: ID) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        for block in waiter.missing {
            waiting[block]?.removeAll { $0 == id }
            if waiting[block]?.isEmpty == true { waiting[block] = nil }
        }
        return waiter
    }

    mutating func open(handle: UInt64) { positions[handle] = 0 }

    /// Takes out all waiters of a handle and forgets its windows.
    mutating func close(handle: UInt64) -> [ID] {
        windows[handle] = nil
        positions[handle] = nil
        let gone = waiters.filter { $0.value.handle == handle }.map(\.key).sorted()
        for id in gone { _ = leave(id) }
        return gone
    }

    /// What the handle will read next; empty: nothing more than it waits for.
    mutating func setWindow(_ window: Range<UInt64>, handle: UInt64, keepsEarlier: Bool) {
        guard !window.isEmpty else {
            windows[handle] = nil
            return
        }
        if let position = positions[handle], window.lowerBound > position { positions[handle] = window.lowerBound }
        var kept = keepsEarlier ? windows[handle] ?? [] : []
        kept.removeAll { $0.overlaps(window) || $0.lowerBound == window.upperBound }
        windows[handle] = kept.suffix(1) + [window]
    }

    /// Windows become no longer than so many blocks.
    mutating func shrinkWindows(to blocks: UInt64) {
        for (handle, ranges) in windows { windows[handle] = ranges.map { $0.lowerBound..<min($0.upperBound, $0.lowerBound + max(1, blocks)) } }
    }

    /// When the owner must call `tick`.
    var nextWake: Instant? {
        let deadline = waiters.values.map(\.deadline).min()
        guard let notBefore, !waiters.isEmpty || !windows.isEmpty else { return deadline }
        return deadline.map { min($0, notBefore) } ?? notBefore
    }

    /// Ends the waiters whose time is over, and the pause.
    mutating func tick(now: Instant) -> [Action] {
        if let pause = notBefore, pause <= now { notBefore = nil }
        if let rest = readAheadNotBefore, rest <= now { readAheadNotBefore = nil }
        let late = waiters.filter { $0.value.deadline <= now }.map(\.key).sorted()
        return late.map { id in
            _ = leave(id)
            return .fail(
                id, SourceError(.timedOut, "nothing came in time" + (lastFault.map { "; last fault: \($0.detail)" } ?? ""), cause: lastFault))
        }
    }

    // MARK: What flights tell

    /// A reply came. `false`: the flight is not wanted any more.
    mutating func began(_ id: ID, isRanged: Bool, missing: (Range<UInt64>) -> [Range<UInt64>]) -> (proceed: Bool, actions: [Action]) {
        guard var flight = flights[id] else { return (false, []) }
        if isRanged {
            // Also after a stream: some servers of a farm honour ranges, others do not.
            mode = .ranged
            flight.isStream = false
            flights[id] = flight
            let streams = flights.filter { $0.value.isStream }.map(\.key).sorted()
            for stream in streams { flights[stream] = nil }
            return (true, streams.map { .cancel($0) })
        }
        mode = .stream
        flight.isStream = true
        flight.next = 0
        flight.end = blockCount
        // One stream serves all: the others under way would each give the same bytes from the start.
        let others = flights.filter { $0.key != id && !($0.value.isStream && $0.value.next > 0) }.map(\.key).sorted()
        for other in others { flights[other] = nil }
        flights[id] = flight
        var actions = others.map { Action.cancel($0) }
        for (waiter, entry) in waiters.sorted(by: { $0.key < $1.key }) {
            guard let failure = tooFarAhead(entry, missing) else { continue }
            _ = leave(waiter)
            actions.append(.fail(waiter, failure))
        }
        return (true, actions)
    }

    /// The waiters who miss no other block than this one.
    func lastMissing(_ block: UInt64) -> [ID] { (waiting[block] ?? []).filter { waiters[$0]?.missing.count == 1 } }

    /// Takes out a waiter whom the start of its last missing block served. The flight still owes the block's rest:
    /// breaking off would cost the connection, and the block.
    mutating func served(_ waiter: ID, startOf block: UInt64, by id: ID) {
        guard leave(waiter) != nil, let flight = flights[id], flight.covers(block) else { return }
        flights[id]?.owed = max(flight.owed, block + 1)
    }

    struct Completion: Sendable {
        /// All who missed the block, and those of them who miss nothing more (they left the table).
        var waiters: [ID] = []
        var finished: [ID] = []
        /// Whether the flight goes on.
        var proceeds: Bool
        /// It ended with this block: there is room for another.
        var flightEnded = false
        var wasReadAhead = false
    }

    /// A whole block is here (already in the owner's cache).
    mutating func completed(_ id: ID, block: UInt64, now: Instant) -> Completion {
        var result = Completion(proceeds: false)
        failures = 0
        if var flight = flights[id] {
            result.wasReadAhead = flight.isReadAhead
            flight.next = max(flight.next, block + 1)
            if flight.isStream { frontier = max(frontier, block + 1) }
            result.flightEnded = flight.next >= flight.end
            flights[id] = result.flightEnded ? nil : flight
            result.proceeds = !result.flightEnded && !(flight.isStream && isFarAhead(flight))
            if !result.proceeds, !result.flightEnded {
                flights[id] = nil
                result.flightEnded = true
            }
        }
        for (waiter, entry) in waiters { if let patience = entry.patience { waiters[waiter]?.deadline = now + patience } }
        guard let ids = waiting.removeValue(forKey: block) else { return result }
        result.waiters = ids
        for waiter in ids {
            guard var entry = waiters[waiter] else { continue }
            entry.missing.removeAll { $0 == block }
            waiters[waiter] = entry.missing.isEmpty ? nil : entry
            if entry.missing.isEmpty { result.finished.append(waiter) }
        }
        return result
    }

    /// A stream that nobody needs for long: all readers are far behind it.
    func isFarAhead(_ flight: Flight) -> Bool {
        guard !waiting.keys.contains(where: { flight.covers($0) }) else { return false }
        let furthest = positions.values.max() ?? 0
        return flight.next > furthest && flight.next - furthest > rules.streamRunAhead
    }

    /// A flight ended by itself, with a fault or short. What it still covered is up for `plan` again.
    ///
    /// - Parameter pause: how long to wait if the fault may pass.
    mutating func ended(_ id: ID, _ error: SourceError, now: Instant, pause: (Int) -> Duration) -> [Action] {
        guard let flight = flights.removeValue(forKey: id) else { return [] }
        lastFault = error
        if error.isTransient {
            failures += 1
            let until = now + pause(failures)
            notBefore = max(notBefore ?? until, until)
            // Read-ahead alone does not go on and on at an origin that is down: the next read asks anew.
            if waiters.isEmpty, failures >= 3 { windows = [:] }
            return []
        }
        readAheadNotBefore = now + rules.readAheadRest
        let concerned = Set(waiting.filter { flight.covers($0.key) }.values.joined()).sorted()
        return concerned.map { waiter in
            _ = leave(waiter)
            return .fail(waiter, error)
        }
    }

    /// Ends everything: the version is gone, or the owner closes.
    mutating func failAll(_ error: SourceError) -> [Action] {
        let actions = flights.keys.sorted().map { Action.cancel($0) } + waiters.keys.sorted().map { Action.fail($0, error) }
        flights = [:]
        waiters = [:]
        waiting = [:]
        windows = [:]
        return actions
    }

    /// Whether a stream would take too long to come to what the waiter misses. What is cached behind the stream's reach
    /// counts as reached: a reader that goes on from cached blocks is in order.
    private func tooFarAhead(_ waiter: Waiter, _ missing: (Range<UInt64>) -> [Range<UInt64>]) -> SourceError? {
        guard let last = waiter.missing.last, last >= frontier, last - frontier > rules.streamLead else { return nil }
        let reached = missing(frontier..<(last + 1)).first?.lowerBound ?? last
        guard last - min(reached, last) > rules.streamLead else { return nil }
        return SourceError(
            .sequentialOnly,
            "the origin gives this file only from its start, and byte \(last * Block.size) is \((last - reached) / 16) MiB ahead of what came so far",
            advice: "read it from the start, or fetch it whole with `reelfs get`")
    }

    private mutating func split(before block: UInt64) {
        for (id, flight) in flights where flight.covers(block) && block - flight.next > rules.joinDistance {
            flights[id]?.end = block
        }
    }
}
