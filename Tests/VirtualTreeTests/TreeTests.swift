import Bytes
import ChunkStore
import Diagnostics
import ListingStore
import OffPool
import ReadPath
import SourceAPI
import Synchronization
import TestSupport
import Testing
@testable import VirtualTree

@Suite("A tree and its files")
struct TreeTests {
    @Test("what is not there, not a directory, not a file or not a name is an error of its own")
    func errors() async throws {
        let setup = TreeSetup()
        setup.source.add("/f", [1])
        setup.source.addDirectory("/d")
        let file = try await setup.lookup(1, "f"), directory = try await setup.lookup(1, "d")
        func code(_ body: () async throws(TreeError) -> Void) async -> TreeError.Code? {
            do { try await body() } catch { return error.code }
            return nil
        }
        #expect(await code { () throws(TreeError) in _ = try await setup.lookup(1, "absent") } == .notFound)
        #expect(await code { () throws(TreeError) in _ = try await setup.lookup(1, String(repeating: "x", count: 256)) } == .nameTooLong)
        #expect(await code { () throws(TreeError) in _ = try await setup.lookup(file.number, "x") } == .notDirectory)
        #expect(await code { () throws(TreeError) in _ = try await setup.tree.directory(file.number) } == .notDirectory)
        #expect(await code { () throws(TreeError) in _ = try await setup.tree.file(directory.number) } == .isDirectory)
        #expect(await code { () throws(TreeError) in _ = try await setup.tree.stat(12345) } == .stale)
        #expect(setup.source.allLists == 1, "none of that asked the origin")
        let handle = try await setup.tree.directory(1)
        #expect(handle[-1] == nil && handle[2] == nil && handle[.max] == nil && setup.tree.remember(9, of: handle) == nil)
    }

    @Test("what desktops look for everywhere never reaches an origin", arguments: ["._f", ".DS_Store", ".hidden", ".Trash-0", "autorun.inf"])
    func noise(_ name: String) async throws {
        let setup = TreeSetup()
        setup.source.add("/f", [1])
        await setup.settle()
        for _ in 0..<20 { _ = try? await setup.lookup(1, name) }
        #expect(setup.source.allLists == 1 && setup.source.allProbes == 0 && setup.source.change { $0.fetches } == 0)
    }

    @Test("look-ups are counted: what the kernel forgot is gone, what readdirplus told is remembered")
    func counts() async throws {
        let setup = TreeSetup()
        setup.source.add("/f", [1])
        let handle = try await setup.tree.directory(1)
        let told = try #require(setup.tree.remember(0, of: handle))
        #expect(told.number == handle[0]?.number && told.size == 1)
        _ = try await setup.lookup(1, "f")
        setup.tree.forget(told.number, count: 1)
        #expect(try await setup.tree.stat(told.number) == told)
        setup.tree.forget(told.number, count: 1)
        await #expect(throws: TreeError.self) { try await setup.tree.stat(told.number) }
        setup.tree.forget(777, count: .max)
        setup.tree.forget(1, count: .max)
        _ = try await setup.tree.stat(1)
    }

