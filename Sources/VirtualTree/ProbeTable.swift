internal import SourceAPI

/// Which files are being asked for their sizes, and who waits. As `SnapshotTable`: no locks, no requests; the owner starts what a method names.
///
/// What somebody waits for goes first; what is read ahead goes when there is room.
struct ProbeTable<Waiter: Sendable>: Sendable {
    struct Key: Hashable, Sendable {
        let directory: EntryLocator
        let file: EntryLocator
    }

    /// A file whose size is wanted.
    struct Job: Sendable {
        let key: Key
        let shownName: [UInt8]
        /// As listed: without a size.
        let entry: RemoteEntry
        let revision: UInt64
    }

    private struct State: Sendable {
        var job: Job
        var waiters: [Waiter] = []
        var isRunning = false
    }

    private let atOnce: Int
    private let pause: Duration
    private var states: [Key: State] = [:]
    private var urgent: [Key] = []
    private var ahead: [Key] = []
    private var failures: [Key: (error: SourceError, until: Duration)] = [:]
    private(set) var running = 0

    init(atOnce: Int, pause: Duration) {
        self.atOnce = max(1, atOnce)
        self.pause = pause
    }

    /// A failure of a moment ago, to be answered instead of asking again.
    func recentFailure(_ key: Key, at now: Duration) -> SourceError? { failures[key].flatMap { now < $0.until ? $0.error : nil } }

    func isWanted(_ key: Key) -> Bool { states[key] != nil }

    /// - Returns: jobs to start.
    mutating func ask(_ job: Job, waiter: Waiter) -> [Job] {
        if states[job.key] == nil {
            states[job.key] = State(job: job)
            urgent.append(job.key)
        } else if states[job.key]?.isRunning == false, let index = ahead.firstIndex(of: job.key) {
            ahead.remove(at: index)
            urgent.append(job.key)
        }
        states[job.key]?.waiters.append(waiter)
        return startable()
    }

    /// Asks for files that nobody waits for yet.
    mutating func readAhead(_ jobs: [Job]) -> [Job] {
        for job in jobs where states[job.key] == nil {
            states[job.key] = State(job: job)
            ahead.append(job.key)
        }
        return startable()
    }

    /// - Parameter pause: how long a failure is answered without asking again.
    /// - Returns: whom to answer, and jobs to start.
    mutating func finished(_ key: Key, error: SourceError?, pause: Duration? = nil, at now: Duration) -> (waiters: [Waiter], start: [Job]) {
        guard let state = states.removeValue(forKey: key), state.isRunning else { return ([], []) }
        running -= 1
        if let error, error.code != .cancelled {
            if failures.count > 10_000 { failures = failures.filter { $0.value.until > now } }
            failures[key] = (error, now + (pause ?? self.pause))
        } else {
            failures[key] = nil
        }
        return (state.waiters, startable())
    }

    /// Nothing more is read ahead: the origin fails.
    mutating func dropReadAhead() {
        for key in ahead { states[key] = nil }
        ahead = []
    }

    /// Whether somebody waits for it by now: what nobody waits for is not worth fetching whole.
    func hasWaiters(_ key: Key) -> Bool { states[key].map { !$0.waiters.isEmpty } ?? false }

    private mutating func startable() -> [Job] {
        var result: [Job] = []
        // Two more for what is waited for, so that it does not queue behind what is read ahead.
        while running < atOnce + 2, !urgent.isEmpty { start(urgent.removeFirst(), &result) }
        while running < atOnce, !ahead.isEmpty { start(ahead.removeFirst(), &result) }
        return result
    }

    private mutating func start(_ key: Key, _ result: inout [Job]) {
        guard let job = states[key]?.job else { return }
        states[key]?.isRunning = true
        running += 1
        result.append(job)
    }
}
