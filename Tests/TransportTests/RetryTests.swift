import Bytes
import Diagnostics
import Synchronization
import TestSupport
import Testing
import Transport

/// A clock that a test owns: sleeping takes no time, but is counted.
private final class ManualClock: Sendable {
    let slept = Mutex<[Duration]>([])

    var clock: RetryClock {
        RetryClock(
            elapsed: { self.slept.withLock { $0.reduce(.zero, +) } }, wallTime: { UnixTime(seconds: 784_111_777) },
            sleep: { duration in self.slept.withLock { $0.append(duration) } }, random: { 0 })
    }
}

@Suite("Trying again", .serialized, .timeLimit(.minutes(1)))
struct RetryTests {
    private func ask(_ script: @escaping @Sendable (ScriptedServer.Request, Int) -> [ScriptedServer.Step], within: Duration = .seconds(30))
        async throws
        -> (status: Int?, error: TransportError?, requests: Int, slept: [Duration])
    {
        let server = ScriptedServer(script: script)
        defer { server.stop() }
        let manual = ManualClock()
        let client = HTTPClient(log: .silent, clock: manual.clock, proxies: ProxyEnvironment([:]))
        defer { client.shutdown() }
        let request = HTTPRequest(url: try EngineTests.url(server.base + "/"))
        do throws(TransportError) {
            let response = try await client.sendRetrying(request, maximumBody: 100, within: within)
            return (response.head.status, nil, server.requests.count, manual.slept.withLock { $0 })
        } catch {
            return (nil, error, server.requests.count, manual.slept.withLock { $0 })
        }
    }

    @Test("faults that pass are tried again, with waits that grow")
    func passing() async throws {
        let outcome = try await ask { _, number in
            switch number {
            case 0: [.respond("503 Busy", ["Connection: close"]), .close]
            case 1: [.reset]
            case 2: [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n0"), .close]
            default: [.respond("200 OK")]
            }
        }
        #expect(outcome.status == 200 && outcome.requests == 4)
        #expect(outcome.slept == [.milliseconds(250), .milliseconds(500), .seconds(1)])
    }

    @Test(
        "Retry-After is kept, as seconds and as a date; a longer one than there is time for ends it",
        arguments: [
            ("7", [Duration.seconds(7)]), ("Sun, 06 Nov 1994 08:49:42 GMT", [.seconds(5)]), ("31", []),
        ])
    func retryAfter(value: String, slept: [Duration]) async throws {
        let outcome = try await ask { _, number in number == 0 ? [.respond("429 Slow down", ["Retry-After: \(value)"])] : [.respond("200 OK")] }
        #expect(outcome.slept == slept && outcome.status == (slept.isEmpty ? 429 : 200))
    }

    @Test("what will not pass is not tried again", arguments: ["404 No", "401 No", "403 No", "416 No"])
    func lasting(status: String) async throws {
        let outcome = try await ask { _, _ in [.respond(status)] }
        #expect(outcome.requests == 1 && outcome.slept.isEmpty && outcome.status != nil)
    }

    @Test("it ends within its time with the last fault")
    func bounded() async throws {
        let outcome = try await ask { _, _ in [.reset] }
        #expect(outcome.error?.isTransient == true && outcome.requests > 3)
        #expect(outcome.slept.reduce(.zero, +) < .seconds(30))
    }
}
