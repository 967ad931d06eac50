internal import SourceAPI
internal import Synchronization

/// An open file as the kernel holds it.
///
/// When a read-ahead fails, the kernel asks for the first page once more on behalf of the program that waits for it. If
/// the failure was a deadline, the program would wait through it twice: so the repeated request gets the failure at once.
final class OpenHandle: Sendable {
    let file: any TreeFile

    private struct Failure: Sendable {
        let code: SourceError.Code
        let range: Range<UInt64>
        let at: SuspendingClock.Instant
    }

    /// A failure that came sooner may as well be tried again.
    static let slow = Duration.seconds(2)
    /// The kernel asks again within milliseconds.
    static let memory = Duration.seconds(1)

    private let failures = Mutex<[Failure]>([])
    private let hasFailures = Atomic(false)

    init(_ file: any TreeFile) { self.file = file }

    /// Remembers a failed read that somebody waited for.
    func note(_ code: SourceError.Code, at offset: UInt64, count: Int, began: SuspendingClock.Instant, now: SuspendingClock.Instant = .now) {
        guard now - began >= Self.slow, code != .cancelled else { return }
        let end = offset.addingReportingOverflow(UInt64(max(count, 0)))
        guard !end.overflow else { return }
        failures.withLock { failures in
            failures.removeAll { now - $0.at > Self.memory }
            failures.append(Failure(code: code, range: offset..<end.partialValue, at: now))
        }
        hasFailures.store(true, ordering: .releasing)
    }

    /// The failure that a read of these bytes has just met. A read that begins elsewhere is a new one.
    func failure(forRepeatAt offset: UInt64, count: Int, now: SuspendingClock.Instant = .now) -> SourceError.Code? {
        guard hasFailures.load(ordering: .acquiring) else { return nil }
        return failures.withLock { failures in
            failures.removeAll { now - $0.at > Self.memory }
            if failures.isEmpty { hasFailures.store(false, ordering: .releasing) }
            return failures.first { $0.range.contains(offset) }?.code
        }
    }
}
