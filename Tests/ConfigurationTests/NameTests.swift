import Diagnostics
import Testing

@testable import Configuration

@Suite("Names and places of sources")
struct NameTests {
    @Test(
        "a name is one visible directory name",
        arguments: [
            ("cloud", true), ("电影", true), ("my drive", true), ("a.b", true), ("👩‍👩‍👧", true), ("a:b%[]#?", true), ("", false), (".", false),
            ("..", false),
            (".hidden", false), ("a/b", false), ("-x", false), (" a", false), ("a ", false), ("a\nb", false), ("a\u{0}", false), ("\u{202E}a", false),
            ("a\u{200B}", false), (String(repeating: "电", count: 66), true), (String(repeating: "电", count: 67), false),
        ])
    func validity(_ text: String, _ isValid: Bool) { #expect((SourceName(text) != nil) == isValid) }

    @Test(
        "a name is derived from the host, or the last part of the path",
        arguments: [
            ("https://cloud.example:8443/dav/files/ann/", SourceType.webdav, "cloud.example"),
            ("https://cloud.example/dav", .webdav, "cloud.example"),
            ("https://www.media.example/films/", .http, "media.example"),
            ("https://media.example/a/film.mkv?token=x", .http, "film"),
            ("https://media.example/%E7%94%B5%E5%BD%B1.mkv", .http, "电影"),
            ("https://media.example/%2e%2e", .http, "media.example"),
            ("https://[::1]:80/", .http, "::1"),
            ("/home/ann/links.txt", .list, "links"),
            ("https://host/.env", .http, "host"),
            ("https://user@host/", .http, "host"),
        ])
    func derivation(_ url: String, _ type: SourceType, _ name: String) {
        #expect(SourceName.derived(from: url, type: type, taken: []).text == name)
    }

    @Test("derived names are unique and valid, however long or strange the URL is")
    func unique() throws {
        var taken: Set<SourceName> = []
        for url in [
            "https://a/", "https://a/", "https://a/", "https://b/" + String(repeating: "é", count: 300),
            "https://b/" + String(repeating: "é", count: 301), "x", "", "://",
        ] {
            let name = SourceName.derived(from: url, type: nil, taken: taken)
            #expect(taken.insert(name).inserted)
            #expect(SourceName(name.text) != nil)
        }
        #expect(taken.contains(try #require(SourceName("a-3"))))
    }

    @Test("schemes say the type, and user information is kept apart")
    func places() throws {
        let dav = try SourceLocation("webdavs://ann%40x:p%3Aw@host:1/d%20ir/?q#f", relativeTo: nil)
        #expect(dav.url == "https://host:1/d%20ir/?q")
        #expect(dav.impliedType == .webdav)
        #expect(dav.user == "ann@x")
        #expect(dav.password?.reveal() == "p:w")
        #expect(dav.origin == "https://host:1")
        #expect(try SourceLocation("https://[::1]:8443/x", relativeTo: nil).url == "https://[::1]:8443/x")
        #expect(try SourceLocation("DAV://h/", relativeTo: nil).url == "http://h/")
        #expect(try SourceLocation("https://h?x=a@b", relativeTo: nil).url == "https://h?x=a@b")
        #expect(try SourceLocation("links.txt", relativeTo: "/home/ann").url == "/home/ann/links.txt")
        #expect(try SourceLocation("/l", relativeTo: "/").impliedType == .list)
    }

    @Test(
        "what is no place is refused without repeating it",
        arguments: [
            "", "ftp://u:topsecret@h/", "https://", "https:///x", "file:///etc/topsecret", "https://u:topsecret@/", "a\nb", "https://u:topsecret?x@h/",
            "https://u:topsecret#x@h/", "https://u:topsecret/x@h/", "https://h:99999/topsecret", "https://[::1]:x/topsecret",
        ])
    func refusals(_ text: String) {
        do throws(ConfigurationError) {
            _ = try SourceLocation(text, relativeTo: nil)
            Issue.record("taken: \(text)")
        } catch {
            #expect(error.code == .invalid)
            #expect(!error.description.contains("topsecret"))
        }
    }

    @Test("rules of keys and rewrites are read, and written as they were")
    func rules() {
        #expect(CacheKeyOption("strip-query") == .stripQuery)
        #expect(CacheKeyOption("strip-query:a,b")?.text == "strip-query:a,b")
        for text in ["", "strip", "strip-query:", "strip-query:a,"] { #expect(CacheKeyOption(text) == nil) }
        #expect(Rewrite("https://a/?x=1=https://b/") == Rewrite(from: "https://a/?x=1", to: "https://b/"))
        #expect(Rewrite("a=b") == Rewrite(from: "a", to: "b"))
        #expect(Rewrite("=b") == nil)
        #expect(Rewrite("ab") == nil)
    }

    @Test(
        "sizes are read as people write them, and shown short",
        arguments: [
            ("0", 0), ("4096", 4096), ("1k", 1024), ("50G", 50 << 30), ("50GiB", 50 << 30), ("50 gb", 50 << 30), ("1.5T", 3 << 39),
        ] as [(String, UInt64)])
    func sizes(_ text: String, _ bytes: UInt64) { #expect(ByteSize.parse(text) == bytes) }

    @Test("what is no size is refused", arguments: ["", "G", "-1", "1x", "99999999P", "1e9", ".5G", "5.G", "１G", "18446744073709551615"])
    func noSizes(_ text: String) { #expect(ByteSize.parse(text) == nil) }

    @Test("sizes are shown with at most four characters of number")
    func formats() {
        #expect(ByteSize.format(0) == "0 B")
        #expect(ByteSize.format(1023) == "1023 B")
        #expect(ByteSize.format(1536) == "1.5 KiB")
        #expect(ByteSize.format(1 << 20) == "1 MiB")
        #expect(ByteSize.format((1 << 20) - 1) == "1 MiB")
        #expect(ByteSize.format(150 << 30) == "150 GiB")
        #expect(ByteSize.format(.max) == "16 EiB")
    }

    @Test("the cache takes 10 % of the disk, from 2 to 50 GiB")
    func defaults() {
        #expect(Settings.defaultCacheSize(diskBytes: 0) == 2 << 30)
        #expect(Settings.defaultCacheSize(diskBytes: 100 << 30) == 10 << 30)
        #expect(Settings.defaultCacheSize(diskBytes: .max) == 50 << 30)
        #expect(CacheSize("10%") == .percent(10))
        var settings = Settings()
        settings.cacheSize = .percent(100)
        #expect(settings.cacheBytes(diskBytes: .max) > .max / 2)
        #expect(CacheSize("0%") == nil)
        #expect(CacheSize("101%") == nil)
        #expect(CacheSize("0") == nil)
    }
}