    @Test("extended attributes tell where a file is from, and never a secret")
    func extendedAttributes() async throws {
        let setup = TreeSetup()
        setup.source.add("/d e/ü #.txt", [1], entityTag: "\"tag\"")
        let directory = try await setup.lookup(1, "d e")
        let file = try await setup.tree.find(directory.number, Array("ü #.txt".utf8))
        var found: [String: String] = [:]
        for (name, value) in setup.tree.extendedAttributes(of: file.number) { found[name] = String(decoding: value, as: UTF8.self) }
        #expect(
            found == [
                "user.reelfs.source": "drive", "user.reelfs.url": "https://origin.example/base/d%20e/%C3%BC%20%23.txt",
                "user.reelfs.name": "ü #.txt", "user.reelfs.validator": "\"tag\"", "user.reelfs.cached": "7", "user.reelfs.state": "fresh",
            ])
        #expect(setup.tree.extendedAttributes(of: 999).isEmpty)
        #expect(!setup.tree.extendedAttributes(of: 1).isEmpty)
    }

    @Test("the original bytes of a mapped name are in its attribute")
    func originalName() async throws {
        let setup = TreeSetup()
        setup.source.addRaw([0x61, 0xFF, 0x2F], locator: "raw", in: "/", bytes: [1])
        let handle = try await setup.tree.directory(1)
        let item = try #require(handle[0])
        #expect(item.name.starts(with: Array("a%FF%2F~".utf8)))
        let found = try await setup.tree.find(1, item.name)
        #expect(setup.tree.extendedAttributes(of: found.number).first { $0.name == "user.reelfs.name" }?.value == [0x61, 0xFF, 0x2F])
    }

    @Test("room is the origin's quota where it tells one")
    func statistics() async throws {
        let setup = TreeSetup()
        #expect(setup.tree.statistics().totalBytes == 1 << 50)
        setup.source.change { $0.quota = DirectoryListing.Quota(used: 30, available: 70) }
        setup.source.add("/f", [1])
        let next = TreeSetup(setup.source)
        await next.settle()
        #expect(next.tree.statistics() == TreeStatistics(totalBytes: 100, freeBytes: 70, files: 1))
        setup.source.change { $0.quota = DirectoryListing.Quota(used: .max, available: .max) }
        let absurd = TreeSetup(setup.source)
        await absurd.settle()
        #expect(absurd.tree.statistics().totalBytes == 1 << 50)
    }

    @Test("commands find paths, walk subtrees, and open what they find")
    func control() async throws {
        let setup = TreeSetup()
        setup.source.add("/a/b/f", [1, 2, 3])
        setup.source.add("/a/g", [1], listsSize: false)
        setup.source.add("/bad/x", [1])
        setup.source.change { $0.listBehaviour["/bad"] = .fail(.denied) }
        let entry = try await setup.tree.resolve("/a//b/f")
        #expect(entry.size == 3 && entry.kind == .file && entry.path == Array("a/b/f".utf8))
        let file = try setup.tree.open(entry)
        #expect(try await file.bytes(at: 1, count: 5) == [2, 3])
        file.close()
        #expect(try await setup.tree.resolve("").number == 1)
        await #expect(throws: TreeError.self) { try await setup.tree.resolve("a/absent") }
        await #expect(throws: TreeError.self) { try await setup.tree.resolve("a/b/f/below") }
        var seen: [String] = []
        var failures: [String] = []
        await setup.tree.walk(
            try await setup.tree.resolve(""),
            visit: {
                seen.append(String(decoding: $0.path, as: UTF8.self) + ($0.kind == .file ? " \($0.size)" : ""))
                return true
            }, failed: { path, _ in failures.append(String(decoding: path, as: UTF8.self)) })
        #expect(seen == ["", "a", "a/b", "a/b/f 3", "a/g 1", "bad"])
        #expect(failures == ["bad"])
    }

    @Test("a refresh of what is no source says so, and asks nobody")
    func refreshUnknown() async throws {
        let setup = TreeSetup()
        await setup.settle()
        setup.source.change { $0.defaultBehaviour = .fail(.unreachable) }
        let tree = VirtualTree(root: .directory([setup.shelf]), log: .silent)
        do {
            try await tree.refresh(Array("none/x".utf8))
            Issue.record("it was refreshed")
        } catch {
            #expect(error.code == .notFound)
        }
        #expect(setup.shelf.health.state == .healthy)
    }

    @Test("a refresh lists now, shows what is new, and tells of a failure")
    func refresh() async throws {
        let setup = TreeSetup()
        setup.source.add("/d/f", [1])
        let directory = try await setup.lookup(1, "d")
        #expect(try await setup.tree.directory(directory.number).names == ["f"])
        setup.source.add("/d/new", [1])
        #expect(try await setup.tree.directory(directory.number).names == ["f"])
        try await setup.tree.refresh(Array("d".utf8))
        #expect(try await setup.tree.directory(directory.number).names == ["f", "new"])
        setup.source.add("/d/newer", [1])
        try await setup.tree.refresh(Array("d/f".utf8))
        #expect(try await setup.tree.directory(directory.number).names == ["f", "new", "newer"])
        setup.source.change { $0.defaultBehaviour = .fail(.unreachable) }
        await #expect(throws: TreeError.self) { try await setup.tree.refresh(Array("d".utf8)) }
        await #expect(throws: TreeError.self) { try await setup.tree.refresh(Array("d".utf8)) }
        #expect(try await setup.tree.directory(directory.number).count == 3)
        setup.source.change { $0.defaultBehaviour = .answer }
        try await setup.tree.refresh(Array("d".utf8))
        #expect(setup.shelf.health.state == .healthy)
    }

    @Test("a refresh during a listing gets one that began after it")
    func refreshDuring() async throws {
        let setup = TreeSetup()
        setup.source.add("/f", [1])
        await setup.settle()
        setup.clock.advance(.seconds(61))
        setup.source.change { $0.listBehaviour["/"] = .hang }
        _ = try await setup.tree.directory(1)
        await eventually("it is being listed") { setup.source.lists("/") == 2 }
        setup.source.change { $0.listBehaviour["/"] = .answer }
        let done = Gathered<Bool>()
        setup.shelf.view(of: EntryLocator("/"), wantsFresh: true) { _ in done.add(true) }
        setup.source.release()
        await eventually("it is answered") { done.count == 1 }
        #expect(setup.source.lists("/") == 3)
    }

    @Test("a hundred thousand entries are listed and looked up in linear time", .offPool)
    func large() async throws {
        func measure(_ count: Int) async throws -> Duration {
            let source = ScriptedSource()
            source.change { state in
                for index in 0..<count {
                    let path = "/file \(index).bin"
                    state.directories["/"]?.children.append((Array(path.utf8.dropFirst()), path))
                    state.files[path] = ScriptedSource.File(bytes: [], modified: Int64(index))
                }
            }
            let setup = TreeSetup(source)
            let clock = ContinuousClock()
            let start = clock.now
            let handle = try await setup.tree.directory(1)
            #expect(handle.count == count)
            for index in 0..<count {
                guard let item = handle[index] else { continue }
                let found = try await setup.tree.find(1, item.name)
                if found.number != item.number { Issue.record("the number of item \(index) differs") }
            }
            let time = clock.now - start
            #expect(source.lists("/") == 1)
            return time
        }
        let small = try await measure(10_000), large = try await measure(100_000)
        // Ten times the entries; five times slack over that, as for every timing. Quadratic would be a hundred times.
        #expect(large < small * 50, "\(small) for 10,000, \(large) for 100,000")
    }
}

