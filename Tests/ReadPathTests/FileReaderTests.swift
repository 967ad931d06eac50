import Bytes
import Diagnostics
import SourceAPI
import Synchronization
import Testing

@testable import ReadPath

@Suite(.serialized) struct FileReaderTests {
    @Test(
        "a read is exactly as long as the file has bytes there",
        arguments: [(0, 10), (2_999_990, 100), (3_000_001, 1), (65_530, 20), (0, 3_000_001), (5_000_000, 10)])
    func lengths(offset: UInt64, count: Int) async throws {
        let fixture = Fixture()
        let reader = try fixture.open()
        #expect(await fixture.check(reader, at: offset, count: count) == nil)
        #expect(await fixture.check(reader, at: offset, count: count) == nil, "from the cache")
    }

    @Test("an offset that no file has reads nothing")
    func hugeOffset() async throws {
        let fixture = Fixture()
        let reader = try fixture.open()
        #expect(try await reader.bytes(at: .max, count: 4096).isEmpty)
        #expect(fixture.source.requests.isEmpty)
    }

    @Test("an empty file reads nothing and asks nothing")
    func emptyFile() async throws {
        let fixture = Fixture(size: 0)
        let reader = try fixture.open()
        #expect(try await reader.bytes(at: 0, count: 4096).isEmpty)
        #expect(try await reader.fetchWhole() == 0)
        #expect(fixture.source.requests.isEmpty)
    }

    @Test("a file without a size cannot be opened")
    func noSize() throws {
        let fixture = Fixture()
        var entry = fixture.entry
        entry.size = nil
        #expect(throws: SourceError.self) { try fixture.open(entry: entry) }
    }

    @Test("cached bytes are copied at once")
    func inlineHits() async throws {
        let fixture = Fixture()
        let reader = try fixture.open()
        #expect(await fixture.check(reader, at: 100_000, count: 4096) == nil)
        let waiting = fixture.start(reader, at: 100_100, count: 1000)
        #expect(waiting.ticket.withLock { $0 == nil })
        #expect(waiting.answers.withLock { $0 } == [.right(1000)])
        #expect(fixture.path.statistics.hits == 1)
        #expect(fixture.path.statistics.misses == 1)
    }

