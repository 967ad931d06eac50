import Bytes
import Diagnostics
import SourceAPI
import Testing
@testable import VirtualTree

@Suite("Changes upstream, and what the kernel is told")
struct ChangeTests {
    private func refresh(_ setup: TreeSetup) async throws {
        setup.clock.advance(.seconds(61))
        _ = try await setup.tree.directory(1)
        await setup.settle()
    }

    @Test("a changed file gets a new number, a deleted one goes, the others stay; each is told once, after which look-ups see it")
    func differences() async throws {
        let setup = TreeSetup()
        for name in ["changed", "deleted", "same", "unseen"] { setup.source.add("/" + name, [1]) }
        await setup.settle()
        let observer = RecordingObserver()
        setup.tree.setObserver(observer)
        let changed = try await setup.lookup(1, "changed"), same = try await setup.lookup(1, "same")
        _ = try await setup.lookup(1, "deleted")
        setup.source.add("/changed", [1, 2], modified: 1_700_000_001)
        setup.source.add("/unseen", [1, 2])
        setup.source.add("/added", [1])
        setup.source.remove("/deleted")
        try await refresh(setup)
        await eventually("it is told") { observer.entries.count >= 2 && observer.nodes.count >= 1 }
        #expect(observer.entries.values.sorted() == ["1 changed", "1 deleted"], "what the kernel never saw is not told")
        #expect(observer.nodes.values == [1])
        let after = try await setup.lookup(1, "changed")
        #expect(after.number != changed.number && after.size == 2)
        #expect(try await setup.lookup(1, "same").number == same.number)
        _ = try await setup.lookup(1, "added")
        await #expect(throws: TreeError.self) { try await setup.lookup(1, "deleted") }
        #expect(try await setup.tree.stat(changed.number).size == 1, "the old inode shows what it was")
        try await refresh(setup)
        #expect(observer.entries.count == 2)
    }

