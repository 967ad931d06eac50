import Bytes
import OffPool
import SourceAPI
import TestSupport
import Testing
import VirtualTree

@Suite("Names of files from names of origins", .offPool)
struct NameMappingTests {
    private func file(_ name: String, _ locator: String? = nil) -> RemoteEntry { entry(Array(name.utf8), .file, locator ?? name) }

    private func entry(_ name: [UInt8], _ kind: RemoteEntry.Kind, _ locator: String) -> RemoteEntry {
        RemoteEntry(name: name, kind: kind, locator: EntryLocator(locator), cacheKey: locator)
    }

    private func shown(_ entries: [RemoteEntry]) -> [String?] {
        NameMapping.shownNames(of: entries).map { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test("any valid UTF-8 name is shown as it is", arguments: TreeMaker.hardNames + TreeMaker.controlNames)
    func natural(_ name: String) { #expect(shown([file(name)]) == [name]) }

    @Test("an impossible name is escaped and carries the hash of the original before its extension")
    func impossible() throws {
        let names: [[UInt8]] = [Array("a/b.txt".utf8), [0x61, 0xFF, 0x2E, 0x74, 0x78, 0x74], Array(".".utf8), Array("..".utf8), [], [0x61, 0, 0x62]]
        let result = shown(names.map { entry($0, .file, "\($0)") })
        let starts = ["a%2Fb~", "a%FF~", "%2E~", "%2E%2E~", "~", "a%00b~"]
        let ends = [".txt", ".txt", "", "", "", ""]
        for (index, name) in result.enumerated() {
            var hash = StableHash()
            hash.combine(names[index])
            let digits = String(hash.value, radix: 16)
            let padded = String(repeating: "0", count: 16 - digits.count) + digits
            #expect(name == starts[index] + padded.suffix(8) + ends[index])
        }
    }

    @Test("an over-long name is cut between characters and keeps its extension")
    func overlong() throws {
        let name = String(repeating: "长", count: 100) + ".mkv"
        let result = try #require(shown([file(name)])[0])
        #expect(result.utf8.count <= 255 && result.utf8.count > 250 && result.hasSuffix(".mkv") && result.hasPrefix("长长长"))
        #expect(!result.contains("\u{FFFD}"))
        #expect(shown([file(String(repeating: "x", count: 255))])[0]?.utf8.count == 255)
        #expect(try #require(shown([file(String(repeating: "x", count: 256))])[0]).hasPrefix("xxx"))
    }

    @Test("of the same name a directory keeps it, then the smaller locator; the others carry the hash of their locators")
    func duplicates() throws {
        let entries = [file("a.txt", "2"), file("a.txt", "1"), entry(Array("a.txt".utf8), .directory, "3")]
        let result = shown(entries)
        #expect(result[2] == "a.txt")
        #expect(result[0]?.hasPrefix("a~") == true && result[0]?.hasSuffix(".txt") == true)
        #expect(result[1]?.hasPrefix("a~") == true && result[1] != result[0])
        #expect(shown([entries[0], entries[1]])[1] == "a.txt")
    }

    @Test("a mapped name gives way to the same name of another entry")
    func collision() throws {
        let bad = entry([0x61, 0xFF], .file, "bad")
        let short = try #require(shown([bad])[0])
        let result = shown([bad, file(short)])
        #expect(result[1] == short)
        let longer = try #require(result[0])
        #expect(longer.count == short.count + 8 && longer.hasPrefix("a%FF~"))
        let again = shown([bad, file(short), file(longer)])
        #expect(again[1] == short && again[2] == longer && again[0] != longer && again[0] != short)
    }

    @Test("the same entry twice is one entry")
    func repeated() {
        #expect(shown([file("a", "1"), file("a", "1"), file("b", "2")]).compactMap { $0 } == ["a", "b"])
        let bad = entry([0xFF], .file, "bad")
        #expect(shown([bad, bad, bad]).compactMap { $0 }.count == 1)
    }

    @Test("any set of hostile names gets valid, unique names, whatever the order and whatever comes along")
    func property() throws {
        var random = RepeatableRandom.forTest()
        for round in 0..<300 {
            var entries: [RemoteEntry] = []
            for index in 0..<Int.random(in: 1...40, using: &random) {
                let kind: RemoteEntry.Kind = Bool.random(using: &random) ? .file : .directory
                let previous = entries.randomElement(using: &random)?.name
                entries.append(entry(hostile(&random, previous), kind, "\(index % 30)"))
            }
            let names = NameMapping.shownNames(of: entries)
            let present = names.compactMap { $0 }
            #expect(Set(present).count == present.count, "seed \(random.seed) round \(round)")
            for name in present {
                #expect(name.count >= 1 && name.count <= 255 && !name.contains(0) && !name.contains(UInt8(ascii: "/")))
                #expect(name != Array(".".utf8) && name != Array("..".utf8))
                #expect(Array(String(decoding: name, as: UTF8.self).utf8) == name, "seed \(random.seed) round \(round): valid UTF-8")
            }
            var facts: [RemoteEntry: [UInt8]] = [:]
            for (entry, name) in zip(entries, names) { if let name { facts[entry] = name } }
            let shuffled = entries.shuffled(using: &random)
            for (entry, name) in zip(shuffled, NameMapping.shownNames(of: shuffled)) {
                if let name { #expect(facts[entry] == name, "seed \(random.seed) round \(round): order") }
            }
            // An addition whose name is nobody's changes nothing.
            let addition = entry(Array("added \(round)".utf8), .file, "added")
            for (entry, name) in zip(entries, NameMapping.shownNames(of: entries + [addition])) {
                if let name { #expect(facts[entry] == name, "seed \(random.seed) round \(round): addition") }
            }
        }
    }

    private func hostile(_ random: inout RepeatableRandom, _ previous: [UInt8]?) -> [UInt8] {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return previous ?? []
        case 1: return random.bytes(Int.random(in: 0...300, using: &random))
        case 2: return Array(String(repeating: "🎬", count: Int.random(in: 60...70, using: &random)).utf8) + Array(".mkv".utf8)
        case 3: return [Array(".".utf8), Array("..".utf8), [], [0], Array("/".utf8)].randomElement(using: &random) ?? []
        case 4:
            // What another entry may be mapped to.
            guard let previous else { return Array("x".utf8) }
            return NameMapping.shownNames(of: [entry(previous, .file, "0")])[0] ?? []
        case 5: return Array("a\u{301}.b".utf8) + random.bytes(1)
        default: return Array((TreeMaker.hardNames.randomElement(using: &random) ?? "").utf8)
        }
    }
}
