import Bytes
import SourceAPI
import Synchronization
import Testing

@testable import ReadPath

@Suite(.serialized) struct VersionTests {
    private func changing() -> (Fixture, old: Content, new: Content) {
        let old = Content(size: 2_000_000, seed: 1)
        let new = Content(size: 2_000_000, seed: 2)
        return (Fixture(content: old), old, new)
    }

    @Test("a change while open fails the handle, tells once, and a new handle reads the new version only")
    func changeWhileOpen() async throws {
        let (fixture, old, new) = changing()
        let told = Mutex<[String]>([])
        fixture.path.onVersionChange { key in told.withLock { $0.append(key) } }
        let reader = try fixture.open()
        let second = try fixture.open()
        #expect(await fixture.check(reader, at: 0, count: 65_536) == nil)
        fixture.source.set { $0.content = new }
        #expect(await fixture.check(reader, at: 1_000_000, count: 10) == .changedUpstream)
        #expect(await fixture.check(second, at: 1_200_000, count: 10) == .changedUpstream)
        let requests = fixture.source.requests.count
        #expect(await fixture.check(reader, at: 1_500_000, count: 10) == .changedUpstream)
        #expect(fixture.source.requests.count == requests, "a version that is gone is not asked for")
        #expect(told.withLock { $0 } == ["film"])
        // Old bytes are served to old handles as far as they are cached.
        #expect(await fixture.check(reader, at: 100, count: 1000) == nil)
        let fresh = try fixture.open(revision: 1)
        let bytes = try await fresh.bytes(at: 0, count: 2_000_000)
        #expect(new.holds(bytes, at: 0))
        #expect(!old.holds(bytes, at: 0))
        #expect(await fixture.check(reader, at: 1_000_000, count: 10) == .changedUpstream)
        for reader in [reader, second, fresh] { reader.close() }
        #expect(fixture.path.statistics.openObjects == 0)
    }

    @Test("all who wait when the change shows fail with it")
    func waitersFail() async throws {
        let (fixture, _, new) = changing()
        let reader = try fixture.open()
        #expect(await fixture.check(reader, at: 0, count: 10) == nil)
        fixture.source.set { state in
            state.isHeld = true
            state.content = new
        }
        let waiting = (1..<8).map { fixture.start(reader, at: UInt64($0) * 200_000, count: 1000) }
        fixture.source.set { $0.isHeld = false }
        for one in waiting { #expect(await one.value == .failed(.changedUpstream)) }
        #expect(await eventually { fixture.source.active == 0 })
    }

    @Test("what the first reply stated is pinned with the blocks, across openings")
    func pinnedAcrossOpenings() async throws {
        let (fixture, _, new) = changing()
        let reader = try fixture.open()
        #expect(await fixture.check(reader, at: 0, count: 10) == nil)
        #expect(fixture.source.requests.map(\.pinned) == [nil])
        reader.close()
        let again = try fixture.open()
        #expect(await fixture.check(again, at: 500_000, count: 10) == nil)
        #expect(fixture.source.requests.last?.pinned == fixture.content.validator)
        again.close()
        fixture.source.set { $0.content = new }
        let late = try fixture.open()
        #expect(await fixture.check(late, at: 0, count: 10) == nil, "cached")
        #expect(await fixture.check(late, at: 1_500_000, count: 10) == .changedUpstream)
    }

    @Test("two first replies that differ are two versions")
    func racingProbes() async throws {
        let (fixture, _, new) = changing()
        let reader = try fixture.open()
        fixture.source.set { $0.isHeld = true }
        let first = fixture.start(reader, at: 0, count: 10)
        fixture.source.set { $0.content = new }
        let second = fixture.start(reader, at: 1_000_000, count: 10)
        fixture.source.set { $0.isHeld = false }
        let values = [await first.value, await second.value]
        // Which reply was first decides; bytes of the other version are never given.
        #expect(values.contains(.failed(.changedUpstream)))
        #expect(!values.contains(.wrong) || values[0] != .right(10))
    }

    @Test(
        "without a strong validator bytes are kept while a handle is open, and not after",
        arguments: [Validator(), Validator(entityTag: "W/\"weak\"")])
    func weakValidators(validator: Validator) async throws {
        let fixture = Fixture(content: Content(size: 1_000_000, validator: validator))
        try await { () async throws in
            let reader = try fixture.open()
            let second = try fixture.open()
            #expect(await fixture.check(reader, at: 0, count: 10) == nil)
            // The read is answered before the rest of the file is here.
            await eventually { fixture.store.blockCount == 16 }
            reader.close()
            #expect(await fixture.check(second, at: 0, count: 10) == nil)
            #expect(fixture.source.requests.count == 1)
        }()
        await eventually { fixture.store.blockCount == 0 }
        let third = try fixture.open()
        #expect(await fixture.check(third, at: 0, count: 10) == nil)
        #expect(fixture.source.requests.count == 2)
        #expect(fixture.source.requests.map(\.pinned) == [nil, nil])
    }

    @Test("without a validator the length must agree on each reply")
    func lengthAgrees() async throws {
        let fixture = Fixture(content: Content(size: 3_000_000, validator: Validator()))
        let reader = try fixture.open()
        #expect(await fixture.check(reader, at: 0, count: 10) == nil)
        fixture.source.set { $0.content = Content(size: 3_000_001, validator: Validator()) }
        #expect(await fixture.check(reader, at: 500_000, count: 10) == .changedUpstream)
    }

    @Test(
        "a pinned validator is the same after it was kept as text",
        arguments: [
            Validator(), Validator(entityTag: "\"a b\""), Validator(entityTag: "W/\"x\""), Validator(modified: UnixTime(seconds: -5)),
            Validator(entityTag: "\"tag modified 3\"", modified: UnixTime(seconds: 1_700_000_000)),
        ])
    func pinnedText(validator: Validator) {
        #expect(Validator(pinnedText: validator.pinnedText) == validator)
    }

    @Test(
        "any text that a cache may hold is a validator or none",
        arguments: ["", "\n\n", "tag ", "modified x", "modified 99999999999999999999", "nonsense"])
    func pinnedNonsense(text: String) {
        #expect(!Validator(pinnedText: text).isStrong)
    }
}
