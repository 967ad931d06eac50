import Diagnostics
import HTTPFiles
import SourceAPI
import Synchronization
import TestSupport
import Testing
import Transport

@testable import HTTPIndexSource

/// The index against a server that answers what a test says.
@Suite(.serialized) struct HTTPIndexTests {
    private static func html(_ text: String, _ fields: [(name: String, value: String)] = []) -> LoopbackServer.Response {
        .init(200, [("Content-Type", "text/html; charset=utf-8")] + fields, body: Array(text.utf8))
    }

    private func withIndex(
        _ path: String, options: HTTPFileOptions = HTTPFileOptions(),
        _ answer: @escaping @Sendable (LoopbackServer.Request) -> LoopbackServer.Response,
        _ body: (HTTPIndex, LoopbackServer) async throws -> Void
    ) async throws {
        let server = try LoopbackServer(answer)
        let client = HTTPClient(log: .silent)
        let index = HTTPIndex(address: try #require(HTTPURL(server.url + path)), client: client, access: HTTPAccess(), options: options, log: .silent)
        try await body(index, server)
        client.shutdown()
        server.stop()
    }

    private func names(_ listing: DirectoryListing) -> [String] { listing.entries.map { String(decoding: $0.name, as: UTF8.self) } }

    private func code(_ index: HTTPIndex, _ directory: EntryLocator? = nil) async -> SourceError.Code? {
        do throws(SourceError) {
            _ = try await index.list(directory ?? index.root)
            return nil
        } catch { return error.code }
    }

    /// A file of 12 bytes, with ranges.
    private static func file(_ request: LoopbackServer.Request, _ fields: [(name: String, value: String)] = []) -> LoopbackServer.Response {
        let common = fields + [("Content-Type", "video/mp4"), ("ETag", "\"1\"")]
        guard request["range"] == "bytes=0-0" else { return .init(200, common, body: Array("twelve bytes".utf8)) }
        return .init(206, common + [("Content-Range", "bytes 0-0/12")], body: Array("t".utf8))
    }

    @Test("a directory without slash redirects to its index, whose links are below the final address")
    func followsToIndex() async throws {
        try await withIndex("x") { request in
            request.target == "/x" ? .init(301, [("Location", "/x/")]) : Self.html(IndexPages.nginx)
        } _: { index, _ in
            let listing = try await index.list(index.root)
            #expect(names(listing).first == "sub dir")
            #expect(listing.entries.first?.locator.text == "/x/sub%20dir/")
            let below = try await index.list(EntryLocator("/x/"))
            #expect(below.entries.count == listing.entries.count)
        }
    }

    @Test("a fault that passes is tried again, one that will not is told at once")
    func triesAgain() async throws {
        let asked = Mutex<[String: Int]>([:])
        try await withIndex("x/") { request in
            let number = asked.withLock { asked in
                asked[request.target, default: 0] += 1
                return asked[request.target, default: 0]
            }
            if request.target == "/x/" { return number == 1 ? .init(503, []) : Self.html(IndexPages.nginx) }
            return .init(403, [])
        } _: { index, _ in
            let listing = try await index.list(index.root)
            #expect(!listing.entries.isEmpty)
            #expect(await code(index, EntryLocator("/closed/")) == .denied)
        }
        #expect(asked.withLock { $0 } == ["/x/": 2, "/closed/": 1])
    }

    @Test("a JSON index is taken for what it says it is")
    func readsJSON() async throws {
        try await withIndex("x/") { _ in
            .init(200, [("Content-Type", "application/json")], body: Array("[{\"name\":\"a b\",\"type\":\"file\",\"size\":5}]".utf8))
        } _: { index, _ in
            let listing = try await index.list(index.root)
            #expect(names(listing) == ["a b"])
            #expect(listing.entries.map(\.size) == [5])
        }
    }

    @Test("an address that gives a file shows this file, with its exact size", arguments: ["film.mp4", "get?id=1", "download/"])
    func showsOneFile(path: String) async throws {
        try await withIndex(path) {
            Self.file($0)
        } _: { index, server in
            let listing = try await index.list(index.root)
            #expect(names(listing).first == ["film.mp4": "film.mp4", "get?id=1": "get", "download/": "download"][path])
            #expect(listing.entries.map(\.size) == [12])
            #expect(Set(server.requests.map(\.target)) == ["/\(path)"])
        }
    }

    @Test("a file is named by its Content-Disposition, without directories")
    func namesFile() async throws {
        try await withIndex("get?id=1") {
            Self.file($0, [("Content-Disposition", "attachment; filename=\"../x/film one.mp4\"")])
        } _: { index, _ in
            let listing = try await index.list(index.root)
            #expect(names(listing) == ["film one.mp4"])
        }
    }

    @Test("pages that are no index, logins and errors are errors")
    func tellsFailures() async throws {
        let cases: [(LoopbackServer.Response, SourceError.Code)] = [
            (.init(404), .notFound), (.init(403), .denied), (.init(401, [("WWW-Authenticate", "Basic realm=\"x\"")]), .loginRequired),
            (Self.html("<html><h1>Welcome</h1></html>"), .malformed), (Self.html(""), .malformed), (Self.html(IndexPages.login), .loginRequired),
            (.init(200, [("Content-Type", "application/json")], body: Array("{}".utf8)), .malformed),
            (.init(200, [("Content-Type", "application/json")], body: Array("[{\"name\":\"a\"".utf8)), .malformed),
        ]
        for (answer, expected) in cases {
            try await withIndex("x/", { _ in answer }) { index, _ in
                let found = await code(index)
                #expect(found == expected, "status \(answer.status): \(String(decoding: answer.body.prefix(80), as: UTF8.self))")
            }
        }
        try await withIndex("x/", { Self.file($0) }) { index, _ in
            let found = await code(index, EntryLocator("/x/sub/"))
            #expect(found == .malformed)
        }
    }

    @Test("a page without slash is an index only if it says so")
    func doubtsPages() async throws {
        try await withIndex("x", { _ in Self.html("<html><a href=\"/x/about\">About</a></html>") }) { index, _ in
            let found = await code(index)
            #expect(found == .malformed)
        }
        try await withIndex("x", { _ in Self.html("<html><h1>Index of /x</h1><a href=\"/x/a\">a</a></html>") }) { index, _ in
            let listing = try await index.list(index.root)
            #expect(names(listing) == ["a"])
        }
    }

    @Test("a page in place of the one asked for is an index only if it says so")
    func doubtsRedirects() async throws {
        let home = "<html><a href=\"about\">About</a><a href=\"news/\">News</a></html>"
        try await withIndex("x/", { $0.target == "/x/" ? .init(302, [("Location", "/")]) : Self.html(home) }) { index, _ in
            let found = await code(index)
            #expect(found == .malformed)
        }
        try await withIndex("", { _ in Self.html(home) }) { index, _ in
            let listing = try await index.list(index.root)
            #expect(names(listing) == ["about", "news"])
        }
    }

    @Test("a page whose end is told by the connection alone must show its end")
    func refusesCutPage() async throws {
        let head = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n"
        try await withIndex("x/", { _ in .init(200, raw: Array((head + String(IndexPages.nginx.dropLast(60))).utf8)) }) { index, _ in
            let found = await code(index)
            #expect(found == .malformed)
        }
        try await withIndex("x/", { _ in .init(200, raw: Array((head + IndexPages.nginx).utf8)) }) { index, _ in
            let listing = try await index.list(index.root)
            #expect(listing.entries.count == 4)
        }
    }

    @Test("an index on another origin is followed, but nothing secret goes there")
    func keepsSecretsHome() async throws {
        let other = try LoopbackServer { _ in Self.html(IndexPages.nginx) }
        let home = try LoopbackServer.redirecting(to: "http://127.0.0.1:\(other.port)")
        let client = HTTPClient(log: .silent)
        let access = HTTPAccess(credentials: .bearer(Secret("token")), extraFields: [HTTPField("X-Secret", "1")])
        let index = HTTPIndex(address: try #require(HTTPURL(home.url + "x/")), client: client, access: access, log: .silent)
        let listing = try await index.list(index.root)
        let file = try #require(listing.entries.first { $0.kind == .directory })
        #expect(file.locator.text == "http://127.0.0.1:\(other.port)/x/sub%20dir/")
        _ = try? await index.list(file.locator)
        #expect(other.requests.count == 2)
        #expect(other.requests.allSatisfy { $0["authorization"] == nil && $0["x-secret"] == nil })
        #expect(home.requests.allSatisfy { $0["authorization"] == "Bearer token" })
        client.shutdown()
        other.stop()
        home.stop()
    }
}
