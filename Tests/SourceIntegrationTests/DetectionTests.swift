import Diagnostics
import SourceAPI
import SourceDetection
import TestSupport
import Testing
import Transport

/// What an address is, is found out by asking it.
@Suite("Detection", .serialized) struct DetectionTests {
    private func kind(_ url: String, _ access: HTTPAccess = HTTPAccess()) async throws -> SourceDetector.Kind {
        let client = HTTPClient(log: .silent)
        defer { client.shutdown() }
        return try await SourceDetector(client: client).kind(of: try #require(HTTPURL(url)), access: access)
    }

    @Test("real servers are what they are", .enabled(if: Nginx.missing == nil && Rclone.missing == nil && Lighttpd.missing == nil))
    func realServers() async throws {
        let directory = try TemporaryDirectory("detect")
        let root = try directory.directory("root")
        try FileTree.write(Array("https://h/a\n# b\nhttps://h/c|d|5\n".utf8), to: "\(root)/links.txt")
        try FileTree.write(Array("Dear reader,\nhttps://h/a\n".utf8), to: "\(root)/letter.txt")
        try FileTree.write([1, 2, 3], to: "\(root)/film.mkv")
        let rclone = try await Rclone.start(root)
        #expect(try await kind(rclone.url) == .webdav)
        #expect(try await kind(rclone.url + "film.mkv") == .webdav)
        let nginx = try await Nginx.start(root)
        #expect(try await kind(nginx.url) == .webdav)
        for server in [try await PythonHTTP.start(root), try await Lighttpd.start(root)] {
            #expect(try await kind(server.url) == .http, "\(server.name)")
            #expect(try await kind(server.url + "film.mkv") == .http, "\(server.name)")
            #expect(try await kind(server.url + "links.txt") == .list, "\(server.name)")
            #expect(try await kind(server.url + "letter.txt") == .http, "\(server.name)")
            await server.stop()
        }
        await rclone.stop()
        await nginx.stop()
    }

    @Test("what wants credentials for every question is an error")
    func failures() async throws {
        let closed = try LoopbackServer { _ in .init(401, [("WWW-Authenticate", "Basic realm=\"x\"")]) }
        await #expect { _ = try await kind(closed.url) } throws: { ($0 as? SourceError)?.code == .loginRequired }
        closed.stop()
    }

    @Test("OPTIONS is not asked, and a DAV field is not believed")
    func distrustsOptions() async throws {
        let server = try LoopbackServer { request in
            request.method == "PROPFIND"
                ? .init(207, [("DAV", "1,2"), ("Content-Type", "text/html")], body: Array("<html></html>".utf8))
                : .init(200, [("DAV", "1,2"), ("Content-Type", "text/html")], body: Array("<h1>Index of /</h1></html>".utf8))
        }
        #expect(try await kind(server.url) == .http)
        #expect(server.requests.allSatisfy { $0.method != "OPTIONS" })
        server.stop()
    }

    @Test(
        "schemes and local paths say it alone",
        arguments: [("webdav://h/", SourceDetector.Kind.webdav), ("davs://h/", .webdav), ("/home/x/links.txt", .list)])
    func byText(address: String, expected: SourceDetector.Kind) { #expect(SourceDetector.kind(of: address) == expected) }
}
