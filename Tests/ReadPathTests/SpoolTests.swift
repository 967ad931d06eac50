import Bytes
import SourceAPI
import Synchronization
import Testing

@testable import ReadPath

@Suite(.serialized) struct SpoolTests {
    private func fixture(size: Int, limit: UInt64 = 4 << 20) -> (Fixture, RemoteEntry) {
        var limits = ReadLimits.quick
        limits.spoolBytes = limit
        let fixture = Fixture(size: size, limits: limits)
        fixture.source.set { state in
            state.honoursRanges = false
            state.tellsLength = false
        }
        var entry = fixture.entry
        entry.size = nil
        return (fixture, entry)
    }

    @Test("a size nobody tells is learned, and the file that gave it is served without another request", arguments: [1, 65_536, 1_000_001, 4 << 20])
    func learns(size: Int) async throws {
        let (fixture, entry) = fixture(size: size)
        let sized = try await fixture.path.spool(entry, from: fixture.source)
        #expect(sized.size == UInt64(size))
        let reader = try fixture.open(revision: 3, entry: sized)
        fixture.source.set { $0.fault = { _, _ in .refuse(.denied) } }
        #expect(await fixture.checkWhole(reader) == nil)
        #expect(fixture.source.requests.count == 1)
    }

    @Test("an empty file has the size 0")
    func empty() async throws {
        let (fixture, entry) = fixture(size: 0)
        #expect(try await fixture.path.spool(entry, from: fixture.source).size == 0)
    }

    @Test("a larger file is refused with the reason, and its fetch ends", arguments: [(4 << 20) + 1, 12_000_000])
    func tooLarge(size: Int) async throws {
        let (fixture, entry) = fixture(size: size)
        let code1 = await fault { _ = try await fixture.path.spool(entry, from: fixture.source) }
        #expect(code1 == .sizeUnknown)
        #expect(await eventually { fixture.source.active == 0 })
        #expect(fixture.source.delivered < (4 << 20) + 100_000)
        #expect(await eventually { fixture.path.statistics.memory == 0 })
    }

    @Test("an origin that tells the length after all is believed, and not read")
    func told() async throws {
        let (fixture, entry) = fixture(size: 3_000_000)
        fixture.source.set { $0.tellsLength = true }
        #expect(try await fixture.path.spool(entry, from: fixture.source).size == 3_000_000)
        #expect(fixture.source.delivered == 0)
    }

    @Test("a fault that may pass is tried again, another is not")
    func faults() async throws {
        let (fixture, entry) = fixture(size: 1_000_000)
        fixture.source.set { $0.fault = { number, _ in number == 0 ? .breakAfter(500_000, .unreachable) : number == 1 ? .none : .refuse(.denied) } }
        #expect(try await fixture.path.spool(entry, from: fixture.source).size == 1_000_000)
        let code2 = await fault { _ = try await fixture.path.spool(entry, from: fixture.source) }
        #expect(code2 == .denied)
    }

    @Test("a stalled origin fails it at the deadline, and a cancelled task ends it")
    func ends() async throws {
        var limits = ReadLimits.quick
        limits.deadline = .seconds(2)
        let fixture = Fixture(size: 1_000_000, limits: limits)
        fixture.source.set { state in
            state.tellsLength = false
            state.honoursRanges = false
            state.fault = { _, _ in .stallAfter(1000) }
        }
        var entry = fixture.entry
        entry.size = nil
        let start = ContinuousClock.now
        let code3 = await fault { _ = try await fixture.path.spool(entry, from: fixture.source) }
        #expect(code3 == .timedOut)
        #expect(ContinuousClock.now - start < .seconds(10))
        let unsized = entry
        let task = Task { await fault { _ = try await fixture.path.spool(unsized, from: fixture.source) } }
        await eventually { fixture.source.active == 1 }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(await eventually { fixture.source.active == 0 })
    }

    @Test("many at once all end")
    func many() async throws {
        let (fixture, entry) = fixture(size: 500_000)
        await withTaskGroup(of: UInt64?.self) { group in
            for _ in 0..<10 { group.addTask { try? await fixture.path.spool(entry, from: fixture.source).size } }
            for await size in group { #expect(size == 500_000) }
        }
    }
}
