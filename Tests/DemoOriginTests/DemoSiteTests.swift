import Bytes
import Diagnostics
@testable import DemoOrigin
import TestSupport
import Testing

@Suite("The demo site, without a network")
struct DemoSiteTests {
    let directory: TemporaryDirectory
    let site: DemoSite
    let bytes: [UInt8]

    init() throws {
        directory = try TemporaryDirectory("site")
        bytes = try TreeMaker.makeFile(at: "\(directory.path)/file.bin", size: 1000)
        try FileTree.makeDirectory("\(directory.path)/sub/empty")
        try FileTree.write([], to: "\(directory.path)/sub/none.bin")
        site = DemoSite(tree: try ServedTree(root: directory.path), credentials: nil)
    }

    private func text(_ reply: DemoReply) -> String { if case .text(let text) = reply.body { text } else { "" } }

    private func served(_ reply: DemoReply) -> Range<UInt64>? {
        if case .file(_, let offset, let count) = reply.body { offset..<(offset + count) } else { nil }
    }

    @Test(
        "a range is cut as RFC 9110 says",
        arguments: [
            ("bytes=0-0", 206, 0..<1, "bytes 0-0/1000"), ("bytes=10-19", 206, 10..<20, "bytes 10-19/1000"),
            ("bytes=990-", 206, 990..<1000, "bytes 990-999/1000"), ("bytes=990-5000", 206, 990..<1000, "bytes 990-999/1000"),
            ("bytes=-10", 206, 990..<1000, "bytes 990-999/1000"), ("bytes=-5000", 206, 0..<1000, "bytes 0-999/1000"),
            ("bytes=0-18446744073709551615", 206, 0..<1000, "bytes 0-999/1000"),
            ("bytes=0-99999999999999999999999", 206, 0..<1000, "bytes 0-999/1000"),
            ("BYTES=1-2", 206, 1..<3, "bytes 1-2/1000"),
        ] as [(String, UInt32, Range<UInt64>, String)])
    func ranges(field: String, status: UInt32, range: Range<UInt64>, said: String) {
        let reply = site.answer(DemoRequest("GET", "/file.bin", ["range": field]))
        #expect(reply.status == status)
        #expect(served(reply) == range)
        #expect(reply["content-range"] == said)
    }

    @Test("what is no range of the file is 416", arguments: ["bytes=1000-", "bytes=1000-2000", "bytes=-0", "bytes=18446744073709551615-"])
    func unsatisfiable(field: String) {
        let reply = site.answer(DemoRequest("GET", "/file.bin", ["range": field]))
        #expect(reply.status == 416)
        #expect(reply["content-range"] == "bytes */1000")
    }

    @Test(
        "what is malformed, another unit or several ranges gets the whole file",
        arguments: ["bytes", "bytes=", "bytes=a-b", "bytes=5-4", "lines=1-2", "bytes=0-1,3-4", "bytes=--1", "bytes=1-2-3", "bytes=+1-2", "bytes=٣-٤"])
    func malformed(field: String) {
        let reply = site.answer(DemoRequest("GET", "/file.bin", ["range": field]))
        #expect(reply.status == 200)
        #expect(served(reply) == 0..<1000)
    }

    @Test("If-Range lets only this version's range through")
    func ifRange() throws {
        let tag = try #require(site.answer(DemoRequest("GET", "/file.bin"))["etag"])
        func status(_ condition: String) -> UInt32 {
            site.answer(DemoRequest("GET", "/file.bin", ["range": "bytes=0-0", "if-range": condition])).status
        }
        #expect(status(tag) == 206)
        #expect(status("W/" + tag) == 200)
        #expect(status("\"other\"") == 200)
        #expect(status("Thu, 29 Feb 2024 12:34:56 GMT") == 206)
        #expect(status("Thu, 29 Feb 2024 12:34:57 GMT") == 200)
        // Another version with the same size and time of modification.
        try TreeMaker.makeFile(at: "\(directory.path)/file.bin", size: 1000, seed: 77)
        #expect(status(tag) == 200)
    }

    @Test("conditions answer 304 and 412")
    func conditions() throws {
        let tag = try #require(site.answer(DemoRequest("GET", "/file.bin"))["etag"])
        func status(_ name: String, _ value: String) -> UInt32 { site.answer(DemoRequest("GET", "/file.bin", [name: value])).status }
        #expect(status("if-none-match", tag) == 304)
        #expect(status("if-none-match", "\"a\", W/\(tag)") == 304)
        #expect(status("if-none-match", "\"a\"") == 200)
        #expect(status("if-match", "\"a\"") == 412)
        #expect(status("if-match", tag) == 200)
        #expect(status("if-modified-since", "Thu, 29 Feb 2024 12:34:56 GMT") == 304)
        #expect(status("if-unmodified-since", "Thu, 29 Feb 2024 12:00:00 GMT") == 412)
    }

    @Test(
        "no path leads out of the tree",
        arguments: [
            "/../etc/passwd", "/sub/../../etc/passwd", "/%2e%2e/etc/passwd", "/sub/%2E%2e/file.bin", "/..%2fetc/passwd", "/sub%2fnone.bin",
            "/file.bin%00.txt",
            "file.bin", "", "..", "http:/", "/./file.bin",
        ])
    func traversal(target: String) {
        for method in ["GET", "PROPFIND"] {
            let status = site.answer(DemoRequest(method, target, ["depth": "1"])).status
            #expect(status == 400, "\(method) \(target) → \(status)")
        }
    }

