import Bytes
import SourceAPI
import Synchronization
import Testing
@testable import VirtualTree

@Suite("Sizes that listings do not tell")
struct SizeTests {
    private func many(_ count: Int) -> TreeSetup {
        let setup = TreeSetup()
        for index in 0..<count { setup.source.add("/f\(1000 + index)", [UInt8](repeating: 1, count: index), listsSize: false) }
        return setup
    }

    @Test("a name is listed without attributes until its size is known, and never with a guess")
    func withoutAttributes() async throws {
        let setup = many(3)
        let handle = try await setup.tree.directory(1)
        #expect(handle.count == 3 && (0..<3).allSatisfy { handle[$0]?.attributes == nil && handle[$0]?.kind == .file })
        #expect(setup.tree.remember(0, of: handle) == nil)
        #expect(setup.source.allProbes == 0, "listing alone asks for no size")
        #expect(try await setup.lookup(1, "f1002").size == 2)
        await setup.settle()
        let again = try await setup.tree.directory(1)
        #expect(again[2]?.attributes?.size == 2)
        #expect(again[2]?.number == (try await setup.lookup(1, "f1002")).number)
    }

    @Test("one look-up asks for the files after it as well, a few at a time, each once")
    func batched() async throws {
        let setup = many(400)
        await setup.settle()
        #expect(try await setup.lookup(1, "f1000").size == 0)
        await setup.settle()
        #expect(setup.source.allProbes == 49)
        #expect(setup.source.change { $0.probesPeak } <= 8)
        for index in 0..<400 { #expect(try await setup.lookup(1, "f\(1000 + index)").size == UInt64(index)) }
        await setup.settle()
        #expect(setup.source.allProbes == 400)
        #expect(setup.source.change { $0.probes.values.max() } == 1)
    }

    @Test("what was learned stays across listings that say the same, and across runs")
    func kept() async throws {
        let setup = many(3)
        let before = try await setup.lookup(1, "f1002")
        await setup.settle()
        setup.clock.advance(.seconds(61))
        _ = try await setup.tree.directory(1)
        await setup.settle()
        #expect(setup.source.lists("/") == 2)
        let after = try await setup.lookup(1, "f1002")
        #expect(after.number == before.number && setup.source.change { $0.probes["/f1002"] } == 1)
        let next = TreeSetup(setup.source, clock: setup.clock, archive: setup.archive)
        #expect(try await next.lookup(1, "f1002").number == before.number)
        #expect(setup.source.change { $0.probes["/f1002"] } == 1)
    }

    @Test("a changed listing asks again")
    func changed() async throws {
        let setup = many(3)
        let before = try await setup.lookup(1, "f1002")
        await setup.settle()
        setup.source.add("/f1002", [1, 2, 3, 4], modified: 1_800_000_000, listsSize: false)
        setup.clock.advance(.seconds(61))
        _ = try await setup.tree.directory(1)
        await setup.settle()
        let after = try await setup.lookup(1, "f1002")
        #expect(after.size == 4 && after.number != before.number)
    }

    @Test("where nothing tells a version, sizes are asked for again in the background")
    func versionless() async throws {
        let setup = TreeSetup()
        setup.source.add("/f", [1], modified: nil, listsSize: false)
        #expect(try await setup.lookup(1, "f").size == 1)
        setup.source.add("/f", [1, 2], modified: nil, listsSize: false)
        setup.clock.advance(.seconds(30))
        #expect(try await setup.lookup(1, "f").size == 1)
        await setup.settle()
        setup.clock.advance(.seconds(31))
        _ = try await setup.lookup(1, "f")
        await setup.settle()
        #expect(try await setup.lookup(1, "f").size == 2)
        #expect(setup.source.allProbes == 2)
    }

    @Test("a size that does not come is an error after the deadline")
    func deadline() async throws {
        let setup = many(1)
        await setup.settle()
        setup.source.change { $0.probeBehaviour["/f1000"] = .hang }
        let answers = Gathered<Result<Attributes, TreeError>>()
        let task = setup.tree.lookup(parent: 1, name: Array("f1000".utf8)) { answers.add($0) }
        #expect(task != nil)
        setup.clock.advance(.seconds(30))
        #expect(answers.count == 1)
        if case .failure(let error) = answers.values[0] { #expect(error.code == .source(.timedOut)) } else { Issue.record("it must fail") }
        setup.source.release()
    }

    @Test("a length that no request tells is learned by fetching, once, only for who waits")
    func spooled() async throws {
        let setup = TreeSetup()
        setup.source.add("/a", [1, 2], listsSize: false)
        setup.source.add("/b", [1, 2, 3], listsSize: false, probesSize: false)
        #expect(try await setup.lookup(1, "a").size == 2)
        await setup.settle()
        #expect(setup.content.spools.withLock { $0 } == 0, "nobody asked for b")
        #expect(try await setup.lookup(1, "b").size == 3)
        #expect(try await setup.lookup(1, "b").size == 3)
        #expect(setup.content.spools.withLock { $0 } == 1)
    }

    @Test("a file too long to be fetched for its length is an error that says so, and is not fetched again and again")
    func tooLong() async throws {
        let setup = TreeSetup()
        setup.source.add("/big", [UInt8](repeating: 1, count: 1_000_001), listsSize: false, probesSize: false)
        for _ in 0..<5 {
            do {
                _ = try await setup.lookup(1, "big")
                Issue.record("it must fail")
            } catch { #expect(error.code == .source(.sizeUnknown)) }
            setup.clock.advance(.seconds(60))
        }
        #expect(setup.content.spools.withLock { $0 } == 1)
    }

    @Test("a file that is gone when its size is asked for does not exist")
    func gone() async throws {
        let setup = many(2)
        await setup.settle()
        setup.source.remove("/f1001")
        do {
            _ = try await setup.lookup(1, "f1001")
            Issue.record("it must fail")
        } catch { #expect(error.code == .notFound) }
    }
}
