import Bytes
import Testing

@testable import HTTPIndexSource

@Suite struct HTMLIndexParserTests {
    private static let base = IndexBase(scheme: "https", authority: "host", path: "/x/")
    private static let moment = UnixTime(seconds: 1_709_210_040)  // 2024-02-29T12:34:00Z

    private func parse(_ page: String, at path: String = "/x/") throws -> DirectoryIndex {
        var base = Self.base
        base.path = path
        return try HTMLIndexParser.parse(Array(page.utf8), base: base)
    }

    private func names(_ index: DirectoryIndex) -> [String] {
        index.entries.map { String(decoding: $0.name, as: UTF8.self) + ($0.isDirectory ? "/" : "") }
    }

    private func page(_ links: [String]) -> String {
        "<html><h1>Index of /x/</h1>" + links.map { "<a href=\"\($0)\">x</a>" }.joined(separator: "\n") + "</html>"
    }

    /// The first two cost time by the square of their length in libxml2, the third memory, the fourth ends its work early.
    @Test(
        "a page made to cost is refused soon, never read in part",
        arguments: [
            "<h1>Index of /x/</h1><a href=a>a</a>" + String(repeating: "<b>", count: 100_000) + String(repeating: "</i>", count: 100_000),
            "<h1>Index of /x/</h1><a href=a>a</a><p " + (0..<100_000).map { "a\($0)=1 " }.joined() + ">",
            "<h1>Index of /x/</h1><a href=a>a</a><a href=\"" + String(repeating: "x", count: 2_000_000) + "\">b</a>",
            "<h1>Index of /x/</h1><a href=a>a</a><a href=\"b\0\">b</a><a href=c>c</a>",
        ])
    func refusesCostlyPages(text: String) throws {
        let reader = HTMLIndexReader.read(Array(text.utf8), patience: .milliseconds(200))
        #expect(reader.fault != nil)
    }

