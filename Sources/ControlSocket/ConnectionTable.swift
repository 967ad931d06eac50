internal import Glibc
internal import Synchronization

/// The connections that a server has, and since when each waits for its client, so that clients which connect and then do nothing cannot keep
/// out others.
final class ConnectionTable: Sendable {
    /// Enough for a person's scripts; more connections wait in the queue of the socket.
    static let maximum = 64
    /// A client that is waited for this long may be put out when its place is needed.
    static let grace: Duration = .seconds(1)

    private struct Entry {
        let descriptor: Int32
        /// `nil`: its request is being worked on.
        var waitsSince: ContinuousClock.Instant?
        var isPutOut = false
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var next: UInt64 = 0
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.entries.count } }
    var isFull: Bool { count >= Self.maximum }

    func add(_ descriptor: Int32) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.entries[state.next] = Entry(descriptor: descriptor, waitsSince: .now)
            return state.next
        }
    }

    /// Closes the descriptor as well: nobody must shut down what has its number by then.
    func remove(_ number: UInt64) {
        state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: number) else { return }
            close(entry.descriptor)
        }
    }

    func setWaiting(_ number: UInt64, _ isWaiting: Bool) { state.withLock { $0.entries[number]?.waitsSince = isWaiting ? .now : nil } }

    /// Ends the connection that has waited longest for its client, if that is longer than the grace.
    func putOutOne() {
        state.withLock { state in
            let limit = ContinuousClock.now - Self.grace
            let waiting = state.entries.compactMap { number, entry in entry.isPutOut ? nil : entry.waitsSince.map { (number, $0) } }
            guard let longest = waiting.min(by: { $0.1 < $1.1 }), longest.1 < limit, let entry = state.entries[longest.0] else { return }
            state.entries[longest.0]?.isPutOut = true
            shutdown(entry.descriptor, Int32(SHUT_RDWR))
        }
    }
}
