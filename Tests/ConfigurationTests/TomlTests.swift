import TestSupport
import Testing

@testable import Configuration

@Suite("TOML")
struct TomlTests {
    static let hostile = [
        "", " ", "\"", "\"\"\"", "'", "\\", "\\\"", "a\nb", "a\r\nb", "\t", "\u{1}", "\u{7F}", "\u{85}", "#no comment", "[table]", "k = 1", "电影与书",
        "👩‍👩‍👧",
        "\u{202E}gnp", "a\\u0041", "${HOME}", "é e\u{301}", "line\n[other]\nurl = \"x\"", String(repeating: "x", count: 70_000),
    ]

    @Test("every text comes back as it was written", arguments: hostile)
    func texts(_ text: String) throws {
        let line = TomlWriter.line("key", .string(text)) + "\n"
        #expect(line.utf8.filter { $0 == 10 }.count == 1)
        let document = try TomlDocument(parsing: line)
        #expect(document.entries.count == 1)
        guard case .string(let back)? = document.entries["key"]?.value else {
            Issue.record("not a text")
            return
        }
        #expect(Array(back.utf8) == Array(text.utf8))
    }

    @Test("random trees of values come back as they were written")
    func trees() throws {
        var random = RepeatableRandom.forTest()
        for _ in 0..<200 {
            let key = Self.hostile[Int.random(in: 0..<23, using: &random)]
            let value = Self.value(depth: 3, &random)
            let text = TomlWriter.line(key, value) + "\n"
            let document = try TomlDocument(parsing: text)
            #expect(document.entries[key]?.value == value, "seed \(random.seed): \(text)")
        }
    }

    private static func value(depth: Int, _ random: inout RepeatableRandom) -> TomlValue {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
        case 0: .string(hostile[Int.random(in: 0..<23, using: &random)])
        case 1: .integer(Int64(truncatingIfNeeded: random.next()))
        case 2: .boolean(Bool.random(using: &random))
        case 3: .real(Double(Int.random(in: -1000...1000, using: &random)) / 8)
        case 4: .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in value(depth: depth - 1, &random) })
        default:
            .table(
                Dictionary(
                    (0..<Int.random(in: 0..<4, using: &random)).map { (hostile[$0 * 3], value(depth: depth - 1, &random)) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }

    @Test("what is no TOML is refused with its line, and nothing crashes")
    func refused() throws {
        do throws(TomlDocument.Failure) {
            _ = try TomlDocument(parsing: "a = 1\nb = \nc = 3\n")
            Issue.record("taken")
        } catch { #expect(error.line == 2) }
        let deep = String(repeating: "[", count: 100_000)
        let hostile = [
            "a = " + deep, "a" + String(repeating: ".a", count: 100_000) + " = 1", "[" + String(repeating: "a.", count: 5000) + "a]", "a = {",
            "\u{0}",
            "a = \"\\uD800\"", "a = 99999999999999999999", "a = 1\na = 2", "=", "a = '''", "\"\\", "[[a]]\n[a]",
        ]
        for text in hostile { #expect(throws: TomlDocument.Failure.self) { try TomlDocument(parsing: text) } }
        var random = RepeatableRandom.forTest()
        let alphabet = Array("ab=.[]{}\"'\\\n#,0123456789-:TZ \t").map(String.init)
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0..<40, using: &random)).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }.joined()
            _ = try? TomlDocument(parsing: text)
        }
    }

    @Test("dates, numbers and tables keep their kind")
    func kinds() throws {
        let document = try TomlDocument(parsing: "d = 2026-12-01T01:02:03Z\nr = 1.5\ni = 0x10\n[t.u]\nx = [1, [2]]\n[[l]]\ny = true\n")
        #expect(document.entries["d"]?.value == .date("2026-12-01T01:02:03Z"))
        #expect(document.entries["r"]?.value == .real(1.5))
        #expect(document.entries["i"]?.value == .integer(16))
        #expect(document.entries["t"]?.value == .table(["u": .table(["x": .array([.integer(1), .array([.integer(2)])])])]))
        #expect(document.entries["l"]?.value == .array([.table(["y": .boolean(true)])]))
    }
}

@Suite("Editing TOML")
struct TomlEditorTests {
    @Test("a change leaves comments, order and unknown keys as they stand")
    func inPlace() {
        let text = "# my drive\nurl = \"https://a/\"  # old\n\n# mine\ncolour = \"blue\"\nuser = \"ann\"\n"
        let edited = TomlEditor.edited(text, changes: [("url", .string("https://b/")), ("user", .string("ann")), ("proxy", .string("http://p:1"))])
        #expect(edited == "# my drive\nurl = \"https://b/\"\n\n# mine\ncolour = \"blue\"\nuser = \"ann\"\nproxy = \"http://p:1\"\n")
    }

    @Test("a key is removed with all lines of its value")
    func removal() {
        let text = "url = \"u\"\nrewrite = [\n  [\"a\", \"b\"],  # one\n  [\"c\", \"d\"],\n]\n# end\n"
        #expect(TomlEditor.edited(text, changes: [("rewrite", nil)]) == "url = \"u\"\n# end\n")
        #expect(TomlEditor.edited(text, changes: [("rewrite", .array([]))]) == "url = \"u\"\nrewrite = []\n# end\n")
    }

    @Test("a new key does not fall into a table")
    func tables() throws {
        let edited = TomlEditor.edited("url = \"u\"\n\n[extra]\nuser = \"not this\"\n", changes: [("user", .string("ann"))])
        let document = try TomlDocument(parsing: edited)
        #expect(document.entries["user"]?.value == .string("ann"))
        #expect(document.entries["extra"]?.value == .table(["user": .string("not this")]))
    }

    @Test("where editing cannot give the wanted values, the file is written anew with all of them")
    func rewriting() throws {
        for text in [
            "a.b = 1\nurl = \"u\"\n", "list = [\n[1],\n]\nurl = \"u\"\n", "url = \"\"\"\nx\n[y]\n\"\"\"\r\nother = 1\r\n", "url = \"u\"",
            "not toml =",
        ] {
            let edited = TomlEditor.edited(text, changes: [("url", .string("v")), ("a", .integer(7)), ("new", .string("n"))])
            let document = try TomlDocument(parsing: edited)
            #expect(document.entries["url"]?.value == .string("v"), "\(edited)")
            #expect(document.entries["a"]?.value == .integer(7), "\(edited)")
            #expect(document.entries["new"]?.value == .string("n"), "\(edited)")
            if text.contains("list") { #expect(document.entries["list"]?.value == .array([.array([.integer(1)])])) }
            if text.contains("other") { #expect(document.entries["other"]?.value == .integer(1)) }
        }
    }
}