@Suite("Random operations equal a reference, through the real cache", .offPool)
struct TreePropertyTests {
    @Test("lists, stats, opens and reads are right, with evictions from memory, time passing and new runs between them")
    func property() async throws {
        let directory = try TemporaryDirectory("tree")
        var random = RepeatableRandom.forTest()
        let source = ScriptedSource()
        var reference = ReferenceTree()
        for (index, name) in TreeMaker.hardNames.enumerated() {
            for parent in ["", "dir \(index % 4)/", "deep/er \(index % 3)/"] {
                let path = parent + name
                let size = [0, 1, 100, 65535, 65536, 65537, 200_000].randomElement(using: &random) ?? 0
                let bytes = random.bytes(size)
                let modified = Int64(1_600_000_000 + index)
                reference.add(path, bytes, modified: modified)
                source.add("/" + path, bytes, modified: modified, listsSize: index % 3 != 0)
            }
        }
        let large = random.bytes(3_000_001)
        reference.add("large.bin", large, modified: 5)
        source.add("/large.bin", large, modified: 5)
        source.addDirectory("/empty")
        reference.addDirectory("empty")

        let log = Log.silent
        let listings = try ListingStore(path: directory.path + "/listings.sqlite", log: log)
        let limits = CacheLimits(maximumBytes: 64 << 20, minimumFreeBytes: 0)
        let store = try ChunkStore(directory: directory.path + "/cache", limits: limits, log: log)
        let readPath = ReadPath(store: store, log: log)
        let clock = ManualClock()
        var options = ShelfOptions()
        options.maximumEntries = 60
        let shelf = SourceShelf(
            name: "drive", source: source, listings: listings, content: ReadPathContent(readPath, store: store), options: options,
            clock: clock, log: log)
        let under = MemoryTreeUnderTest(tree: VirtualTree(root: .shelf(shelf), log: log))
        let differences = try await TreeExercise(tree: under, reference: reference).run(operations: 3000, random: &random) { number, random in
            guard number % 50 == 0 else { return }
            // Time that jumps ends listings that are under way.
            await settled(shelf)
            clock.advance(.seconds(Int.random(in: 0...4000, using: &random)))
        }
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        await settled(shelf)
        #expect(under.tree.state.withLock { $0.nodes.count } == 1, "every look-up was forgotten, every handle closed")

        // The next run, from the kept listings: the same numbers, the same content.
        let number = try await under.tree.find(1, Array("large.bin".utf8)).number
        listings.flush()
        let nextListings = try ListingStore(path: directory.path + "/listings.sqlite", log: log)
        let next = SourceShelf(
            name: "drive", source: source, listings: nextListings, content: ReadPathContent(readPath, store: store), clock: clock, log: log)
        let nextTree = MemoryTreeUnderTest(tree: VirtualTree(root: .shelf(next), log: log))
        #expect(try await nextTree.tree.find(1, Array("large.bin".utf8)).number == number)
        let again = try await TreeExercise(tree: nextTree, reference: reference).run(operations: 500, random: &random)
        #expect(again.isEmpty, "\(again.joined(separator: "\n"))")
        nextListings.close()
        listings.close()
        store.close()
    }

