import Bytes
import Diagnostics
import SourceAPI
import Synchronization
import Testing

@testable import ReadPath

/// Origins that ignore ranges: every reply is the whole file from its start.
@Suite(.serialized) struct StreamTests {
    private func fixture(size: Int = 3_000_001, limits: ReadLimits = .quick) -> Fixture {
        let fixture = Fixture(size: size, limits: limits)
        fixture.source.set { $0.honoursRanges = false }
        return fixture
    }

    private var shortLead: ReadLimits {
        var limits = ReadLimits.quick
        limits.streamLead = 512 << 10
        return limits
    }

    @Test("a file is read from start to end with one request")
    func sequential() async throws {
        let fixture = fixture(size: 20_000_000)
        let reader = try fixture.open()
        #expect(await fixture.checkWhole(reader) == nil)
        #expect(fixture.source.requests.count == 1)
        await eventually { fixture.source.delivered == 20_000_000 }
        #expect(fixture.source.delivered == 20_000_000)
    }

    @Test("readers at several positions share the stream")
    func shared() async throws {
        let fixture = fixture()
        fixture.source.set { $0.isHeld = true }
        let readers = try (0..<4).map { _ in try fixture.open() }
        let waiting = [0, 1_000_000, 2_000_000, 2_999_000].enumerated().map { fixture.start(readers[$0], at: UInt64($1), count: 1000) }
        fixture.source.set { $0.isHeld = false }
        for one in waiting { #expect(await one.value == .right(1000)) }
        // Four probes were sent before the first reply told; then one stream served all.
        await eventually { fixture.source.active == 0 }
        #expect(fixture.source.delivered < 4_000_000)
    }

    @Test("a read far ahead of the stream fails at once with the reason; reading in order works on")
    func farAhead() async throws {
        let fixture = fixture(limits: shortLead)
        let reader = try fixture.open()
        fixture.source.set { $0.chunk = 500...600 }
        #expect(await fixture.check(reader, at: 2_900_000, count: 10) == .sequentialOnly)
        #expect(await fixture.checkWhole(reader) == nil)
        #expect(await fixture.check(reader, at: 2_900_000, count: 10) == nil)
    }

    @Test("behind the stream and not cached: the stream starts again")
    func behind() async throws {
        let fixture = fixture(limits: shortLead)
        let reader = try fixture.open()
        #expect(await fixture.checkWhole(reader) == nil)
        await eventually { fixture.source.active == 0 }
        fixture.store.evictAll()
        fixture.path.shared.recent.remove(object: try #require(reader.object).number)
        #expect(await fixture.check(reader, at: 1_000_000, count: 10) == nil)
        #expect(await fixture.checkWhole(reader) == nil)
        #expect(fixture.source.requests.count <= 3)
    }

    @Test("it is remembered: the next handle starts no parallel ranges, and the stream ends when nobody has the file open")
    func remembered() async throws {
        let fixture = fixture(size: 30_000_000)
        try await { () async throws in
            let reader = try fixture.open()
            #expect(await fixture.check(reader, at: 0, count: 100) == nil)
            reader.close()
        }()
        #expect(await eventually { fixture.source.active == 0 })
        fixture.store.evictAll()
        fixture.source.set { $0.isHeld = true }
        let reader = try fixture.open()
        let before = fixture.source.requests.count
        let waiting = (0..<6).map { fixture.start(reader, at: UInt64($0) * 400_000, count: 1000) }
        #expect(fixture.source.requests.count == before + 1)
        fixture.source.set { $0.isHeld = false }
        for one in waiting { #expect(await one.value == .right(1000)) }
    }

    @Test("a stream that breaks starts again, and the reader goes on where it was", arguments: [100_000, 1_500_000])
    func breaks(after count: Int) async throws {
        let fixture = fixture(limits: shortLead)
        fixture.source.set { $0.fault = { number, _ in number < 3 ? .breakAfter(count * (number + 1), .unreachable) : .none } }
        let reader = try fixture.open()
        #expect(await fixture.checkWhole(reader) == nil)
    }

    @Test("a reader that goes on from cached blocks is in order, however far they reach")
    func resumesFromCache() async throws {
        let fixture = fixture(limits: shortLead)
        fixture.source.set { $0.fault = { number, _ in number == 0 ? .stallAfter(2_000_000) : .none } }
        try await { () async throws in
            let reader = try fixture.open()
            for step in 0..<30 { #expect(await fixture.check(reader, at: UInt64(step) << 16, count: 1 << 16) == nil) }
            reader.close()
        }()
        let reader = try fixture.open()
        #expect(await fixture.checkWhole(reader) == nil)
    }

    @Test("a stream is stopped when it is too far ahead of all readers, and started again when they come")
    func runsAhead() async throws {
        var limits = ReadLimits.quick
        limits.streamRunAhead = 1 << 20
        let fixture = fixture(size: 6_000_000, limits: limits)
        let reader = try fixture.open()
        #expect(await fixture.check(reader, at: 0, count: 1000) == nil)
        #expect(await eventually { fixture.source.active == 0 })
        #expect(fixture.source.delivered < 2_000_000)
        #expect(await fixture.checkWhole(reader) == nil)
    }

    @Test("fewer bytes than the listing told are another version, and so are more", arguments: [2_000_000, 4_000_000])
    func otherLength(size: Int) async throws {
        let fixture = fixture()
        fixture.source.set { state in
            state.content = Content(size: size)
            state.tellsLength = false
        }
        let told = Counter()
        fixture.path.onVersionChange { _ in told.add() }
        let reader = try fixture.open()
        // What follows the last byte shows only after it was read.
        let code = await fixture.checkWhole(reader)
        #expect(code == .changedUpstream || size > 3_000_001)
        #expect(await eventually { told.value == 1 })
    }

    @Test("an origin that honours ranges again is asked for ranges again")
    func farm() async throws {
        let fixture = fixture(size: 6_000_000)
        let reader = try fixture.open()
        #expect(await fixture.check(reader, at: 0, count: 1000) == nil)
        fixture.source.set { $0.honoursRanges = true }
        await eventually { fixture.source.active == 0 }
        fixture.store.evictAll()
        fixture.path.shared.recent.remove(object: try #require(reader.object).number)
        #expect(await fixture.checkWhole(reader) == nil)
    }
}
