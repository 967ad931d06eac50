import Bytes
import OffPool
import SourceAPI
import Testing

@testable import ReadPath

@Suite(.offPool) struct FlightTableTests {
    private static let rules = FlightTable.Rules(
        leastSegment: 16, largestSegment: 128, transfers: 4, joinDistance: 16, streamLead: 1024, streamRunAhead: 16_384, readAheadRest: .seconds(5))
    private static let start = SuspendingClock.now

    /// The owner's part, with a set for a cache, and the table's invariants checked after each event.
    private struct Model {
        var table: FlightTable
        var cached: Set<UInt64> = []
        var waiting: [FlightTable.ID: Set<UInt64>] = [:]
        var failed: [FlightTable.ID] = []
        var answered: [FlightTable.ID] = []
        var started = 0
        var now = FlightTableTests.start

        init(blocks: UInt64, mode: FlightTable.Mode) { table = FlightTable(blockCount: blocks, mode: mode, rules: FlightTableTests.rules) }

        /// Looks things up in the set as it is now.
        var missing: (Range<UInt64>) -> [Range<UInt64>] { { [cached] in Self.missing($0, cached) } }

        static func missing(_ range: Range<UInt64>, _ cached: Set<UInt64>) -> [Range<UInt64>] {
            var result: [Range<UInt64>] = []
            for block in range where !cached.contains(block) {
                if let last = result.last, last.upperBound == block {
                    result[result.count - 1] = last.lowerBound..<block + 1
                } else {
                    result.append(block..<block + 1)
                }
            }
            return result
        }

        mutating func act(_ actions: [FlightTable.Action]) {
            for action in actions {
                switch action {
                case .start: started += 1
                case .cancel(let id): #expect(table.flights[id] == nil)
                case .fail(let id, _):
                    failed.append(id)
                    #expect(waiting.removeValue(forKey: id) != nil, "failed twice")
                }
            }
        }

        mutating func plan(room: UInt64 = .max) {
            let missing = missing
            act(table.plan(now: now, readAheadRoom: room, missing: missing))
        }

        mutating func read(_ blocks: Range<UInt64>, handle: UInt64, isSeek: Bool = false, for time: Duration = .seconds(60)) -> FlightTable.ID? {
            let absent = blocks.filter { !cached.contains($0) }
            guard !absent.isEmpty else { return nil }
            let id = table.newID()
            let missing = missing
            let failure = table.join(
                id, .init(missing: absent, deadline: now + time, handle: handle, patience: nil), isSeek: isSeek, missing: missing)
            if failure == nil { waiting[id] = Set(absent) } else { failed.append(id) }
            plan()
            return id
        }

        /// The flight gives its next block.
        mutating func give(_ id: FlightTable.ID) {
            guard let flight = table.flights[id] else { return }
            cached.insert(flight.next)
            let completion = table.completed(id, block: flight.next, now: now)
            for waiter in completion.waiters { waiting[waiter]?.remove(flight.next) }
            for waiter in completion.finished {
                #expect(waiting.removeValue(forKey: waiter)?.isEmpty == true, "answered before all was here, or twice")
                answered.append(waiter)
            }
            if completion.flightEnded { plan() }
        }

        func check(_ note: @autoclosure () -> String) {
            let flights = table.flights.values.filter { !$0.isStream }.sorted { $0.next < $1.next }
            #expect(zip(flights, flights.dropFirst()).allSatisfy { $0.end <= $1.next }, "two flights share a block: \(note())")
            #expect(table.flights.values.allSatisfy { $0.next < $0.end && $0.end <= table.blockCount }, "\(note())")
            #expect(Set(table.waiters.keys) == Set(waiting.keys), "\(note())")
            for (id, waiter) in table.waiters {
                #expect(Set(waiter.missing) == waiting[id], "\(note())")
                if table.notBefore == nil, table.mode != .stream {
                    #expect(waiter.missing.allSatisfy { table.isCovered($0) }, "a waiter nobody fetches for: \(note())")
                }
            }
            if !table.waiters.isEmpty { #expect(table.nextWake != nil) }
        }
    }