    @Test("cached bytes of a file are told, and the read path's own handle is at hand")
    func cached() async throws {
        let directory = try TemporaryDirectory("tree")
        let source = ScriptedSource()
        var random = RepeatableRandom.forTest()
        let bytes = random.bytes(150_000)
        source.add("/f", bytes)
        let log = Log.silent
        let listings = try ListingStore(path: directory.path + "/listings.sqlite", log: log)
        let store = try ChunkStore(directory: directory.path + "/cache", limits: CacheLimits(maximumBytes: 64 << 20, minimumFreeBytes: 0), log: log)
        let readPath = ReadPath(store: store, log: log)
        let shelf = SourceShelf(name: "drive", source: source, listings: listings, readPath: readPath, store: store, log: log)
        let tree = VirtualTree(root: .shelf(shelf), log: log)
        let found = try await tree.find(1, Array("f".utf8))
        let file = try await tree.file(found.number)
        try await file.fileReader?.fetchWhole()
        #expect(Octets(try await file.bytes(at: 100_000, count: 100_000)) == Octets(bytes[100_000...]))
        store.flush()
        let cached = tree.extendedAttributes(of: found.number).first { $0.name == "user.reelfs.cached" }
        #expect(cached.map { String(decoding: $0.value, as: UTF8.self) } == "150000")
        file.close()
        listings.close()
        store.close()
    }

    @Test("a file that changes under an open handle is an error there, and the new version for who looks again")
    func changedUnderHandle() async throws {
        let directory = try TemporaryDirectory("tree")
        let source = ScriptedSource()
        var random = RepeatableRandom.forTest()
        // Larger than what is read ahead of ten bytes.
        let old = random.bytes(3_000_000), new = random.bytes(3_000_000)
        source.add("/f", old, modified: nil, entityTag: "\"one\"")
        let log = Log.silent
        let listings = try ListingStore(path: directory.path + "/listings.sqlite", log: log)
        let store = try ChunkStore(directory: directory.path + "/cache", limits: CacheLimits(maximumBytes: 64 << 20, minimumFreeBytes: 0), log: log)
        let shelf = SourceShelf(name: "drive", source: source, listings: listings, readPath: ReadPath(store: store, log: log), store: store, log: log)
        let tree = VirtualTree(root: .shelf(shelf), log: log)
        let before = try await tree.find(1, Array("f".utf8))
        let file = try await tree.file(before.number)
        #expect(try await file.bytes(at: 0, count: 10) == Array(old[..<10]))
        source.add("/f", new, modified: nil, entityTag: "\"two\"")
        await #expect(throws: SourceError.self) { try await file.bytes(at: 2_000_000, count: 10) }
        await eventually("the change is seen") { shelf.currentNumber(of: Array("f".utf8), in: EntryLocator("/")) != .number(before.number) }
        await settled(shelf)
        let after = try await tree.find(1, Array("f".utf8))
        #expect(after.number != before.number)
        let second = try await tree.file(after.number)
        #expect(Octets(try await second.bytes(at: 0, count: 3_000_000)) == Octets(new))
        await #expect(throws: (any Error).self) { try await file.bytes(at: 2_000_000, count: 10) }
        second.close()
        file.close()
        listings.close()
        store.close()
    }
}
