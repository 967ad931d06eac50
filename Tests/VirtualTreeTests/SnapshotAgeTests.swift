import Bytes
import SourceAPI
import Synchronization
import Testing
@testable import VirtualTree

@Suite("Listings by age and failure")
struct SnapshotAgeTests {
    @Test("within its time to live a listing is answered from memory; then once in the background; the old answer comes at once")
    func timeToLive() async throws {
        let setup = TreeSetup()
        setup.source.add("/a", [1])
        await setup.settle()
        #expect(setup.source.lists("/") == 1)
        for _ in 0..<10 { _ = try await setup.lookup(1, "a") }
        setup.clock.advance(.seconds(59))
        _ = try await setup.lookup(1, "a")
        #expect(setup.source.lists("/") == 1)
        setup.clock.advance(.seconds(2))
        setup.source.change { $0.listBehaviour["/"] = .hang }
        for _ in 0..<10 { _ = try await setup.lookup(1, "a") }
        await eventually("the revalidation starts") { setup.source.lists("/") == 2 }
        setup.source.change { $0.listBehaviour["/"] = .answer }
        setup.source.release()
        await setup.settle()
        _ = try await setup.lookup(1, "a")
        #expect(setup.source.lists("/") == 2)
    }

    @Test("an hour old, a new listing is waited for a second; then the old one is shown, marked stale")
    func hour() async throws {
        let setup = TreeSetup()
        setup.source.add("/a", [1])
        await setup.settle()
        setup.clock.advance(.seconds(3601))
        setup.source.change { $0.listBehaviour["/"] = .hang }
        let answers = Gathered<Result<Attributes, TreeError>>()
        let task = setup.tree.lookup(parent: 1, name: Array("a".utf8)) { answers.add($0) }
        #expect(task != nil && answers.count == 0)
        await eventually("it is being listed") { setup.source.lists("/") == 2 }
        setup.clock.advance(.milliseconds(999))
        #expect(answers.count == 0)
        setup.clock.advance(.milliseconds(1))
        #expect(answers.count == 1)
        #expect(setup.tree.lookup(parent: 1, name: Array("a".utf8)) { answers.add($0) } == nil, "the second is waited for once")
        #expect(answers.count == 2)
        let state = setup.tree.extendedAttributes(of: 1).first { $0.name == "user.reelfs.state" }
        let text = String(decoding: state?.value ?? [], as: UTF8.self)
        #expect(text.hasPrefix("stale: "))
        setup.source.release()
        await setup.settle()
        let fresh = setup.tree.extendedAttributes(of: 1).first { $0.name == "user.reelfs.state" }
        #expect(fresh.map { String(decoding: $0.value, as: UTF8.self) } == "fresh")
    }

    @Test("an hour old, a listing that comes within the second is the answer")
    func hourAnswered() async throws {
        let setup = TreeSetup()
        setup.source.add("/a", [1])
        await setup.settle()
        setup.source.add("/b", [1])
        setup.clock.advance(.seconds(7200))
        _ = try await setup.lookup(1, "b")
    }

    @Test("a dead source never looks empty: what was listed before goes on, what was not is an error")
    func dead() async throws {
        let setup = TreeSetup()
        setup.source.add("/a", [1])
        setup.source.add("/d/x", [1])
        await setup.settle()
        let directory = try await setup.lookup(1, "d")
        setup.source.change { $0.defaultBehaviour = .fail(.unreachable) }
        await #expect(throws: TreeError.self) { try await setup.tree.directory(directory.number) }
        for seconds in [0, 61, 600, 3600, 86_400 * 30] {
            setup.clock.advance(.seconds(seconds))
            #expect(try await setup.tree.directory(1).names == ["a", "d"])
            await setup.settle()
        }
        #expect(setup.shelf.health.lastError != nil && setup.shelf.health.isStale)
        // And it lives on in the next run, from what is on disk.
        let next = TreeSetup(setup.source, clock: setup.clock, archive: setup.archive)
        #expect(try await next.tree.directory(1).names == ["a", "d"])
        await #expect(throws: TreeError.self) { try await next.tree.directory(directory.number) }
    }

    @Test("the first request to a dead source fails by its deadline, later ones at once, and a source that is back is found")
    func breaker() async throws {
        let setup = TreeSetup()
        setup.source.change { $0.defaultBehaviour = .hang }
        let answers = Gathered<Result<DirectoryHandle, TreeError>>()
        let first = setup.tree.openDirectory(1) { answers.add($0) }
        #expect(first != nil)
        await eventually("it is being listed") { setup.source.lists("/") == 1 }
        setup.clock.advance(.seconds(32))
        #expect(answers.count == 1)
        guard case .failure(let error) = answers.values[0] else { throw TreeError(.invalid, "it must fail") }
        #expect(error.code == .source(.timedOut))
        #expect(setup.tree.openDirectory(1) { answers.add($0) } == nil, "at once")
        #expect(setup.source.lists("/") == 1)
        #expect(setup.shelf.health.state == .resting)
        setup.source.change { $0.defaultBehaviour = .answer }
        setup.source.add("/a", [1])
        setup.clock.advance(.seconds(6))
        #expect(try await setup.tree.directory(1).names == ["a"])
        #expect(setup.shelf.health.state == .healthy)
        setup.source.release()
    }