    @Test("the invariants hold after any events, and every waiter leaves once", arguments: Array(UInt64(1)...10))
    func randomEvents(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let blocks: UInt64 = 2000
        var model = Model(blocks: blocks, mode: seed % 5 == 0 ? .stream : .unknown)
        for handle in 1...4 { model.table.open(handle: UInt64(handle)) }
        for step in 0..<600 {
            let flight = model.table.flights.keys.sorted().randomElement(using: &random)
            let handle = UInt64.random(in: 1...4, using: &random)
            switch Int.random(in: 0..<16, using: &random) {
            case 0, 1, 2:
                let first = UInt64.random(in: 0..<blocks, using: &random)
                _ = model.read(
                    first..<min(blocks, first + UInt64.random(in: 1...17, using: &random)), handle: handle, isSeek: Bool.random(using: &random))
            case 3:
                let first = UInt64.random(in: 0..<blocks, using: &random)
                model.table.setWindow(
                    first..<min(blocks, first + UInt64.random(in: 1...512, using: &random)), handle: handle, keepsEarlier: Bool.random(using: &random)
                )
                model.plan(room: UInt64.random(in: 0...600, using: &random))
            case 4:
                model.table.setWindow(0..<0, handle: handle, keepsEarlier: false)
                model.act(model.table.trim())
            case 5:
                for gone in model.table.close(handle: handle) { #expect(model.waiting.removeValue(forKey: gone) != nil) }
                model.act(model.table.trim())
                model.table.open(handle: handle)
                model.plan()
            case 6:
                if let waiter = model.table.waiters.keys.sorted().randomElement(using: &random) {
                    #expect(model.table.leave(waiter) != nil)
                    #expect(model.table.leave(waiter) == nil)
                    model.waiting[waiter] = nil
                    model.act(model.table.trim())
                }
            case 7:
                if let flight {
                    let code: SourceError.Code = Bool.random(using: &random) ? .unreachable : .denied
                    model.act(model.table.ended(flight, SourceError(code, "fault"), now: model.now) { _ in .seconds(1) })
                    model.plan()
                }
            case 8:
                if let flight {
                    let (proceed, actions) = model.table.began(flight, isRanged: Int.random(in: 0..<8, using: &random) > 0) {
                        [missing = model.missing] in missing($0)
                    }
                    #expect(proceed)
                    model.act(actions)
                    model.act(model.table.trim())
                    model.plan()
                }
            case 9:
                model.now += .milliseconds(Int.random(in: 0...3000, using: &random))
                model.act(model.table.tick(now: model.now))
                model.plan()
            case 10:
                for _ in 0..<20 { model.cached.remove(UInt64.random(in: 0..<blocks, using: &random)) }
            default:
                if let flight { for _ in 0..<Int.random(in: 1...40, using: &random) { model.give(flight) } }
            }
            model.check("seed \(seed) step \(step)")
        }
        model.act(model.table.failAll(SourceError(.changedUpstream, "gone")))
        #expect(model.waiting.isEmpty)
        #expect(model.table.isIdle)
    }

    @Test("a sequential window is cut into a few ranges, each byte in one")
    func cutsWindows() {
        var model = Model(blocks: 10_000, mode: .ranged)
        model.table.open(handle: 1)
        model.table.setWindow(0..<512, handle: 1, keepsEarlier: false)
        model.plan()
        let flights = model.table.flights.values.sorted { $0.next < $1.next }
        #expect(flights.map { $0.end - $0.next } == [128, 128, 128, 128])
        #expect(flights.allSatisfy { $0.isReadAhead })
    }

    @Test("nothing is read ahead before the first reply tells whether the origin has ranges")
    func waitsForTheProbe() {
        var model = Model(blocks: 10_000, mode: .unknown)
        model.table.open(handle: 1)
        model.table.setWindow(1..<512, handle: 1, keepsEarlier: false)
        _ = model.read(0..<1, handle: 1)
        #expect(model.started == 1)
        let flight = model.table.flights.keys.first ?? 0
        model.act(model.table.began(flight, isRanged: true) { [missing = model.missing] in missing($0) }.actions)
        model.plan()
        #expect(model.started == 4 || model.started == 5)
    }

    @Test("what a reader waits for comes before read-ahead, in one request with it")
    func demandFirst() {
        var model = Model(blocks: 10_000, mode: .ranged)
        model.table.open(handle: 1)
        model.table.setWindow(2..<66, handle: 1, keepsEarlier: false)
        _ = model.read(0..<2, handle: 1)
        let first = model.table.flights.values.min { $0.next < $1.next }
        #expect(first?.next == 0)
        #expect(first?.isReadAhead == false)
        #expect((first?.end ?? 0) >= 16)
    }
}
