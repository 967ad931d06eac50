import Diagnostics
import HTTPFiles
import Testing
import Transport

@Suite("A cache key")
struct CacheKeyTests {
    private func key(_ url: String, _ rule: CacheKeyRule = CacheKeyRule(), access: HTTPAccess = HTTPAccess()) throws -> String {
        let client = HTTPClient(log: .silent)
        return HTTPFiles(client: client, access: access, options: HTTPFileOptions(cacheKeyRule: rule), log: .silent)
            .cacheKey(for: try #require(HTTPURL(url)))
    }

    @Test("the URL is the key when no rule says otherwise")
    func plain() throws {
        #expect(try key("http://HOST:80/a%20b?x=1#part") == "http://host/a%20b?x=1")
        #expect(try key("http://host/a?x=1") != key("http://host/a?x=2"))
    }

    @Test("a query is stripped whole, or by names")
    func stripped() throws {
        #expect(try key("http://h/a?token=1&sig=2", CacheKeyRule(strippedQuery: .everything)) == "http://h/a")
        let rule = CacheKeyRule(strippedQuery: .names(["token", "sig"]))
        #expect(try key("http://h/a?token=1&id=7&sig=2&x", rule) == "http://h/a?id=7&x")
        #expect(try key("http://h/a?token=1", rule) == "http://h/a")
        #expect(try key("http://h/a?tokens=1", rule) == "http://h/a?tokens=1")
    }

    @Test(
        "links that differ in a token only share one key",
        arguments: [
            ("http://cdn1.host/a", "//cdn1.host/", "//cdn/", "http://cdn/a"), ("http://host/t/abc123/f.mkv", "/t/*/", "/", "http://host/f.mkv"),
            ("http://host/a", "other", "x", "http://host/a"), ("http://host/x/y/z", "/x/*z", "/", "http://host/x/y/z"),
            ("http://edge7.host/a", "//*.host", "//host", "http://host/a"), ("http://host/key=1", "key=*", "", "http://host/"),
            ("http://host/a", "", "x", "http://host/a"), ("http://host/aab", "/*ab", "/", "http://host/"),
        ])
    func rewritten(url: String, from: String, to: String, expected: String) throws {
        #expect(try key(url, CacheKeyRule(rewrites: [.init(from: from, to: to)])) == expected)
    }

    @Test("users do not share, and secrets do not show")
    func users() throws {
        let secret = Secret("swordfish")
        let keys = try [
            key("http://h/a"), key("http://ann:swordfish@h/a"),
            key("http://h/a", access: HTTPAccess(credentials: .password(user: "bob", password: secret))),
            key("http://h/a", access: HTTPAccess(credentials: .bearer(secret))),
            key("http://h/a", access: HTTPAccess(credentials: .bearer(Secret("other")))),
            key("http://h/a", access: HTTPAccess(extraFields: [HTTPField("Cookie", "swordfish")])),
            key("http://h/a", access: HTTPAccess(credentials: .netrc(path: nil))),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { !$0.contains("swordfish") })
    }
}
