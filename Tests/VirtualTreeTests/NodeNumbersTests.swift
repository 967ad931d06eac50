import Bytes
import Diagnostics
import SourceAPI
import Testing
@testable import VirtualTree

@Suite("Inode numbers")
struct NodeNumbersTests {
    private let entry = RemoteEntry(
        name: [0x61], kind: .file, locator: EntryLocator("/a"), size: 5, modified: UnixTime(seconds: 7), entityTag: "\"x\"", cacheKey: "k")

    @Test("a file's number says its version; any change gives another")
    func versions() {
        let number = NodeNumbers.file(source: "s", entry: entry, revision: 0)
        #expect(number == NodeNumbers.file(source: "s", entry: entry, revision: 0))
        var others: [UInt64] = [NodeNumbers.file(source: "t", entry: entry, revision: 0), NodeNumbers.file(source: "s", entry: entry, revision: 1)]
        for change in [
            { $0.size = 6 }, { $0.size = nil }, { $0.modified = UnixTime(seconds: 8) }, { $0.modified = nil }, { $0.entityTag = "\"y\"" },
            { $0.entityTag = nil }, { $0.locator = EntryLocator("/b") },
        ] as [(inout RemoteEntry) -> Void] {
            var changed = entry
            change(&changed)
            others.append(NodeNumbers.file(source: "s", entry: changed, revision: 0))
        }
        #expect(Set(others + [number]).count == others.count + 1)
        var named = entry
        named.name = [0x62]
        named.mediaType = "text/plain"
        #expect(NodeNumbers.file(source: "s", entry: named, revision: 0) == number, "what does not make a version does not count")
    }


    @Test("a number that another node has is left to it")
    func collisions() throws {
        let setup = TreeSetup()
        let parent = Node(rootOf: setup.shelf)
        func node(_ tag: String, number: UInt64) throws -> Node {
            var entry = entry
            entry.entityTag = tag
            return try #require(Node(entry, number: number, revision: 0, shownName: [0x61], in: parent, directory: EntryLocator("/")))
        }
        var table = NodeTable(root: parent)
        let first = table.remember(try node("1", number: 77))
        let second = table.remember(try node("2", number: 77))
        #expect(first.number == 77 && second.number != 77 && second.number > 1)
        #expect(table.remember(try node("2", number: 77)).number == second.number, "found again under the number it got")
        #expect(table.count == 3)
        table.forget(77, count: 1)
        #expect(table.count == 2 && table[77] == nil)
        table.forget(second.number, count: 2)
        #expect(table.count == 1)
        table.forget(1, count: 100)
        #expect(table[1] != nil, "the root stays")
    }

    @Test("an open file stays when the kernel forgets it")
    func opens() throws {
        let setup = TreeSetup()
        let parent = Node(rootOf: setup.shelf)
        var table = NodeTable(root: parent)
        let node = table.remember(
            try #require(Node(entry, number: 9, revision: 0, shownName: [0x61], in: parent, directory: EntryLocator("/"))))
        table.opened(9)
        table.forget(9, count: 1)
        #expect(table[9] === node)
        table.closed(9)
        #expect(table[9] == nil)
    }
}
