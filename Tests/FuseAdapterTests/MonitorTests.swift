import Glibc
import Testing

@testable import FuseAdapter

@Suite("Threads of our own")
struct MonitorTests {
    @Test("a wait ends with the value, or with the time")
    func waits() async {
        let monitor = Monitor(0)
        let ended = await offPool {
            let thread = OwnThread.start("test") { for _ in 0..<10 { monitor.change { $0 += 1 } } }
            let reached = monitor.wait(within: .seconds(5)) { $0 == 10 ? true : nil }
            let missed = monitor.wait(within: .milliseconds(30)) { $0 == 11 ? true : nil }
            return [reached == true, missed == nil, thread?.hasEnded(within: .seconds(5)) == true]
        }
        #expect(ended == [true, true, true])
    }

    @Test("a thread in a blocking call is woken")
    func wake() async {
        let isInterrupted = await offPool { () -> Bool in
            let result = Monitor<CInt?>(nil)
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
}
