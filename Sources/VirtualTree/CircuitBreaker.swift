/// Keeps a failing origin from being asked again and again: after a failure it is left alone for a while, then one request tries.
///
/// ```
/// closed ── failure ─► open(until) ── time is over, one asker ─► trying ── success ─► closed
///                          ▲                                        │
///                          └────────── failure, pause doubled ──────┘
/// ```
struct CircuitBreaker: Sendable {
    enum State: Hashable, Sendable {
        case closed
        case open(until: Duration)
        /// One request is under way to see whether the origin is back. It is not waited for longer than the longest pause.
        case trying(since: Duration)

        var isTrying: Bool { if case .trying = self { true } else { false } }
    }

    enum Admission: Hashable, Sendable {
        case go
        /// Go, but let nobody wait long for it: it may well fail again.
        case trial
        case refuse
    }

    private(set) var state: State = .closed
    private(set) var failures = 0
    private let firstPause: Duration
    private let longestPause: Duration

    init(firstPause: Duration, longestPause: Duration) {
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// What `admit` would answer.
    func admission(at now: Duration) -> Admission {
        switch state {
        case .closed: .go
        case .open(let until): now >= until ? .trial : .refuse
        case .trying(let since): now - since >= longestPause ? .trial : .refuse
        }
    }

    /// Asks for one request. Whoever is admitted reports its end by `succeeded`, `failed` or `abandoned`.
    mutating func admit(at now: Duration) -> Admission {
        let admission = admission(at: now)
        if admission == .trial { state = .trying(since: now) }
        return admission
    }

    mutating func succeeded() {
        state = .closed
        failures = 0
    }

    /// - Parameter atLeast: how long the origin itself asks to be left alone.
    mutating func failed(at now: Duration, atLeast: Duration? = nil) {
        // Requests that were under way together fail together: only the first of them counts.
        if case .open(let until) = state, now < until {
            if let atLeast { state = .open(until: max(until, now + min(atLeast, .seconds(300)))) }
            return
        }
        let doublings = min(failures, 16)
        failures += 1
        let pause = min(firstPause * (1 << doublings), longestPause)
        // A Retry-After is honoured for five minutes at most: longer ones are asked again, once.
        state = .open(until: now + max(pause, min(atLeast ?? .zero, .seconds(300))))
    }

    /// The request ended without saying anything about the origin (it was cancelled).
    mutating func abandoned(at now: Duration) {
        if state.isTrying { state = .open(until: now) }
    }

    /// A user asks now: the next request is let through.
    mutating func reset() { state = .closed }
}
