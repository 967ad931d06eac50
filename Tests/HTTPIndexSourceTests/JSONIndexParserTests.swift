import Bytes
import Testing

@testable import HTTPIndexSource

@Suite struct JSONIndexParserTests {
    private func parse(_ text: String) throws -> DirectoryIndex {
        try JSONIndexParser.parse(Array(text.utf8), base: IndexBase(scheme: "http", authority: "h", path: "/x/"))
    }

    private static let nginx = """
        [
        { "name":"sub dir", "type":"directory", "mtime":"Thu, 29 Feb 2024 12:34:56 GMT" },
        { "name":"#\\"q?.txt", "type":"file", "mtime":"Thu, 29 Feb 2024 12:34:56 GMT", "size":9007199254740993 },
        { "name":"电影\\n.mkv", "type":"file", "mtime":"Thu, 29 Feb 2024 12:34:56 GMT", "size":0 },
        { "name":"fifo", "type":"other", "mtime":"Thu, 29 Feb 2024 12:34:56 GMT" }
        ]
        """
    private static let caddy = """
        [{"name":"sub/","size":4096,"url":"./sub/","mod_time":"2024-02-29T12:34:56.789Z","mode":2147484141,"is_dir":true,"is_symlink":false},
        {"name":"a b.mkv","size":1234,"url":"./a%20b.mkv","mod_time":"2024-02-29T14:34:56+02:00","mode":420,"is_dir":false,"is_symlink":false}]
        """

    @Test("nginx's index is read exactly")
    func readsNginx() throws {
        let index = try parse(Self.nginx)
        #expect(index.entries.map(\.path) == ["/x/sub%20dir/", "/x/%23%22q%3F.txt", "/x/%E7%94%B5%E5%BD%B1%0A.mkv"])
        #expect(index.entries.map(\.size) == [nil, 9_007_199_254_740_993, 0])
        #expect(index.entries.allSatisfy { $0.modified == UnixTime(seconds: 1_709_210_096) })
    }

    @Test("Caddy's index is read exactly")
    func readsCaddy() throws {
        let index = try parse(Self.caddy)
        #expect(index.entries.map(\.path) == ["/x/sub/", "/x/a%20b.mkv"])
        #expect(index.entries.map(\.size) == [nil, 1234])
        #expect(index.entries.allSatisfy { $0.modified == UnixTime(seconds: 1_709_210_096) })
    }

    @Test(
        "an empty array is an empty directory, other JSON is none",
        arguments: ["{}", "1", "\"x\"", "[1]", "[{}]", "[{\"name\":\"a\"}]", "[{\"name\":1,\"type\":\"file\"}]", "true"])
    func refusesOthers(text: String) throws {
        #expect(try parse(" [ ] ").entries.isEmpty)
        #expect(try parse("null").entries.isEmpty)
        #expect(throws: IndexFault.noIndex) { try parse(text) }
    }

    @Test("names upwards or across directories are left out", arguments: ["..", ".", "a/b", "../x"])
    func refusesPaths(name: String) throws { #expect(try parse("[{\"name\":\"\(name)\",\"type\":\"file\"}]").entries.isEmpty) }

    @Test("a directory that is only a slash, or dots before one, is no entry", arguments: ["/", "./", "../", "//"])
    func leavesOutTheDirectoryItself(name: String) throws {
        let text = "[{\"name\":\"\(name)\",\"size\":0,\"url\":\"./x/\",\"mod_time\":\"2026-12-01T10:00:00Z\",\"is_dir\":true}]"
        #expect(try JSONIndexParser.parse(Array(text.utf8), base: IndexBase(scheme: "http", authority: "host", path: "/pub/")).entries.isEmpty)
    }

    @Test("a size that is none is not told", arguments: ["-1", "1.5", "1e3", "99999999999999999999", "\"12\"", "null"])
    func refusesSizes(size: String) throws { #expect(try parse("[{\"name\":\"a\",\"type\":\"file\",\"size\":\(size)}]").entries.first?.size == nil) }

    @Test("names that are no UTF-8 keep their bytes")
    func keepsBytes() throws {
        let text = Array("[{\"name\":\"".utf8) + [0xFF, 0xFE] + Array("\",\"type\":\"file\",\"size\":1}]".utf8)
        let index = try JSONIndexParser.parse(text, base: IndexBase(scheme: "http", authority: "h", path: "/x/"))
        #expect(index.entries.map(\.name) == [[0xFF, 0xFE]])
        #expect(index.entries.map(\.path) == ["/x/%FF%FE"])
    }

    @Test("every truncation is an error", arguments: [nginx, caddy])
    func refusesTruncation(text: String) throws {
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            #expect(throws: IndexFault.self, "cut at \(count)") {
                try JSONIndexParser.parse(Array(bytes[..<count]), base: IndexBase(scheme: "http", authority: "h", path: "/x/"))
            }
        }
    }

    @Test(
        "damaged or excessive JSON is an error",
        arguments: [
            "[", "[1,]", "[,]", "{\"a\"}", "{\"a\":}", "{a:1}", "[\"\\x\"]", "[\"\\u12\"]", "[\"\\ud800\"]", "[\"\n\"]", "[1] x", "tru", "[nul]", "-",
            "",
        ])
    func refusesDamage(text: String) { #expect(throws: JSONReader.Fault.self) { try values(text) } }

    @Test("a document of many small values, or of one that is beyond all measure, is refused soon and takes no memory")
    func refusesAmplification() {
        let entry = "{\"name\":\"a\",\"type\":\"file\"}"
        #expect(throws: IndexFault.noIndex) { try parse("[" + String(repeating: "1,", count: 200_000) + "1]") }
        #expect(throws: IndexFault.self) { try parse("[\(entry),{\"x\":[" + String(repeating: "1,", count: 200_000) + "1]}]") }
        #expect(throws: IndexFault.self) { try parse("[" + entry.replacing("a", with: String(repeating: "n", count: 40_000)) + "]") }
    }

    private func values(_ text: String) throws -> [JSONValue] {
        var found: [JSONValue] = []
        let single = try JSONReader.read(Array(text.utf8)) { item in
            found.append(item)
            return true
        }
        return single.map { [$0] } ?? found
    }

    @Test("deep nesting is an error")
    func refusesDepth() {
        #expect(throws: JSONReader.Fault.self) { try values(String(repeating: "[", count: 1_000_000)) }
        #expect(throws: JSONReader.Fault.self) { try values(String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test("escapes are the characters they mean")
    func readsEscapes() throws {
        #expect(try values(#"["\"\\\/\b\f\n\r\t\u00e9\ud83c\udfac"]"#) == [.string(Array("\"\\/\u{8}\u{C}\n\r\té🎬".utf8))])
    }
}
