import Bytes
import Testing

@testable import WebPaths

@Suite struct LinkPathTests {
    @Test(
        "an escape stays as it was written, what may not stand in a request line is escaped",
        arguments: [
            ("/a%20b%2bc", "/a%20b%2bc"), ("/a b", "/a%20b"), ("/100%", "/100%25"), ("/%zz", "/%25zz"), ("/é", "/%C3%A9"), ("/a?b#c", "/a%3Fb%23c"),
            ("//a", "/a"), ("/a//b/", "/a//b/"), ("/", "/"), ("/[x]", "/%5Bx%5D"), ("/a+b&c;d='e'", "/a+b&c;d='e'"),
        ])
    func encodes(given: String, expected: String) throws {
        let path = try #require(LinkPath(given))
        #expect(path.encoded == expected)
        #expect(LinkPath(path.encoded)?.segments == path.segments)
    }

    @Test("segments meaning . and .. are refused however they are written", arguments: ["/a/..", "/../a", "/%2e%2E/a", "/a/%2e", "/./a", "a", ""])
    func refusesDots(text: String) { #expect(LinkPath(text) == nil) }

    @Test("an encoded slash stays inside its segment")
    func keepsEncodedSlash() throws { #expect(try #require(LinkPath("/a/b%2Fc")).segments == [Array("a".utf8), Array("b/c".utf8)]) }

    @Test("a name is what is exactly one segment deeper")
    func names() throws {
        let base = try #require(LinkPath("/dav/my%20dir/"))
        #expect(LinkPath("/dav/my dir/x")?.name(in: base) == Array("x".utf8))
        #expect(LinkPath("//dav//my%20dir//x/")?.name(in: base) == Array("x".utf8))
        #expect(LinkPath("/dav/my%20dir/x/y")?.name(in: base) == nil)
        #expect(LinkPath("/dav/my%20dir")?.name(in: base) == nil)
        #expect(LinkPath("/dav/other/x")?.name(in: base) == nil)
    }

    @Test(
        "references are resolved as RFC 3986 §5.4 shows",
        arguments: [
            ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"),
            ("../g", "/b/g"),
            ("../..", "/"), ("../../g", "/g"), ("../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), ("..g", "/b/c/..g"),
            ("./g/.", "/b/c/g/"),
            ("g/../h", "/b/c/h"),
        ])
    func resolves(reference: String, expected: String) {
        #expect(String(decoding: LinkPath.resolve(Array(reference.utf8), against: "/b/c/d"), as: UTF8.self) == expected)
    }

    @Test("random names survive encoding and decoding")
    func randomNames() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let name = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                let byte = UInt8.random(in: 1...255, using: &random)
                return byte == 0x2F ? 0x25 : byte
            }
            guard name != [0x2E], name != [0x2E, 0x2E] else { continue }
            let path = try #require(LinkPath("/dav/" + PercentCoding.encodeSegment(name)), "\(name)")
            #expect(path.segments.last == name, "\(name)")
            #expect(LinkPath(path.encoded)?.segments.last == name, "\(name)")
        }
    }
}

@Suite struct LinkReferenceTests {
    @Test("a reference is split into its parts")
    func splits() {
        let whole = LinkReference("  HTTP://User:pw@Host:80/a b?q#f\n".utf8)
        #expect(whole.scheme == Array("http".utf8))
        #expect(whole.authority == Array("host:80".utf8))
        #expect(whole.path == Array("/a b".utf8))
        #expect(whole.hasQuery && whole.hasFragment)
        let relative = LinkReference("./a:b".utf8)
        #expect(relative.scheme == nil && relative.authority == nil)
        #expect(LinkReference("12:30.txt".utf8).scheme == nil)
        #expect(LinkReference("javascript:alert(1)".utf8).scheme == Array("javascript".utf8))
        #expect(LinkReference("//h/x".utf8).authority == Array("h".utf8))
    }
}

@Suite struct FileNameHintTests {
    @Test(
        "the name of a Content-Disposition field is one safe segment",
        arguments: [
            ("attachment; filename=\"a b.txt\"", "a b.txt"), ("attachment; filename=plain.bin; x=y", "plain.bin"),
            ("attachment; filename=\"a\\\"b\"", "a\"b"),
            ("attachment; filename=\"x.txt\"; filename*=UTF-8''%e7%94%b5%e5%bd%b1.mkv", "电影.mkv"),
            ("attachment; filename*=iso-8859-1'en'%E9.txt", "é.txt"),
            ("attachment; filename=\"../../etc/passwd\"", "passwd"), ("attachment; filename=\"C:\\\\dir\\\\f.txt\"", "f.txt"),
            ("attachment; FileName = x ", "x"),
            ("inline; filename*=UTF-8''%2e%2e; filename=ok", "ok"), ("attachment; filename=\"a\u{01}b\"", "ab"),
        ])
    func contentDisposition(field: String, expected: String) {
        #expect(FileNameHint.contentDisposition(field).map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test(
        "a field without a usable name gives none",
        arguments: [
            "", "attachment", "attachment; filename=", "attachment; filename=\"..\"", "attachment; filename=\"unended", "inline; filename", ";;;=;\"",
            "attachment; filename*=UTF-8''%FF%FE",
        ])
    func noName(field: String) {
        #expect(FileNameHint.contentDisposition(field).map { String(decoding: $0, as: UTF8.self) } == (field.hasSuffix("unended") ? "unended" : nil))
    }
}