    @Test("one fetch per block, however many readers")
    func singleFlight() async throws {
        let fixture = Fixture()
        fixture.source.set { $0.isHeld = true }
        let readers = try (0..<16).map { _ in try fixture.open() }
        let waiting = readers.map { fixture.start($0, at: 200_000, count: 10_000) }
        #expect(fixture.source.requests.count == 1)
        fixture.source.set { $0.isHeld = false }
        for one in waiting { #expect(await one.value == .right(10_000)) }
        #expect(fixture.source.requests.count == 1)
        #expect(fixture.source.delivered == Block.size)
    }

    @Test("a read over cached and missing blocks fetches the missing ones only")
    func mixedRead() async throws {
        let fixture = Fixture()
        let reader = try fixture.open()
        let other = try fixture.open()
        await fixture.check(other, at: 2 * 65536, count: 100)
        await fixture.check(other, at: 4 * 65536 + 10, count: 100)
        #expect(await fixture.check(reader, at: 65536 + 5, count: 5 * 65536) == nil)
        #expect(fixture.source.delivered == 6 * 65536)
    }

    @Test("a file read from start to end is asked for once, in few requests")
    func sequentialRead() async throws {
        let fixture = Fixture(size: 80_000_001)
        fixture.source.set { $0.chunk = 100_000...300_000 }
        let reader = try fixture.open()
        #expect(await fixture.checkWhole(reader) == nil)
        #expect(fixture.source.asked == 80_000_001)
        #expect(fixture.source.delivered == 80_000_001)
        let requests = fixture.source.requests
        #expect(requests.count <= 30, "\(requests.map(\.range.count))")
        #expect(requests.first?.range == FileRange(offset: 0, end: 131_072))
        #expect(requests.map(\.range.count).max()! >= 4 << 20)
        #expect(fixture.source.state.withLock { $0.mostTransfers } <= 6)
    }

    @Test("a window opens only when reads follow one another")
    func windowGrowth() async throws {
        let fixture = Fixture(size: 40_000_000)
        let reader = try fixture.open()
        await fixture.check(reader, at: 10_000_000, count: 65536)
        #expect(fixture.source.asked <= 2 * 65536)
        for step in 1..<8 { await fixture.check(reader, at: 10_000_000 + UInt64(step) * 65536, count: 65536) }
        await eventually { fixture.source.active == 0 }
        let asked = fixture.source.asked
        #expect(asked > 1 << 20 && asked <= 3 << 20, "asked \(asked) for 512 KiB read")
    }

    @Test("random reads of 4 KiB ask for at most 256 KiB each", arguments: [UInt64(1), 2])
    func randomReads(seed: UInt64) async throws {
        let fixture = Fixture(size: 60_000_000)
        let reader = try fixture.open()
        var random = SeededRandom(seed: seed)
        var last: UInt64 = 0
        for _ in 0..<200 {
            #expect(await fixture.check(reader, at: UInt64.random(in: 0..<60_000_000, using: &random), count: 4096) == nil)
            let asked = fixture.source.asked
            #expect(asked - last <= 256 << 10)
            last = asked
        }
        #expect(last <= 200 * 2 * 65536)
    }

    @Test("reads sent by read-ahead, out of order and from several threads, ask for each byte once", arguments: [UInt64(1), 2, 3])
    func reorderedReads(seed: UInt64) async throws {
        let fixture = Fixture(size: 24_000_000)
        let reader = try fixture.open()
        var random = SeededRandom(seed: seed)
        let step: UInt64 = 128 << 10
        var start: UInt64 = 0
        while start < reader.size {
            let offsets = (0..<6).map { start + $0 * step }.filter { $0 < reader.size }.shuffled(using: &random)
            await withTaskGroup(of: Void.self) { group in
                for offset in offsets { group.addTask { #expect(await fixture.check(reader, at: offset, count: Int(step)) == nil) } }
            }
            start += 6 * step
        }
        #expect(fixture.source.asked == 24_000_000)
    }

    @Test("read-ahead is cancelled when its handle closes; what came stays")
    func cancelOnClose() async throws {
        let fixture = Fixture(size: 60_000_000)
        let reader = try fixture.open()
        for step in 0..<16 { await fixture.check(reader, at: UInt64(step) << 17, count: 1 << 17) }
        await eventually { fixture.source.active == 0 }
        fixture.source.set { $0.isHeld = true }
        for step in 16..<80 where fixture.source.active == 0 { _ = fixture.start(reader, at: UInt64(step) << 17, count: 1 << 17) }
        #expect(fixture.source.active > 0)
        reader.close()
        #expect(await eventually { fixture.source.active == 0 })
        #expect(fixture.path.statistics.openObjects == 0)
        #expect(fixture.store.blockCount >= 32)
        let again = try fixture.open()
        let before = fixture.source.requests.count
        #expect(await fixture.check(again, at: 0, count: 1 << 17) == nil)
        #expect(fixture.source.requests.count == before)
    }

    @Test("read-ahead is cancelled on a seek, but not what another handle reads")
    func cancelOnSeek() async throws {
        let fixture = Fixture(size: 60_000_000)
        let reader = try fixture.open()
        let other = try fixture.open()
        for step in 0..<16 { await fixture.check(reader, at: UInt64(step) << 17, count: 1 << 17) }
        await eventually { fixture.source.active == 0 }
        fixture.source.set { $0.isHeld = true }
        for step in 16..<24 { _ = fixture.start(reader, at: UInt64(step) << 17, count: 1 << 17) }
        let waiting = fixture.start(other, at: 40_000_000, count: 4096)
        let ahead = fixture.source.active
        #expect(ahead >= 2)
        let sought = fixture.start(reader, at: 50_000_000, count: 4096)
        #expect(!sought.isAnswered)
        fixture.source.set { $0.isHeld = false }
        #expect(await waiting.value == .right(4096))
        #expect(await sought.value == .right(4096))
        await eventually { fixture.source.active == 0 }
        #expect(fixture.source.state.withLock { $0.cancelled } >= 1)
    }

    @Test("a cancelled read is answered once, and the fetch goes on for another")
    func cancelOne() async throws {
        let fixture = Fixture()
        fixture.source.set { $0.isHeld = true }
        let reader = try fixture.open()
        let other = try fixture.open()
        let first = fixture.start(reader, at: 0, count: 4096)
        let second = fixture.start(other, at: 100, count: 4096)
        let ticket = try #require(first.ticket.withLock { $0 })
        reader.cancel(ticket)
        reader.cancel(ticket)
        #expect(await first.value == .failed(.cancelled))
        fixture.source.set { $0.isHeld = false }
        #expect(await second.value == .right(4096))
        reader.cancel(ticket)
        try await Task.sleep(for: .milliseconds(20))
        #expect(first.answers.withLock { $0.count } == 1)
        #expect(fixture.source.requests.count == 1)
        #expect(fixture.path.statistics.waiting == 0)
    }

    @Test("when the last one gives up, the fetch is cancelled")
    func cancelLast() async throws {
        let fixture = Fixture()
        fixture.source.set { $0.fault = { _, _ in .stallAfter(1000) } }
        let reader = try fixture.open()
        let waiting = fixture.start(reader, at: 0, count: 4096)
        await eventually { fixture.source.delivered == 1000 }
        reader.cancel(try #require(waiting.ticket.withLock { $0 }))
        #expect(await waiting.value == .failed(.cancelled))
        #expect(await eventually { fixture.source.active == 0 })
    }

    @Test("closing answers the reads that wait")
    func closeAnswers() async throws {
        let fixture = Fixture()
        fixture.source.set { $0.isHeld = true }
        let reader = try fixture.open()
        let waiting = (0..<8).map { fixture.start(reader, at: UInt64($0) * 300_000, count: 4096) }
        reader.close()
        for one in waiting { #expect(await one.value == .failed(.cancelled)) }
        #expect(await eventually { fixture.source.active == 0 })
    }

    @Test("a cancelled task gives up its read")
    func cancelledTask() async throws {
        let fixture = Fixture()
        fixture.source.set { $0.isHeld = true }
        let reader = try fixture.open()
        let task = Task { await fixture.check(reader, at: 0, count: 10) }
        await eventually { fixture.source.active == 1 }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test("a read fails when its deadline is over, even if the origin says nothing")
    func deadline() async throws {
        var limits = ReadLimits.quick
        limits.deadline = .seconds(2)
        let fixture = Fixture(limits: limits)
        fixture.source.set { $0.fault = { _, _ in .stallAfter(10) } }
        let reader = try fixture.open()
        let start = ContinuousClock.now
        let waiting = fixture.start(reader, at: 0, count: 11)
        #expect(await waiting.value == .failed(.timedOut))
        #expect(try #require(waiting.answeredAt.withLock { $0 }) - start < .seconds(10))
        #expect(await eventually { fixture.source.active == 0 })
    }

    @Test("a read that comes right after one waited in vain fails without another wait; later ones are tried anew")
    func vain() async throws {
        var limits = ReadLimits.quick
        limits.deadline = .seconds(1)
        let fixture = Fixture(limits: limits)
        fixture.source.set { $0.fault = { _, _ in .stallAfter(10) } }
        let reader = try fixture.open()
        #expect(await fixture.start(reader, at: 0, count: 11).value == .failed(.timedOut))
        let asked = fixture.source.requests.count
        #expect(await fixture.start(reader, at: 500_000, count: 11).value == .failed(.timedOut))
        #expect(fixture.source.requests.count == asked)
        try await Task.sleep(for: limits.vainTime)
        #expect(await fixture.start(reader, at: 500_000, count: 11).value == .failed(.timedOut))
        #expect(fixture.source.requests.count > asked)
    }

    @Test("a dead origin fails a read at its deadline, tried again with pauses until then")
    func deadOrigin() async throws {
        var limits = ReadLimits.quick
        limits.deadline = .seconds(2)
        limits.firstPause = .milliseconds(100)
        limits.longestPause = .milliseconds(400)
        let fixture = Fixture(limits: limits)
        fixture.source.set { $0.fault = { _, _ in .refuse(.unreachable) } }
        let reader = try fixture.open()
        let start = ContinuousClock.now
        let waiting = fixture.start(reader, at: 0, count: 10)
        #expect(await waiting.value == .failed(.timedOut))
        #expect(try #require(waiting.answeredAt.withLock { $0 }) - start < .seconds(10))
        let tries = fixture.source.requests.count
        #expect((3...12).contains(tries), "\(tries) tries")
        try await Task.sleep(for: .milliseconds(100))
        #expect(fixture.source.requests.count == tries, "nobody waits, nobody tries")
    }

    @Test("a far read in a long transfer gets a transfer of its own after a seek")
    func splitsFarTransfers() async throws {
        let fixture = Fixture(size: 100_000_000)
        let reader = try fixture.open()
        let other = try fixture.open()
        for step in 0..<64 { await fixture.check(reader, at: UInt64(step) << 17, count: 1 << 17) }
        await eventually { fixture.source.active == 0 }
        fixture.source.set { $0.isHeld = true }
        var position: UInt64 = 64 << 17
        var waiting: [Waiting] = []
        while fixture.source.active == 0 || waiting.count < 4 {
            waiting.append(fixture.start(reader, at: position, count: 1 << 17))
            position += 1 << 17
        }
        let longest = try #require(fixture.source.requests.suffix(fixture.source.active).max { $0.range.count < $1.range.count }).range
        try #require(longest.count > 3 << 20)
        let before = fixture.source.requests.count
        let far = fixture.start(other, at: longest.offset + (2 << 20), count: 4096)
        #expect(fixture.source.requests.count == before + 1)
        fixture.source.set { $0.isHeld = false }
        #expect(await far.value == .right(4096))
        for one in waiting { if let value = await one.value { #expect(value == .right(1 << 17)) } }
    }

    @Test("32 readers stay within the memory that was set")
    func memoryBound() async throws {
        var limits = ReadLimits.quick
        limits.memory = 8 << 20
        let fixture = Fixture(size: 32_000_000, limits: limits)
        fixture.source.set { $0.chunk = 10_000...200_000 }
        let readers = try (0..<32).map { _ in try fixture.open() }
        await withTaskGroup(of: Void.self) { group in
            for (number, reader) in readers.enumerated() {
                group.addTask {
                    for step in 0..<24 {
                        #expect(await fixture.check(reader, at: UInt64(number) * 900_000 + UInt64(step) << 17, count: 1 << 17) == nil)
                    }
                }
            }
        }
        let statistics = fixture.path.statistics
        #expect(statistics.memoryPeak <= 32 << 20, "\(statistics.memoryPeak)")
        for reader in readers { reader.close() }
        #expect(await eventually { fixture.source.active == 0 })
        #expect(fixture.path.statistics.memory == 0)
        #expect(fixture.source.delivered <= 40_000_000, "\(fixture.source.delivered)")
    }

    @Test("a cache that keeps nothing fails no read, and a sequential reader still asks for each byte about once", arguments: [true, false])
    func fullDisk(opens: Bool) async throws {
        let fixture = Fixture(size: 24_000_000)
        fixture.store.state.withLock { state in
            state.dropsWrites = true
            state.openFails = !opens
        }
        let reader = try fixture.open()
        #expect(await fixture.checkWhole(reader) == nil)
        #expect(fixture.source.delivered < 26_000_000, "\(fixture.source.delivered)")
    }

    @Test("a block that is said to be here and cannot be read is fetched again")
    func damagedBlock() async throws {
        let fixture = Fixture()
        let reader = try fixture.open()
        await fixture.check(reader, at: 0, count: 300_000)
        reader.close()
        fixture.store.state.withLock { $0.damaged = [0, 2] }
        let again = try fixture.open()
        #expect(await fixture.check(again, at: 0, count: 300_000) == nil)
        #expect(fixture.store.state.withLock { $0.damaged.isEmpty })
    }

    @Test("a small file read from its start costs one request")
    func smallFile() async throws {
        let fixture = Fixture(size: 900_000)
        let reader = try fixture.open()
        #expect(await fixture.checkWhole(reader, step: 100_000) == nil)
        #expect(fixture.source.requests.map(\.range) == [FileRange(offset: 0, end: 900_000)])
    }

    @Test("a read is answered when its bytes are here, before the rest of their block is")
    func startOfBlock() async throws {
        let fixture = Fixture()
        fixture.source.set { $0.fault = { _, _ in .stallAfter(65_536 + 20_000) } }
        let reader = try fixture.open()
        #expect(await fixture.check(reader, at: 65_000, count: 20_000) == nil)
        #expect(fixture.source.requests.count == 1)
    }

    @Test("a transfer whose reader was answered early and left brings its block to the end")
    func owedBlock() async throws {
        let fixture = Fixture()
        fixture.source.set { $0.chunk = 1000...1000 }
        let reader = try fixture.open()
        #expect(await fixture.check(reader, at: 0, count: 900) == nil)
        #expect(await fixture.check(reader, at: 2_000_000, count: 900) == nil)
        reader.close()
        await eventually { fixture.store.blockCount == 2 && fixture.source.active == 0 }
        #expect(fixture.source.state.withLock { $0.cancelled } == 0)
        #expect(fixture.source.requests.count == 2)
    }
}
