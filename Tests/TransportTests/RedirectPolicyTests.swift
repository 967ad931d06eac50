import Diagnostics
import Testing

@testable import Transport

@Suite("The rules on redirects")
struct RedirectPolicyTests {
    private func decide(
        _ status: Int, _ location: String?, from: String = "https://example.org/a/b?c", method: String = "GET", followed: Int = 0,
        cameFromPublic: Bool = true, access: HTTPAccess = HTTPAccess()
    ) throws -> RedirectPolicy.Decision {
        RedirectPolicy(access: access).decide(
            status: status, location: location, method: method, from: try #require(HTTPURL(from)), followed: followed, cameFromPublic: cameFromPublic)
    }

    private func target(_ decision: RedirectPolicy.Decision) -> String? {
        if case .follow(let url, _, _) = decision { url.text } else { nil }
    }

    private func isRefused(_ decision: RedirectPolicy.Decision) -> Bool {
        if case .refuse = decision { true } else { false }
    }

    @Test("five statuses with a Location are followed, all else is the answer")
    func statuses() throws {
        for status in [301, 302, 303, 307, 308] { #expect(try target(decide(status, "/x")) == "https://example.org/x") }
        for status in [200, 206, 300, 304, 305, 401, 404] { #expect(try decide(status, "/x") == .deliver) }
        #expect(try decide(302, nil) == .deliver)
        #expect(try decide(302, "") == .deliver)
    }

    @Test("from https to http only when allowed, and never to another scheme")
    func schemes() throws {
        #expect(try isRefused(decide(302, "http://example.org/x")))
        #expect(try target(decide(302, "http://example.org/x", access: HTTPAccess(allowsInsecureRedirects: true))) == "http://example.org/x")
        #expect(try target(decide(302, "https://example.org/x", from: "http://example.org/")) == "https://example.org/x")
        for location in ["file:///etc/passwd", "ftp://example.org/x", "gopher://example.org/", "javascript:alert(1)", "data:,x", "dict://h:1/"] {
            #expect(
                try isRefused(decide(302, location, access: HTTPAccess(allowsPrivateRedirects: true, allowsInsecureRedirects: true))), "\(location)")
        }
    }

    @Test(
        "a public origin does not lead to this machine or its network, however the address is written",
        arguments: [
            "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
            "0.0.0.0",
            "[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[::ffff:a00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "localhost",
            "a.localhost",
        ])
    func privateTargets(host: String) throws {
        #expect(try isRefused(decide(302, "https://\(host)/x")))
        #expect(try !isRefused(decide(302, "https://\(host)/x", cameFromPublic: false)))
        #expect(try !isRefused(decide(302, "https://\(host)/x", access: HTTPAccess(allowsPrivateRedirects: true))))
    }

    @Test(
        "public addresses and names are followed",
        arguments: ["8.8.8.8", "172.32.0.1", "100.128.0.1", "[2606:4700::1]", "[::ffff:8.8.8.8]", "cdn.example.net"])
    func publicTargets(host: String) throws {
        #expect(try !isRefused(decide(302, "https://\(host)/x")))
    }

    @Test("ten redirects are followed, not eleven")
    func count() throws {
        #expect(try target(decide(302, "/x", followed: 9)) != nil)
        #expect(try decide(302, "/x", followed: 10) == .refuse(.tooManyRedirects, "more than 10 redirects"))
    }

    @Test("a method with a meaning is sent once more, to the same host only")
    func methods() throws {
        for status in [301, 302, 303, 307, 308] {
            guard case .follow(_, let method, let keepsBody) = try decide(status, "/x/", method: "PROPFIND") else {
                Issue.record("\(status) was not followed")
                continue
            }
            #expect(method == "PROPFIND" && keepsBody)
        }
        #expect(try decide(301, "/x/", method: "PROPFIND", followed: 1) == .deliver)
        #expect(try decide(301, "https://other.org/x/", method: "PROPFIND") == .deliver)
    }
}

@Suite("A URL")
struct HTTPURLTests {
    @Test(
        "a reference is resolved as RFC 3986 §5.4 shows",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g/"),
            ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
            (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
            ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"),
            ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("https://b/../c", "https://b/c"),
        ])
    func resolving(reference: String, expected: String) throws {
        #expect(try #require(HTTPURL("http://a/b/c/d;p?q")).resolving(reference)?.text == expected)
    }

    @Test(
        "what is no http URL is none",
        arguments: [
            "", "a", "/a", "//a/b", "ftp://a/", "file:///a", "http:", "http://", "http:///a", "http://a:99999/", "http://a b/", "http://a/\r\nX: y",
            "http://a\u{0}/",
            "http://[::1/", "mailto:a@b", "http://a:b:c/",
        ])
    func invalid(text: String) { #expect(HTTPURL(text) == nil) }

    @Test("parts are kept as given, and what no URL may hold is encoded")
    func parts() throws {
        let url = try #require(HTTPURL("HTTPS://Ann%40x:p%3Aw@Example.ORG:8443/a b/é/%2e%2E/%c3?x=[1] 2#f"))
        #expect(url.scheme == "https" && url.host == "example.org" && url.port == 8443)
        #expect(url.user == "Ann@x" && url.password?.reveal() == "p:w")
        #expect(url.path == "/a%20b/%C3%A9/%2e%2E/%c3" && url.query == "x=[1]%202")
        #expect(url.text == "https://example.org:8443/a%20b/%C3%A9/%2e%2E/%c3?x=[1]%202")
        #expect(!"\(url)".contains("p:w") && url.redacted == "https://example.org:8443/a%20b/%C3%A9/%2e%2E/%c3?x=…")
        #expect(
            HTTPURL("http://a")?.text == "http://a/" && HTTPURL("http://a?b")?.text == "http://a/?b" && HTTPURL("http://a:80/")?.text == "http://a/")
        #expect(HTTPURL("http://[::1]:8080/x")?.text == "http://[::1]:8080/x")
        #expect(HTTPURL("http://good.org\\@evil.org/").map(\.host) != "good.org")
    }

    @Test("a text of any bytes never traps")
    func hostile() {
        var generator = SystemRandomNumberGenerator()
        let pieces = [
            "http://", "https:", "//", "a", ":", "@", "[", "]", "%", "%zz", "..", "/", "?", "#", "\\", " ", "é", "\u{0}", "0x7f.1", "99999", "\r\n",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            _ = HTTPURL(text)?.resolving(text)
            _ = HTTPURL("http://a/b")?.resolving(text)
        }
    }
}
