import Bytes
import SourceAPI
import Synchronization
import Testing

@testable import ReadPath

@Suite(.serialized) struct WholeFetchTests {
    @Test("fetches each byte once, in long ranges, and tells how far it is")
    func fetches() async throws {
        let fixture = Fixture(size: 40_000_001)
        fixture.source.set { $0.chunk = 50_000...200_000 }
        let reader = try fixture.open()
        let told = Mutex<[FetchProgress]>([])
        #expect(try await reader.fetchWhole { progress in told.withLock { $0.append(progress) } } == 0)
        #expect(fixture.source.asked == 40_000_001)
        #expect(fixture.source.requests.count <= 8)
        #expect(fixture.source.state.withLock { $0.mostTransfers } > 1)
        let progress = told.withLock { $0 }
        #expect(progress.last == FetchProgress(size: 40_000_001, present: 40_000_001))
        #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.present <= $1.present })
        let requests = fixture.source.requests.count
        #expect(await fixture.checkWhole(reader, step: 1 << 20) == nil)
        #expect(fixture.source.requests.count == requests)
    }

    @Test("goes on where it was interrupted")
    func resumes() async throws {
        let fixture = Fixture(size: 20_000_000)
        let reader = try fixture.open()
        await fixture.check(reader, at: 5_000_000, count: 1_000_000)
        await fixture.check(reader, at: 19_000_000, count: 500_000)
        await eventually { fixture.source.active == 0 }
        try await reader.fetchWhole()
        #expect(fixture.source.delivered == 20_000_000)
    }

    @Test("ends with its task, and nothing runs on")
    func cancelled() async throws {
        let fixture = Fixture(size: 40_000_000)
        fixture.source.set { $0.fault = { number, _ in number > 0 ? .stallAfter(1000) : .none } }
        let reader = try fixture.open()
        let task = Task { await fault { try await reader.fetchWhole() } }
        await eventually { fixture.source.active > 0 }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(await eventually { fixture.source.active == 0 })
    }

    @Test("whichever request fails once, all is fetched", arguments: [1, 100_000])
    func faults(after count: Int) async throws {
        for step in 0... {
            let fixture = Fixture(size: 20_000_000)
            fixture.source.set { $0.fault = { number, _ in number == step ? .breakAfter(count, .unreachable) : .none } }
            let reader = try fixture.open()
            #expect(try await reader.fetchWhole() == 0)
            if fixture.source.requests.count <= step { break }
        }
    }

    @Test("a fault that will not pass ends it with that fault")
    func permanent() async throws {
        let fixture = Fixture(size: 20_000_000)
        fixture.source.set { $0.fault = { number, _ in number == 1 ? .refuse(.denied) : .none } }
        let reader = try fixture.open()
        let code1 = await fault { try await reader.fetchWhole() }
        #expect(code1 == .denied)
        #expect(await eventually { fixture.source.active == 0 })
    }

    @Test("waits as long as something comes, and no longer")
    func patience() async throws {
        var limits = ReadLimits.quick
        limits.deadline = .seconds(2)
        let fixture = Fixture(size: 20_000_000, limits: limits)
        fixture.source.set { $0.fault = { _, _ in .stallAfter(200_000) } }
        let reader = try fixture.open()
        let start = ContinuousClock.now
        let code2 = await fault { try await reader.fetchWhole() }
        #expect(code2 == .timedOut)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test("works on an origin without ranges, also from the middle")
    func stream() async throws {
        let fixture = Fixture(size: 20_000_000)
        fixture.source.set { $0.honoursRanges = false }
        fixture.source.set { $0.fault = { number, _ in number == 0 ? .breakAfter(10_000_000, .unreachable) : .none } }
        let reader = try fixture.open()
        #expect(try await reader.fetchWhole() == 0)
        #expect(await fixture.checkWhole(reader, step: 1 << 20) == nil)
        #expect(fixture.source.requests.filter { $0.range.count > 0 }.count <= 8)
    }

    @Test("says what the cache did not keep")
    func notKept() async throws {
        let fixture = Fixture(size: 2_000_000)
        fixture.store.state.withLock { $0.dropsWrites = true }
        let reader = try fixture.open()
        #expect(try await reader.fetchWhole() == 2_000_000)
    }
}