    @Test("links are neither listed nor followed, pipes do not block")
    func links() async throws {
        for (target, name) in [("/etc/passwd", "link"), ("/etc", "dirlink"), ("file.bin", "inside")] {
            try await Command(["ln", "-s", target, "\(directory.path)/\(name)"]).check()
        }
        try await Command(["mkfifo", "\(directory.path)/pipe"]).check()
        for target in ["/link", "/dirlink/", "/dirlink/passwd", "/inside", "/pipe"] {
            #expect(site.answer(DemoRequest("GET", target)).status == 404, "\(target)")
        }
        let page = text(site.answer(DemoRequest("GET", "/")))
        #expect(page.contains("file.bin"))
        for name in ["link", "dirlink", "inside", "pipe"] { #expect(!page.contains("\"\(name)")) }
    }

    @Test("directories need their slash on GET, files may not have one")
    func slashes() {
        #expect(site.answer(DemoRequest("GET", "/sub")).status == 301)
        #expect(site.answer(DemoRequest("GET", "/sub"))["location"] == "/sub/")
        #expect(site.answer(DemoRequest("GET", "/sub/")).status == 200)
        #expect(site.answer(DemoRequest("GET", "/file.bin/")).status == 404)
        #expect(site.answer(DemoRequest("PROPFIND", "/sub", ["depth": "0"])).status == 207)
        #expect(site.answer(DemoRequest("GET", "http://127.0.0.1/file.bin")).status == 200)
    }

    @Test("PROPFIND lists one level; infinity is refused by name")
    func propfind() {
        let deep = text(site.answer(DemoRequest("PROPFIND", "/", ["depth": "1"])))
        #expect(deep.contains("<D:href>/</D:href>") && deep.contains("<D:href>/file.bin</D:href>") && deep.contains("<D:href>/sub/</D:href>"))
        #expect(deep.contains("<D:getcontentlength>1000</D:getcontentlength>"))
        #expect(!deep.contains("none.bin"))
        let flat = text(site.answer(DemoRequest("PROPFIND", "/", ["depth": "0"])))
        #expect(!flat.contains("file.bin"))
        for depth in [nil, "infinity"] {
            let reply = site.answer(DemoRequest("PROPFIND", "/", depth.map { ["depth": $0] } ?? [:]))
            #expect(reply.status == 403)
            #expect(text(reply).contains("propfind-finite-depth"))
        }
        #expect(site.answer(DemoRequest("PROPFIND", "/", ["depth": "2"])).status == 400)
    }

    @Test("what writes is refused", arguments: ["PUT", "DELETE", "MKCOL", "MOVE", "COPY", "PROPPATCH", "LOCK", "POST", "TRACE", "get", ""])
    func readOnly(method: String) {
        let reply = site.answer(DemoRequest(method, "/file.bin"))
        #expect(reply.status == 405)
        #expect(reply["allow"] == "OPTIONS, GET, HEAD, PROPFIND")
    }

    @Test("names are escaped in XML and HTML")
    func escaping() throws {
        try FileTree.write([], to: "\(directory.path)/a<b>&\"'\u{1}.txt")
        let xml = text(site.answer(DemoRequest("PROPFIND", "/", ["depth": "1"])))
        #expect(xml.contains("<D:href>/a%3Cb%3E%26%22%27%01.txt</D:href>"))
        #expect(xml.contains("<D:displayname>a&lt;b&gt;&amp;&quot;&#39;\u{FFFD}.txt</D:displayname>"))
        #expect(text(site.answer(DemoRequest("GET", "/"))).contains(">a&lt;b&gt;&amp;&quot;&#39;\u{FFFD}.txt</a>"))
    }

    @Test("only the right user and password come in")
    func login() throws {
        let closed = DemoSite(tree: try ServedTree(root: directory.path), credentials: DemoCredentials(user: "ann", password: Secret("pass:w#rd é")))
        func status(_ field: String?) -> UInt32 {
            closed.answer(DemoRequest("GET", "/file.bin", field.map { ["authorization": $0] } ?? [:])).status
        }
        #expect(status("Basic YW5uOnBhc3M6dyNyZCDDqQ==") == 200)
        #expect(status("basic YW5uOnBhc3M6dyNyZCDDqQ==") == 200)
        for wrong in [
            nil, "", "Basic", "Basic ", "Basic YW5uOnBhc3M6dyNyZCDDqQ", "Basic YW5uOnBhc3M6dyNyZCDDqQ==x", "Bearer YW5uOnBhc3M6dyNyZCDDqQ==",
        ] {
            #expect(status(wrong) == 401)
        }
        #expect(closed.answer(DemoRequest("GET", "/../x"))["www-authenticate"]?.hasPrefix("Basic ") == true)
    }

    @Test("random targets and fields never crash it and never serve what is not asked")
    func random() {
        var random = RepeatableRandom.forTest()
        let pieces = ["/", "..", ".", "%2e", "%2f", "%", "%zz", "sub", "file.bin", "none.bin", "\u{0}", "é", "?", "#", "http://", "//", "a"]
        let values = ["bytes=", "-", "0", "1", "99999999999999999999", ",", "W/", "\"x\"", "*", "é", "infinity", " "]
        for _ in 0..<3000 {
            let target = (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            var fields: [String: String] = [:]
            for name in ["range", "if-range", "if-match", "if-none-match", "depth"] where Bool.random(using: &random) {
                fields[name] = (0..<Int.random(in: 0...5, using: &random)).map { _ in values.randomElement(using: &random) ?? "" }.joined()
            }
            let reply = site.answer(DemoRequest(["GET", "HEAD", "PROPFIND"].randomElement(using: &random) ?? "GET", target, fields))
            #expect([200, 206, 207, 301, 304, 400, 403, 404, 412, 416].contains(reply.status), "seed \(random.seed): \(target) \(fields)")
            if let range = served(reply) { #expect(range.upperBound <= 1000) }
        }
    }
}
