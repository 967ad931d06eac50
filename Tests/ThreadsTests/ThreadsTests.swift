import Glibc
import TestSupport
import Testing

@testable import Threads

@Suite("Threads of our own")
struct ThreadsTests {
    @Test("a wait ends with the value, or with the time")
    func waits() async {
        let monitor = MonitoredValue(0)
        let ended = await Blocking.run {
            let thread = OwnThread.start("test") { for _ in 0..<10 { monitor.change { $0 += 1 } } }
            let reached = monitor.wait(within: .seconds(5)) { $0 == 10 ? true : nil }
            let missed = monitor.wait(within: .milliseconds(30)) { $0 == 11 ? true : nil }
            return [reached == true, missed == nil, thread?.hasEnded(within: .seconds(5)) == true]
        }
        #expect(ended == [true, true, true])
    }

    @Test("a thread in a blocking call is woken")
    func wake() async {
        let isInterrupted = await Blocking.run { () -> Bool in
            let result = MonitoredValue<CInt?>(nil)
            let thread = OwnThread.start("test") {
                let failure = usleep(6_000_000) == 0 ? 0 : errno
                result.change { $0 = failure }
            }
            for _ in 0..<200 {
                if result.wait(within: .milliseconds(10), until: { $0 }) != nil { break }
                thread?.wake()
            }
            let ended = thread?.hasEnded(within: .seconds(5)) ?? false
            thread?.wake()  // too late: without effect
            return ended && result.change { $0 } == EINTR
        }
        #expect(isInterrupted)
    }

    @Test("jobs of a thread run in order, ticks among them, and none after stop")
    func thread() {
        let thread = SerialThread(name: "test")
        let log = Trace()
        thread.every(milliseconds: 5) { log.add(-1) }
        for number in 0..<1000 { thread.enqueue { log.add(number) } }
        #expect(thread.run { 42 } == 42)
        while !log.all.contains(-1) { usleep(1000) }
        thread.stop()
        let seen = log.all
        #expect(seen.filter { $0 >= 0 } == Array(0..<1000))
        thread.enqueue { log.add(5000) }
        #expect(thread.run { 1 } == nil)
        #expect(!log.all.contains(5000))
    }
}

/// SAFETY: the array is touched under the monitor only.
private final class Trace: @unchecked Sendable {
    private let monitor = Monitor()
    private var numbers: [Int] = []
    func add(_ number: Int) { monitor.locked { numbers.append(number) } }
    var all: [Int] { monitor.locked { numbers } }
}
