internal import Bytes
internal import SourceAPI

extension FlightTable {
    /// Starts what is missing: first what somebody waits for, then read-ahead as far as there is room.
    ///
    /// - Parameters:
    ///   - readAheadRoom: blocks that may be asked ahead now.
    ///   - missing: which blocks of a range are not in the cache.
    mutating func plan(now: Instant, readAheadRoom: UInt64, missing: (Range<UInt64>) -> [Range<UInt64>]) -> [Action] {
        if let pause = notBefore {
            guard pause <= now else { return [] }
            notBefore = nil
        }
        var actions: [Action] = []
        if mode == .stream {
            planStreams(&actions)
        } else {
            planDemand(&actions, missing)
            planReadAhead(&actions, now: now, room: readAheadRoom, missing)
        }
        return actions
    }

    /// Cancels flights nobody needs, and cuts those needed only in part. Called when somebody left or sought.
    mutating func trim() -> [Action] {
        var actions: [Action] = []
        for (id, flight) in flights.sorted(by: { $0.key < $1.key }) {
            guard flight.isStream else {
                var needed = max(flight.owed, waiting.keys.filter { flight.covers($0) }.max().map { $0 + 1 } ?? 0)
                for window in windows.values.joined() where window.overlaps(flight.next..<flight.end) {
                    needed = max(needed, min(window.upperBound, flight.end))
                }
                if needed > flight.next {
                    flights[id]?.end = needed
                } else {
                    flights[id] = nil
                    actions.append(.cancel(id))
                }
                continue
            }
            let isNeeded = !positions.isEmpty && !isFarAhead(flight) || waiting.keys.contains { flight.covers($0) }
            if !isNeeded {
                flights[id] = nil
                actions.append(.cancel(id))
            }
        }
        return actions
    }

    private mutating func planDemand(_ actions: inout [Action], _ missing: (Range<UInt64>) -> [Range<UInt64>]) {
        var blocks = waiting.keys.filter { !isCovered($0) }
        guard !blocks.isEmpty else { return }
        blocks.sort()
        var runs: [Range<UInt64>] = []
        for block in blocks {
            if let last = runs.last, last.upperBound == block, UInt64(last.count) < rules.largestSegment {
                runs[runs.count - 1] = last.lowerBound..<(block + 1)
            } else {
                runs.append(block..<(block + 1))
            }
        }
        for run in runs {
            // Two requests may not share a block: an earlier run's extension may have taken this one's first blocks.
            let lower = run.first { !isCovered($0) }
            guard let lower else { continue }
            var end = lower
            while end < run.upperBound, !isCovered(end) { end += 1 }
            let isReadAhead = (lower..<end).allSatisfy { block in (waiting[block] ?? []).allSatisfy { waiters[$0]?.isReadAhead ?? true } }
            if end == run.upperBound, !isReadAhead { end = extended(lower..<end, missing) }
            start(lower..<end, isReadAhead: isReadAhead, &actions)
        }
    }

    /// A demand that a window continues is asked with the window's first segment, in one request.
    private func extended(_ run: Range<UInt64>, _ missing: (Range<UInt64>) -> [Range<UInt64>]) -> UInt64 {
        guard readAheadNotBefore == nil,
            let window = windows.values.joined().first(where: { $0.lowerBound <= run.upperBound && $0.upperBound > run.upperBound }),
            let gap = missing(run.upperBound..<window.upperBound).first, gap.lowerBound == run.upperBound
        else { return run.upperBound }
        let limit = min(gap.upperBound, run.lowerBound + max(segment(of: window), UInt64(run.count)))
        var end = run.upperBound
        while end < limit, !isCovered(end) { end += 1 }
        return end
    }

    private func segment(of window: Range<UInt64>) -> UInt64 {
        min(max(UInt64(window.count) / UInt64(max(1, rules.transfers)), rules.leastSegment), rules.largestSegment)
    }

    private mutating func planReadAhead(_ actions: inout [Action], now: Instant, room: UInt64, _ missing: (Range<UInt64>) -> [Range<UInt64>]) {
        guard mode == .ranged else { return }
        if let rest = readAheadNotBefore {
            guard rest <= now else { return }
            readAheadNotBefore = nil
        }
        var room = room
        for (_, handleWindows) in windows.sorted(by: { $0.key < $1.key }) {
            for window in handleWindows.reversed() {
                let segment = segment(of: window)
                for gap in gaps(in: window, missing) {
                    // A short gap in the far half of the window can wait until there is more to ask for, except at the end of the file.
                    let isShort = UInt64(gap.count) < min(segment, UInt64(window.count) / 2)
                    let isFar = gap.lowerBound - window.lowerBound > UInt64(window.count) / 4
                    if isShort, isFar, gap.upperBound == window.upperBound, gap.upperBound < blockCount { continue }
                    var lower = gap.lowerBound
                    while lower < gap.upperBound {
                        guard transfersForWindows < rules.transfers, room >= min(segment, rules.leastSegment) else { return }
                        var upper = min(gap.upperBound, lower + min(segment, room))
                        // No crumbs: a rest shorter than half a segment goes with this one.
                        if gap.upperBound - upper < segment / 2, gap.upperBound - lower <= rules.largestSegment + segment / 2 {
                            upper = gap.upperBound
                        }
                        room -= min(room, upper - lower)
                        start(lower..<upper, isReadAhead: true, &actions)
                        lower = upper
                    }
                }
            }
        }
    }

    /// Read-ahead under way, and long demands: those were extended by a window's first segment.
    private var transfersForWindows: Int { flights.values.reduce(0) { $0 + ($1.isReadAhead || $1.end - $1.next >= rules.leastSegment ? 1 : 0) } }

    /// Blocks asked ahead of readers and not yet here.
    var readAheadBlocks: UInt64 { flights.values.reduce(0) { $0 + ($1.isReadAhead ? $1.end - $1.next : 0) } }

    /// What of a window is neither in the cache nor on its way.
    private func gaps(in window: Range<UInt64>, _ missing: (Range<UInt64>) -> [Range<UInt64>]) -> [Range<UInt64>] {
        var result: [Range<UInt64>] = []
        let covering = flights.values.filter { $0.next < window.upperBound && $0.end > window.lowerBound }.sorted { $0.next < $1.next }
        for absent in missing(window) {
            var lower = absent.lowerBound
            for flight in covering where flight.end > lower && flight.next < absent.upperBound {
                if flight.next > lower { result.append(lower..<flight.next) }
                lower = max(lower, flight.end)
            }
            if lower < absent.upperBound { result.append(lower..<absent.upperBound) }
        }
        return result
    }

    private mutating func planStreams(_ actions: inout [Action]) {
        guard let first = waiting.keys.filter({ !isCovered($0) }).min() else { return }
        if flights.count >= rules.streams {
            // The one that no reader waits for makes room; if all are waited for, this reader waits for one to end.
            let idle = flights.filter { entry in !waiting.keys.contains { entry.value.covers($0) } }.map(\.key).min()
            guard let idle else { return }
            flights[idle] = nil
            actions.append(.cancel(idle))
        }
        start(first..<blockCount, isReadAhead: false, isStream: true, &actions)
    }

    private mutating func start(_ blocks: Range<UInt64>, isReadAhead: Bool, isStream: Bool = false, _ actions: inout [Action]) {
        let id = newID()
        flights[id] = Flight(next: blocks.lowerBound, end: blocks.upperBound, isReadAhead: isReadAhead, isStream: isStream)
        actions.append(.start(id, blocks, isReadAhead: isReadAhead))
    }
}