    @Test("nginx tells exact sizes, unless they have a unit, and times in UTC")
    func readsNginx() throws {
        let index = try parse(IndexPages.nginx)
        #expect(names(index) == ["sub dir/", "#h%q?.txt", "电影.mkv", "long-name-that-is-cut-by-the-server-in-the-text-shown-only.bin"])
        #expect(index.entries.map(\.size) == [nil, 1, 5_000_000_000, nil])
        #expect(index.entries.map(\.modified?.seconds) == [nil, 1_709_210_040, 915_148_800, 1_709_210_040])
        #expect(
            index.entries.map(\.path) == [
                "/x/sub%20dir/", "/x/%23h%25q%3F.txt", "/x/%E7%94%B5%E5%BD%B1.mkv",
                "/x/long-name-that-is-cut-by-the-server-in-the-text-shown-only.bin",
            ])
        #expect(index.isCertain && index.isClosed)
    }

    @Test("a line break in a name shown does not part the link from its size")
    func takesLineBreaks() throws {
        let index = try parse("<html><h1>Index of /x/</h1><pre><a href=\"a%0Ab\">a\nb</a>   29-Feb-2024 12:34   7\n</pre></html>")
        #expect(index.entries.map(\.size) == [7])
    }

    @Test(
        "rounded sizes and local times are not taken",
        arguments: [
            IndexPages.apacheFancy, IndexPages.apacheTable, IndexPages.apacheList, IndexPages.lighttpd, IndexPages.python,
        ])
    func takesNoGuess(text: String) throws {
        let index = try parse(text)
        #expect(Set(names(index)).isSuperset(of: ["a b.mkv", "sub/"]))
        #expect(index.entries.allSatisfy { $0.size == nil && $0.modified == nil })
        #expect(index.isCertain && index.isClosed)
    }

    @Test("sort links, icons, parents and scripts are no entries")
    func leavesOutFurniture() throws {
        #expect(names(try parse(IndexPages.apacheFancy)) == ["a b.mkv", "sub/", "small.txt"])
        #expect(names(try parse(IndexPages.apacheTable)) == ["a b.mkv", "sub/"])
        #expect(names(try parse(IndexPages.lighttpd)) == ["sub/", "a b.mkv"])
    }

    @Test("Caddy tells exact sizes and times in attributes")
    func readsCaddy() throws {
        let index = try parse(IndexPages.caddy)
        #expect(names(index) == ["sub/", "a b.mkv"])
        #expect(index.entries[1].size == 1_234_567)
        #expect(index.entries[1].modified == UnixTime(seconds: 1_709_210_096))
    }

    @Test("IIS tells exact sizes before the link, and local times that are not taken")
    func readsIIS() throws {
        let index = try parse(IndexPages.iis)
        #expect(names(index) == ["sub/", "a b.mkv"])
        #expect(index.entries[1].size == 1_234_567)
        #expect(index.entries[1].modified == nil)
    }

    @Test(
        "a link counts only if it is exactly one segment below the page, on the same host",
        arguments: [
            "?C=N;O=D", "b?x=1", "b#top", "#", "", "http://host/x/b", "https://other/x/b", "//other/x/b", "https://host:444/x/b", "ftp://host/x/b",
            "mailto:a@b",
            "javascript:x", "data:,x", "/", "/b", "/y/b", "../b", "..", ".", "./", "/x/", "/x", "b/c", "b/c/", "%2e%2e", "%2E/", "./../y", "/x/../b",
            "/xx/b",
        ])
    func rejects(href: String) throws { #expect(try parse(page([href, "good"])).entries.map(\.path) == ["/x/good"], "\(href)") }

    @Test("an index whose entries are links to another host is no empty directory; a link of its foot is no entry")
    func elsewhere() throws {
        func index(_ links: String) -> [UInt8] { Array("<html><h1>Index of /x/</h1><pre><a href=\"../\">../</a>\n\(links)</pre></html>".utf8) }
        let base = IndexBase(scheme: "https", authority: "host", path: "/x/")
        let links = [
            "<a href=\"http://inner:8080/x/a.bin\">a.bin</a>", "<a href=\"//other/x/sub/\">sub/</a>",
            "<a href=\"http://inner/x/a-long-name-of-a-film.mkv\">a-long-name-of..&gt;</a>",
        ]
        for link in links { #expect(throws: IndexFault.elsewhere) { try HTMLIndexParser.parse(index(link), base: base) } }
        for foot in ["<a href=\"https://server.example/\">Server</a>", "<a href=\"https://forge.example/x/server\">made by</a>", ""] {
            #expect(try HTMLIndexParser.parse(index(foot), base: base).entries.isEmpty)
        }
    }

    @Test(
        "links are resolved whatever their form",
        arguments: [
            ("b", "/x/b"), ("./b", "/x/b"), ("/x/b", "/x/b"), ("https://host/x/b", "/x/b"), ("//HOST/x/b", "/x/b"),
            ("https://user@host:443/x/b/", "/x/b/"), ("b/", "/x/b/"),
            (" b\n", "/x/b"), ("a b", "/x/a%20b"), ("100%", "/x/100%25"), ("é", "/x/%C3%A9"), ("a&amp;b", "/x/a&b"), ("a&#38;b", "/x/a&b"),
            ("12:30", "/x/12:30"),
            ("...", "/x/..."), ("a%2Fb", "/x/a%2Fb"), ("%FF", "/x/%FF"), ("/x//b", "/x//b"),
        ])
    func resolves(href: String, path: String) throws { #expect(try parse(page([href])).entries.map(\.path) == [path], "\(href)") }

    @Test("a base element moves relative links; one that leads to another host leaves no index, not an empty one")
    func followsBase() throws {
        #expect(try parse("<base href=\"/x/\"><h1>Index of /x</h1><a href=\"b\">b</a>", at: "/x/index").entries.isEmpty)
        #expect(try parse("<base href=\"/x/\"><h1>Index of /x</h1><a href=\"b\">b</a>", at: "/x/").entries.map(\.path) == ["/x/b"])
        #expect(try parse("<base href=\"/y/\"><h1>Index of /x</h1><a href=\"b\">b</a>", at: "/x/").entries.isEmpty)
        #expect(throws: IndexFault.noIndex) { try parse("<base href=\"https://evil/x/\"><h1>Index of /x</h1><a href=\"b\">b</a>", at: "/x/") }
    }

    @Test("names keep their bytes on a page that is no UTF-8")
    func keepsBytes() throws {
        let text =
            Array("<html><meta charset=gbk><h1>Index of /x/</h1><a href=\"".utf8) + [0xB5, 0xE7, 0xD3, 0xB0] + Array(".mkv\">x</a></html>".utf8)
        let index = try HTMLIndexParser.parse(text, base: Self.base)
        #expect(index.entries.map(\.name) == [[0xB5, 0xE7, 0xD3, 0xB0] + Array(".mkv".utf8)])
        #expect(index.entries.map(\.path) == ["/x/%B5%E7%D3%B0.mkv"])
    }

    @Test("an empty index is empty, a page that is none is an error")
    func tellsEmptyFromNone() throws {
        #expect(try parse(IndexPages.nginxEmpty).entries.isEmpty)
        #expect(try parse("<html><title>Directory listing for /x/</title><h1>Directory listing for /x/</h1><ul></ul></html>").entries.isEmpty)
        for text in [
            "", " ", "<html><body><h1>Welcome</h1><a href=\"https://other/\">x</a></body></html>", "plain text", "{}", "<script>app()</script>",
        ] {
            #expect(throws: IndexFault.noIndex, "\(text)") { try parse(text) }
        }
    }

    @Test("a page that asks for a password is refused")
    func refusesLogin() { #expect(throws: IndexFault.loginPage) { try parse(IndexPages.login) } }

    @Test("a page without its end is told from a whole one")
    func seesTheEnd() throws {
        let bytes = Array(IndexPages.nginx.utf8)
        for count in 0..<(bytes.count - 8) {
            if let index = try? HTMLIndexParser.parse(Array(bytes[..<count]), base: Self.base) { #expect(!index.isClosed, "cut at \(count)") }
        }
    }

    @Test("nesting, length and damage without measure never crash")
    func survives() throws {
        _ = try? parse(String(repeating: "<div>", count: 100_000) + "<a href=b>")
        _ = try? parse(String(repeating: "<a href=b><table><tr><td>", count: 5000))
        _ = try? parse("<a href=\"" + String(repeating: "a/", count: 500_000) + "\">")
        _ = try? parse(String(repeating: "&", count: 100_000) + String(repeating: "<", count: 100_000))
        _ = try? parse("<a \(String(repeating: "x ", count: 50_000)) href=b>")
        var random = SystemRandomNumberGenerator()
        let original = Array(IndexPages.apacheFancy.utf8)
        for _ in 0..<300 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? HTMLIndexParser.parse(bytes, base: Self.base)
        }
    }

    @Test("a repeated link is one entry, and ten thousand are ten thousand")
    func dedupes() throws {
        #expect(try parse(page(["a", "./a", "/x/a", "a/"])).entries.map(\.path) == ["/x/a", "/x/a/"])
        #expect(try parse(page((0..<10_000).map { "f\($0)" })).entries.count == 10_000)
    }

    @Test("names of any bytes come back through every page")
    func roundTripsNames() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var name = (0..<Int.random(in: 1...30, using: &random)).map { _ in
                let byte = UInt8.random(in: 1...255, using: &random)
                return byte == 0x2F ? UInt8(0x25) : byte
            }
            if name == [0x2E] || name == [0x2E, 0x2E] { name.append(0x61) }
            let index = try parse(page([PercentCoding.encodeSegment(name)]))
            #expect(index.entries.map(\.name) == [name], "\(name)")
        }
    }
}
