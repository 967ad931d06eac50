import Bytes
import Diagnostics
import SourceAPI
import Synchronization
import Testing

@testable import ReadPath

/// Seeded random reads against reference bytes, while the cache forgets, the origin fails and handles come and go.
@Suite(.serialized) struct PropertyTests {
    private static let size = 5_000_011

    @Test("whatever happens, the bytes are right or the error is clean", arguments: Array(UInt64(1)...8))
    func randomReads(seed: UInt64) async throws {
        let fixture = Fixture(size: Self.size)
        let faultSeed = seed &* 977
        fixture.source.set { state in
            state.random = SeededRandom(seed: seed)
            state.honoursRanges = seed % 4 != 0
            state.fault = { number, _ in
                var random = SeededRandom(seed: faultSeed &+ UInt64(number))
                switch Int.random(in: 0..<12, using: &random) {
                case 0: return .refuse(.unreachable)
                case 1: return .breakAfter(Int.random(in: 0...200_000, using: &random), .timedOut)
                case 2: return seed % 4 == 0 ? .none : .shortAfter(Int.random(in: 0...200_000, using: &random))
                default: return .none
                }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<6 {
                group.addTask {
                    var random = SeededRandom(seed: seed &* 31 &+ UInt64(worker))
                    var reader: FileReader?
                    var position: UInt64 = 0
                    for step in 0..<120 {
                        if Int.random(in: 0..<15, using: &random) == 0 {
                            reader?.close()
                            reader = nil
                        }
                        if Int.random(in: 0..<25, using: &random) == 0 { fixture.store.evict(&random, oneIn: 4) }
                        guard let open = reader ?? (try? fixture.open()) else {
                            Issue.record("no handle")
                            return
                        }
                        reader = open
                        let count = [1, 511, 4096, 65_536, 131_072, 300_000].randomElement(using: &random) ?? 1
                        if Int.random(in: 0..<3, using: &random) == 0 { position = UInt64.random(in: 0..<UInt64(Self.size), using: &random) }
                        if Int.random(in: 0..<10, using: &random) == 0 {
                            let waiting = fixture.start(open, at: position, count: count)
                            if let ticket = waiting.ticket.withLock({ $0 }) { open.cancel(ticket) }
                            let expected = FileRange(offset: position, count: UInt64(count), fileSize: UInt64(Self.size)).count
                            let value = await waiting.value
                            #expect(value == .failed(.cancelled) || value == .right(Int(expected)), "seed \(seed) worker \(worker) step \(step)")
                        } else {
                            let code = await fixture.check(open, at: position, count: count)
                            #expect(code == nil, "seed \(seed) worker \(worker) step \(step)")
                        }
                        position = min(position + UInt64(count), UInt64(Self.size) - 1)
                    }
                    reader?.close()
                }
            }
        }
        #expect(await eventually { fixture.source.active == 0 })
        let statistics = fixture.path.statistics
        #expect(statistics.waiting == 0)
        #expect(statistics.openHandles == 0)
        #expect(statistics.openObjects == 0)
        #expect(await eventually { fixture.path.statistics.memory == 0 })
        #expect(fixture.path.shared.budget.readAheadRoom == fixture.path.shared.limits.readAheadTotal)
    }

    @Test("while the file changes again and again, no read mixes versions", arguments: [UInt64(1), 2, 3])
    func changingFile(seed: UInt64) async throws {
        let contents = (1...4).map { Content(size: 1_000_003, seed: UInt64($0) + seed * 10) }
        let fixture = Fixture(content: contents[0])
        let revision = Counter()
        fixture.path.onVersionChange { _ in revision.add() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for content in contents.dropFirst() {
                    try? await Task.sleep(for: .milliseconds(60))
                    fixture.source.set { $0.content = content }
                    fixture.store.evictAll()
                }
            }
            for worker in 0..<4 {
                group.addTask {
                    var random = SeededRandom(seed: seed &* 131 &+ UInt64(worker))
                    var right = 0
                    for _ in 0..<60 {
                        guard let reader = try? fixture.open(revision: revision.value) else { return }
                        var version: Int?
                        for _ in 0..<6 {
                            let offset = Int.random(in: 0..<900_000, using: &random)
                            guard let bytes = try? await reader.bytes(at: UInt64(offset), count: 100_000) else { break }
                            let found = contents.firstIndex { $0.holds(bytes, at: offset) }
                            #expect(found != nil, "seed \(seed): bytes of no version")
                            #expect(version == nil || version == found, "seed \(seed): two versions on one handle")
                            version = found
                            right += 1
                        }
                        reader.close()
                        try? await Task.sleep(for: .milliseconds(3))
                    }
                    #expect(right > 60)
                }
            }
        }
    }
}