    @Test("an open handle reads the version it opened; the replaced one cannot be opened any more")
    func replaced() async throws {
        let setup = TreeSetup()
        setup.source.add("/f", [1, 2, 3])
        let before = try await setup.lookup(1, "f")
        let file = try await setup.tree.file(before.number)
        setup.source.add("/f", [4, 5, 6, 7], modified: 1_700_000_002)
        await setup.settle()
        try await refresh(setup)
        #expect(try await file.bytes(at: 0, count: 10) == [1, 2, 3])
        #expect(file.attributes.size == 3)
        do {
            _ = try await setup.tree.file(before.number)
            Issue.record("it must be stale")
        } catch { #expect(error.code == .stale) }
        setup.tree.forget(before.number, count: 1)
        #expect(try await setup.tree.stat(before.number).size == 3, "open keeps it")
        file.close()
        file.close()
        await #expect(throws: TreeError.self) { try await setup.tree.stat(before.number) }
        let after = try await setup.tree.file(try await setup.lookup(1, "f").number)
        #expect(try await after.bytes(at: 0, count: 10) == [4, 5, 6, 7])
        after.close()
        #expect(setup.shelf.health.openFiles == 0)
    }

    @Test("a directory that was replaced by a file of the same name is another node")
    func kinds() async throws {
        let setup = TreeSetup()
        setup.source.add("/x/inside", [1])
        let directory = try await setup.lookup(1, "x")
        setup.source.remove("/x")
        setup.source.add("/x", [1, 2])
        await setup.settle()
        try await refresh(setup)
        let file = try await setup.lookup(1, "x")
        #expect(directory.kind == .directory && file.kind == .file && directory.number != file.number)
    }

    @Test("a change that only a read can see gives a new number, and makes its directory be listed again, once")
    func readSawAnother() async throws {
        let setup = TreeSetup()
        setup.source.add("/f", [1, 2, 3])
        setup.source.add("/g", [1])
        await setup.settle()
        let observer = RecordingObserver()
        setup.tree.setObserver(observer)
        let before = try await setup.lookup(1, "f")
        let file = try await setup.tree.file(before.number)
        for _ in 0..<5 { setup.content.reportVersionChange("scripted:/f") }
        setup.content.reportVersionChange("scripted:/g")
        await eventually("it is told") { observer.entries.values == ["1 f"] }
        await eventually("it is listed again") { setup.source.lists("/") == 2 }
        await setup.settle()
        // The listing says what it said, and a read knows better: the size is asked for.
        let after = try await setup.lookup(1, "f")
        #expect(after.number != before.number && after.size == 3)
        #expect(setup.source.change { $0.probes["/f"] } == 1)
        #expect(setup.archive.revision(cacheKey: "scripted:/f") == 1 && setup.archive.revision(cacheKey: "scripted:/g") == 0)
        file.close()
        let next = TreeSetup(setup.source, clock: setup.clock, archive: setup.archive)
        #expect(try await next.lookup(1, "f").number == after.number, "and it is the same in the next run")
    }

    @Test("the size of a file that listings tell wrongly is the one that it has")
    func wrongListing() async throws {
        let setup = TreeSetup()
        setup.source.add("/f", [1, 2, 3])
        await setup.settle()
        let file = try await setup.tree.file(try await setup.lookup(1, "f").number)
        setup.source.change { state in
            state.files["/f"]?.bytes = [1, 2, 3, 4, 5]
            state.files["/f"]?.listedSize = 3
        }
        setup.content.reportVersionChange("scripted:/f")
        await eventually("it is listed again") { setup.source.lists("/") == 2 }
        await setup.settle()
        #expect(try await setup.lookup(1, "f").size == 5)
        file.close()
    }

    @Test("numbers are the same in the next run, whatever the order of the listing")
    func stable() async throws {
        let setup = TreeSetup()
        for index in 0..<50 { setup.source.add("/f\(index)", [UInt8](repeating: 0, count: index), entityTag: "\"\(index)\"") }
        setup.source.addDirectory("/d")
        let first = try await setup.tree.directory(1)
        setup.source.change { $0.directories["/"]?.children.reverse() }
        let next = TreeSetup(setup.source)
        let second = try await next.tree.directory(1)
        #expect((0..<51).map { first[$0]?.number } == (0..<51).map { second[$0]?.number })
        #expect(first.names == second.names)
        #expect(Set((0..<51).compactMap { first[$0]?.number }).count == 51)
    }

    @Test("sources come and go in a running mount of several")
    func shelves() async throws {
        func shelf(_ name: String, _ source: ScriptedSource) -> SourceShelf {
            SourceShelf(name: name, source: source, listings: MemoryArchive(), content: PlainContent(), clock: ManualClock(), log: .silent)
        }
        let one = ScriptedSource(), two = ScriptedSource()
        one.add("/a", [1])
        two.add("/b", [1])
        let first = shelf("one", one), second = shelf("two", two)
        let tree = VirtualTree(root: .directory([second, first]), log: .silent)
        let observer = RecordingObserver()
        tree.setObserver(observer)
        #expect(try await tree.directory(1).names == ["one", "two"])
        let directory = try await tree.find(1, Array("one".utf8))
        let file = try await tree.find(directory.number, Array("a".utf8))
        #expect(try await tree.directory(directory.number).parentNumber == 1)
        tree.setShelves([second])
        await eventually("it is told") { observer.entries.values == ["1 one"] && observer.nodes.values == [1] }
        #expect(try await tree.directory(1).names == ["two"])
        await #expect(throws: TreeError.self) { try await tree.find(1, Array("one".utf8)) }
        do {
            _ = try await tree.stat(file.number)
            Issue.record("it must be stale")
        } catch { #expect(error.code == .stale) }
        // Set up anew under the same name: found again by its path.
        let again = shelf("one", one)
        tree.setShelves([second, again])
        let back = try await tree.find(1, Array("one".utf8))
        #expect(back.number == directory.number)
        #expect(try await tree.find(back.number, Array("a".utf8)).number == file.number)
        #expect(try await tree.stat(file.number).size == 1)
    }

    @Test("the source of a running mount of one is exchanged for another")
    func root() async throws {
        func shelf(_ source: ScriptedSource) -> SourceShelf {
            SourceShelf(name: "one", source: source, listings: MemoryArchive(), content: PlainContent(), clock: ManualClock(), log: .silent)
        }
        let before = ScriptedSource(), after = ScriptedSource()
        before.add("/old", [1])
        after.add("/new", [1, 2])
        let first = shelf(before), second = shelf(after)
        let tree = VirtualTree(root: .shelf(first), log: .silent)
        let observer = RecordingObserver()
        tree.setObserver(observer)
        let old = try await tree.find(1, Array("old".utf8))
        tree.setShelves([second])
        await eventually("it is told") { observer.nodes.values == [1] }
        #expect(try await tree.directory(1).names == ["new"])
        #expect(try await tree.find(1, Array("new".utf8)).size == 2)
        do {
            _ = try await tree.stat(old.number)
            Issue.record("it must be stale")
        } catch { #expect(error.code == .stale) }
        // Without any source it stays as it is: never empty.
        tree.setShelves([])
        #expect(try await tree.directory(1).names == ["new"])
    }
}