    @Test("a request that tries whether a dead source is back is waited for a little only")
    func trial() async throws {
        let setup = TreeSetup()
        setup.source.change { $0.defaultBehaviour = .fail(.unreachable) }
        await #expect(throws: TreeError.self) { try await setup.tree.directory(1) }
        setup.source.change { $0.defaultBehaviour = .hang }
        setup.clock.advance(.seconds(6))
        let answers = Gathered<Bool>()
        _ = setup.tree.openDirectory(1) { _ in answers.add(true) }
        await eventually("it is being listed") { setup.source.lists("/") == 2 }
        setup.clock.advance(.seconds(3))
        #expect(answers.count == 1)
        _ = setup.tree.openDirectory(1) { _ in answers.add(true) }
        #expect(answers.count == 2, "nobody waits any more while it is under way")
        setup.source.release()
    }

    @Test("only the origin's own word takes a directory away, and never the root")
    func notFound() async throws {
        let setup = TreeSetup()
        setup.source.add("/d/x", [1])
        await setup.settle()
        let directory = try await setup.lookup(1, "d")
        #expect(try await setup.tree.directory(directory.number).names == ["x"])
        setup.clock.advance(.seconds(61))
        setup.source.change { $0.listBehaviour["/d"] = .fail(.malformed) }
        #expect(try await setup.tree.directory(directory.number).names == ["x"])
        await setup.settle()
        #expect(try await setup.tree.directory(directory.number).names == ["x"])
        setup.source.change { $0.listBehaviour["/d"] = .fail(.notFound) }
        setup.clock.advance(.seconds(61))
        _ = try? await setup.tree.directory(directory.number)
        await setup.settle()
        do {
            _ = try await setup.tree.directory(directory.number)
            Issue.record("it is gone")
        } catch { #expect(error.code == .notFound) }
        setup.source.change { $0.listBehaviour["/"] = .fail(.notFound) }
        setup.clock.advance(.seconds(7200))
        #expect(try await setup.tree.directory(1).names == ["d"])
    }

    @Test("a failing directory does not make its source look dead")
    func ownFailure() async throws {
        let setup = TreeSetup()
        setup.source.add("/bad/x", [1])
        setup.source.add("/good/x", [1])
        await setup.settle()
        setup.source.change { $0.listBehaviour["/bad"] = .fail(.denied) }
        let bad = try await setup.lookup(1, "bad"), good = try await setup.lookup(1, "good")
        for _ in 0..<20 { await #expect(throws: TreeError.self) { try await setup.tree.directory(bad.number) } }
        #expect(setup.source.lists("/bad") == 1, "it is not asked again and again")
        #expect(try await setup.tree.directory(good.number).names == ["x"])
    }

    @Test("however many ask, a directory is listed once at a time")
    func oneFlight() async throws {
        let setup = TreeSetup()
        setup.source.change { $0.defaultBehaviour = .hang }
        setup.source.add("/a", [1])
        let answers = Gathered<Result<Attributes, TreeError>>()
        for _ in 0..<500 { _ = setup.tree.lookup(parent: 1, name: Array("a".utf8)) { answers.add($0) } }
        for _ in 0..<500 { _ = setup.tree.lookup(parent: 1, name: Array("absent".utf8)) { answers.add($0) } }
        await eventually("it is being listed") { setup.source.lists("/") == 1 }
        setup.source.release()
        await eventually("all are answered") { answers.count == 1000 }
        #expect(setup.source.lists("/") == 1)
        let found = answers.values.filter { if case .success = $0 { true } else { false } }
        #expect(found.count == 500)
    }

    @Test("an interrupted request is answered at once, and counts nothing")
    func interrupt() async throws {
        let setup = TreeSetup()
        setup.source.change { $0.defaultBehaviour = .hang }
        setup.source.add("/a", [1])
        let answers = Gathered<Result<Attributes, TreeError>>()
        let task = setup.tree.lookup(parent: 1, name: Array("a".utf8)) { answers.add($0) }
        task?.cancel()
        task?.cancel()
        #expect(answers.count == 1)
        if case .failure(let error) = answers.values[0] { #expect(error.code == .interrupted) } else { Issue.record("interrupted") }
        await eventually("it is being listed") { setup.source.lists("/") == 1 }
        setup.source.release()
        await setup.settle()
        #expect(answers.count == 1)
        #expect(setup.tree.state.withLock { $0.nodes.count } == 1)
    }

    @Test("a listing from disk is shown without a request, by its age")
    func fromDisk() async throws {
        let first = TreeSetup()
        first.source.add("/a", [1])
        await first.settle()
        let second = TreeSetup(first.source, clock: first.clock, archive: first.archive)
        #expect(try await second.tree.directory(1).names == ["a"])
        await second.settle()
        #expect(first.source.lists("/") == 1)
    }

    @Test("memory is bounded: what was used least goes, and is read from disk again")
    func eviction() async throws {
        var options = ShelfOptions()
        options.maximumEntries = 100
        let setup = TreeSetup(options: options)
        for directory in 0..<30 { for file in 0..<10 { setup.source.add("/d\(directory)/f\(file)", [1]) } }
        await setup.settle()
        for directory in 0..<30 {
            let found = try await setup.lookup(1, "d\(directory)")
            #expect(try await setup.tree.directory(found.number).count == 10)
        }
        #expect(setup.shelf.health.entries <= 100)
        let lists = setup.source.allLists
        let found = try await setup.lookup(1, "d0")
        #expect(try await setup.tree.directory(found.number).count == 10)
        #expect(setup.source.allLists == lists)
    }
}
