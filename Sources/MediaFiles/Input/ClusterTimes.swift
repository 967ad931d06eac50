/// Finds Clusters whose Timestamp is wrong, and puts them where their neighbours say they are. One flipped bit would otherwise
/// move a few seconds of film by hours, and all that comes behind them to the same instant.
///
/// A Timestamp is believed as long as the Clusters around it do not contradict it: a film may well pause.
struct ClusterTimes {
    /// Added to the times of the blocks of this Cluster, in Segment Ticks.
    private(set) var shift: Int64 = 0

    private let tolerance: Int64
    /// Where the film ends, as far as it says so.
    private let duration: Int64?
    /// Of the Cluster before: its Timestamp, the time of its latest block, and how far that was from the one before.
    private var start: Int64?
    private var latest: Int64?
    private var step: Int64 = 0

    /// - Parameters:
    ///   - scale: nanoseconds of a tick.
    ///   - duration: of the film, in nanoseconds.
    init(scale: UInt64, duration: UInt64?) {
        // What lies this close to the Cluster before needs no second look.
        tolerance = Int64(clamping: max(10_000_000_000 / max(scale, 1), 1))
        self.duration = duration.map { Int64(clamping: $0 / max(scale, 1)) }
    }

    /// A Cluster begins.
    ///
    /// - Parameters:
    ///   - stated: its Timestamp.
    ///   - next: tells the Timestamp of the Cluster behind it; asked only where this one's looks wrong.
    /// - Returns: whether its times are wrong, and moved.
    mutating func begin<Failure: Error>(_ stated: Int64, next: () throws(Failure) -> Int64?) throws(Failure) -> Bool {
        shift = 0
        let moved = try place(stated, next)
        // Held far from the ends of 64 bits by whoever multiplies them.
        shift = moved.map { $0.subtractingReportingOverflow(stated).partialValue } ?? 0
        start = moved ?? stated
        return moved != nil
    }

    private func place<Failure: Error>(_ stated: Int64, _ next: () throws(Failure) -> Int64?) throws(Failure) -> Int64? {
        guard let start, let latest else {
            // The first one: the film begins with it, and soon has another.
            guard stated > tolerance, let next = try next(), next < stated - tolerance else { return nil }
            return next > tolerance ? next - tolerance / 2 : 0
        }
        // Clusters of a few frames are not quite in the order of their times.
        let isBehind = stated < start.subtractingReportingOverflow(tolerance).partialValue
        guard isBehind || stated.subtractingReportingOverflow(latest).partialValue > tolerance else { return nil }
        let following = latest.addingReportingOverflow(step).partialValue
        guard let next = try next() else {
            guard let duration, stated > duration.addingReportingOverflow(tolerance).partialValue, latest <= duration else { return nil }
            return following
        }
        // The one behind agrees with the one before, and not with this.
        guard next >= start.subtractingReportingOverflow(tolerance).partialValue else { return nil }
        guard isBehind || next < stated.subtractingReportingOverflow(tolerance).partialValue else { return nil }
        return min(following, next)
    }

    /// A block of the Cluster is at `time`, with the shift.
    mutating func see(_ time: Int64) {
        if let latest, time > latest { step = min(time.subtractingReportingOverflow(latest).partialValue, tolerance) }
        latest = max(latest ?? time, time)
    }
}
