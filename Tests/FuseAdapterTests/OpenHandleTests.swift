import SourceAPI
import Testing
import VirtualTree

@testable import FuseAdapter

@Suite("A failed read that the kernel repeats")
struct OpenHandleTests {
    private final class NoFile: TreeFile {
        func read(
            at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer,
            later: @escaping @Sendable (Result<UnsafeRawBufferPointer, SourceError>) -> Void
        ) -> ReadOutcome { .done(0) }
        func close() {}
    }

    private let handle = OpenHandle(NoFile())
    private let start = SuspendingClock.now

    @Test("fails at once if the first one took long, and only then, there, and for a moment")
    func repeated() {
        let end = start + .seconds(60)
        handle.note(.timedOut, at: 1000, count: 1000, began: start, now: end)
        handle.note(.malformed, at: 5000, count: 1000, began: end, now: end + .milliseconds(10))
        handle.note(.cancelled, at: 7000, count: 1000, began: start, now: end)
        #expect(handle.failure(forRepeatAt: 1000, count: 10, now: end) == .timedOut)
        #expect(handle.failure(forRepeatAt: 1999, count: 10, now: end + .milliseconds(900)) == .timedOut)
        for offset in [999, 2000, 5000, 7000] as [UInt64] { #expect(handle.failure(forRepeatAt: offset, count: 10, now: end) == nil, "\(offset)") }
        #expect(handle.failure(forRepeatAt: 1000, count: 10, now: end + .seconds(2)) == nil)
        #expect(handle.failure(forRepeatAt: 1000, count: 10, now: end) == nil)  // forgotten
    }

    @Test("offsets at the end of the numbers do not trap")
    func edges() {
        handle.note(.timedOut, at: .max - 5, count: 10, began: start, now: start + .seconds(60))
        #expect(handle.failure(forRepeatAt: .max, count: 10, now: start + .seconds(60)) == nil)
    }
}
