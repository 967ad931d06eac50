internal import Diagnostics
internal import Synchronization
internal import VirtualTree

/// One log line for each failure that a program saw: what, where, what to do. A program that tries again and again, or
/// a `find` over a dead source, does not flood.
final class FailureLog: Sendable {
    private let log: Log
    private let window = Mutex(FailureWindow())
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant

    init(_ log: Log) {
        self.log = log
        start = clock.now
    }

    func report(_ operation: StaticString, _ number: UInt64, _ error: TreeError) {
        guard !ErrorNumber.isOrdinary(error.code) else { return }
        let now = clock.now - start
        let decision = window.withLock { $0.decide(FailureWindow.Key(number: number, code: error.code), now: now) }
        guard case .write(let left) = decision else { return }
        log.write(
            .warning, "mount", "\(operation) failed: \(error.detail)" + (error.advice.map { ": \($0)" } ?? ""),
            ["inode": "\(number)", "errno": "\(ErrorNumber.of(error.code))", "repeated": "\(left)"])
    }

    /// What is not a program's fault nor an origin's, but ours.
    func reportFault(_ message: String) { log.write(.error, "mount", message) }
}

/// Which failures are worth a line.
struct FailureWindow: Sendable {
    struct Key: Hashable, Sendable {
        let number: UInt64
        let code: TreeError.Code
    }

    enum Decision: Hashable, Sendable {
        /// Write a line; so many failures were left out since the line before.
        case write(leftOut: Int)
        case leaveOut
    }

    /// The same failure of the same file is told again after this.
    static let pause = Duration.seconds(30)
    /// Lines within one pause, whatever fails.
    static let maximumLines = 40

    private var told: [Key: Duration] = [:]
    private var windowStart = Duration.zero
    private var lines = 0
    private var leftOut = 0

    mutating func decide(_ key: Key, now: Duration) -> Decision {
        if now - windowStart >= Self.pause {
            windowStart = now
            lines = 0
            told = told.filter { now - $0.value < Self.pause }
        }
        if let last = told[key], now - last < Self.pause {
            leftOut += 1
            return .leaveOut
        }
        guard lines < Self.maximumLines else {
            leftOut += 1
            return .leaveOut
        }
        lines += 1
        told[key] = now
        defer { leftOut = 0 }
        return .write(leftOut: leftOut)
    }
}
