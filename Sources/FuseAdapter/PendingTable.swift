internal import CFuse
internal import Glibc
internal import Synchronization
internal import Threads

/// The requests of one mount that are not answered: how many, and how those that wait for an origin are cancelled.
final class PendingTable: Sendable {
    private struct Entry: Sendable {
        weak var reply: PendingReply?
        let cancel: @Sendable () -> Void
        let since: SuspendingClock.Instant
    }

    private struct Entries: Sendable {
        var next: UInt = 1
        var byNumber: [UInt: Entry] = [:]
    }

    private struct Interrupts: Sendable {
        var numbers: [UInt] = []
        var isClosed = false
    }

    /// Far beyond every deadline of a read or a listing: whoever is still waiting then was forgotten.
    static let limit = Duration.seconds(180)

    private let entries = Mutex(Entries())
    private let interrupts = MonitoredValue(Interrupts())
    private let outstanding = Atomic<Int>(0)
    private let clock = SuspendingClock()

    // MARK: Counting

    func requestBegan() { outstanding.wrappingAdd(1, ordering: .relaxed) }

    /// - Parameter identifier: of `register`, or 0.
    func requestEnded(_ identifier: UInt) {
        if identifier != 0 { _ = entries.withLock { $0.byNumber.removeValue(forKey: identifier) } }
        outstanding.wrappingSubtract(1, ordering: .releasing)
    }

    /// Requests that were received and not answered.
    var count: Int { outstanding.load(ordering: .acquiring) }

    /// Requests that wait for an origin.
    var waiting: Int { entries.withLock { $0.byNumber.count } }

    func register(_ reply: PendingReply, _ cancel: @escaping @Sendable () -> Void) -> UInt {
        entries.withLock { entries in
            let number = entries.next
            entries.next += 1
            entries.byNumber[number] = Entry(reply: reply, cancel: cancel, since: clock.now)
            return number
        }
    }

    // MARK: Interrupts

    /// libfuse calls this with the request locked: it only passes the number on.
    static let interrupted: fuse_interrupt_func_t = { request, data in
        guard let request, let data else { return }
        FuseFileSystem.of(request).pending.interrupt(UInt(bitPattern: data))
    }

    private func interrupt(_ identifier: UInt) { interrupts.change { $0.numbers.append(identifier) } }

    /// The work of the interrupt thread, until `close`.
    ///
    /// - Parameter forgotten: hears of requests that nobody answered within the limit.
    func serveInterrupts(forgotten: (StaticString) -> Void) {
        while true {
            let next = interrupts.wait(within: .seconds(10)) { state -> Interrupts? in
                guard state.isClosed || !state.numbers.isEmpty else { return nil }
                defer { state.numbers = [] }
                return state
            }
            guard let next else {
                withdrawForgotten(forgotten)
                continue
            }
            for number in next.numbers { cancel(number, EINTR) }
            if next.isClosed { return }
        }
    }

    func close() { interrupts.change { $0.isClosed = true } }

    private func cancel(_ number: UInt, _ error: CInt) {
        guard let entry = entries.withLock({ $0.byNumber[number] }) else { return }
        entry.reply?.withdraw(error)
        entry.cancel()
    }

    private func withdrawForgotten(_ forgotten: (StaticString) -> Void) {
        let now = clock.now
        let late = entries.withLock { entries in entries.byNumber.filter { now - $0.value.since > Self.limit } }
        for (number, entry) in late {
            if let reply = entry.reply { forgotten(reply.operation) }
            cancel(number, EIO)
        }
    }

    // MARK: The end

    /// Answers whatever waits with EIO and cancels it.
    ///
    /// - Returns: whether every request was answered within the time; only then may the session be destroyed.
    func drain(within limit: Duration) -> Bool {
        let deadline = clock.now + limit
        repeat {
            let numbers = entries.withLock { Array($0.byNumber.keys) }
            for number in numbers { cancel(number, EIO) }
            if count == 0 { return true }
            usleep(2_000)
        } while clock.now < deadline
        return count == 0
    }
}
