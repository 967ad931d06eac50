/// Which requests may be under way: per origin no more than its limit, those that somebody waits for first, and the last
/// place of an origin never for one that nobody waits for. A value without locks; the engine owns it.
struct OriginQueue<Item> {
    struct Entry {
        var item: Item
        var limit: Int
        var isBackground: Bool
    }

    private struct Lane {
        var active = 0
        var activeBackground = 0
        var waited: [Entry] = []
        var background: [Entry] = []

        var isIdle: Bool { active == 0 && waited.isEmpty && background.isEmpty }
    }

    private var lanes: [HTTPOrigin: Lane] = [:]

    /// - Parameter isFirst: before all of its kind: it has waited already, as a redirect has.
    mutating func add(_ entry: Entry, to origin: HTTPOrigin, isFirst: Bool = false) {
        var lane = lanes[origin] ?? Lane()
        if entry.isBackground {
            lane.background.insert(entry, at: isFirst ? 0 : lane.background.count)
        } else {
            lane.waited.insert(entry, at: isFirst ? 0 : lane.waited.count)
        }
        lanes[origin] = lane
    }

    /// Takes the next entry that may start now; it counts as active until `finished`.
    mutating func next(for origin: HTTPOrigin) -> Entry? {
        guard var lane = lanes[origin] else { return nil }
        let entry: Entry
        if let first = lane.waited.first {
            guard lane.active < max(1, first.limit) else { return nil }
            entry = lane.waited.removeFirst()
        } else if let first = lane.background.first {
            guard lane.active < max(1, first.limit), lane.activeBackground < max(1, first.limit - 1) else { return nil }
            entry = lane.background.removeFirst()
            lane.activeBackground += 1
        } else {
            return nil
        }
        lane.active += 1
        lanes[origin] = lane
        return entry
    }

    mutating func finished(at origin: HTTPOrigin, isBackground: Bool) {
        guard var lane = lanes[origin] else { return }
        lane.active = max(0, lane.active - 1)
        if isBackground { lane.activeBackground = max(0, lane.activeBackground - 1) }
        lanes[origin] = lane.isIdle ? nil : lane
    }

    /// Takes out the waiting entries that match.
    mutating func remove(where matches: (Item) -> Bool) -> [Item] {
        var removed: [Item] = []
        for (origin, lane) in lanes {
            guard lane.waited.contains(where: { matches($0.item) }) || lane.background.contains(where: { matches($0.item) }) else { continue }
            var kept = lane
            removed += lane.waited.filter { matches($0.item) }.map(\.item) + lane.background.filter { matches($0.item) }.map(\.item)
            kept.waited.removeAll { matches($0.item) }
            kept.background.removeAll { matches($0.item) }
            lanes[origin] = kept.isIdle ? nil : kept
        }
        return removed
    }

    var hasWaiting: Bool { lanes.values.contains { !$0.waited.isEmpty || !$0.background.isEmpty } }
}
