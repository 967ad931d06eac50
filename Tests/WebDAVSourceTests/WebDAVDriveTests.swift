import Bytes
import Diagnostics
import HTTPFiles
import SourceAPI
import TestSupport
import Testing
import Transport

@testable import WebDAVSource

/// The drive against a server that answers what a test says.
@Suite(.serialized) struct WebDAVDriveTests {
    private typealias Answer = LoopbackServer.Response

    private static func multistatus(_ text: String) -> LoopbackServer.Response {
        .init(207, [("Content-Type", "application/xml; charset=utf-8")], body: Array(text.utf8))
    }

    /// A multistatus of a directory or a file, for a path.
    private static func itself(_ path: String, isDirectory: Bool, members: String = "") -> LoopbackServer.Response {
        let properties =
            isDirectory ? "<D:resourcetype><D:collection/></D:resourcetype>" : "<D:resourcetype/><D:getcontentlength>7</D:getcontentlength>"
        return multistatus(
            "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>\(path)</D:href><D:propstat><D:prop>\(properties)</D:prop>"
                + "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>\(members)</D:multistatus>")
    }

    private func withDrive(
        at path: String = "dav/", _ answer: @escaping @Sendable (LoopbackServer.Request) -> LoopbackServer.Response,
        _ body: (WebDAVDrive, LoopbackServer) async throws -> Void
    ) async throws {
        let server = try LoopbackServer(answer)
        let client = HTTPClient(log: .silent)
        let drive = WebDAVDrive(address: try #require(HTTPURL(server.url + path)), client: client, access: HTTPAccess(), log: .silent)
        try await body(drive, server)
        client.shutdown()
        server.stop()
    }

    private func code(_ drive: WebDAVDrive, _ directory: EntryLocator? = nil) async -> SourceError.Code? {
        do throws(SourceError) {
            _ = try await drive.list(directory ?? drive.root)
            return nil
        } catch { return error.code }
    }

    @Test("a directory is asked once, with a slash, Depth 1 and explicit properties")
    func asks() async throws {
        try await withDrive(at: "dav", { _ in Self.multistatus(Multistatuses.apache) }) { drive, server in
            let listing = try await drive.list(drive.root)
            #expect(listing.entries.map { String(decoding: $0.name, as: UTF8.self) } == ["a b#.mkv", "sub"])
            #expect(listing.entries.map(\.locator.text) == ["/dav/a%20b%23.mkv", "/dav/sub/"])
            #expect(listing.entries[0].size == 1234)
            #expect(listing.entries[0].modified?.seconds == 1_709_210_096)
            #expect(listing.entries[0].entityTag == "\"4d2-2\"")
            #expect(listing.entries[1].kind == .directory && listing.entries[1].size == nil)
            #expect(server.requests.map(\.method) == ["PROPFIND"])
            #expect(server.requests.map(\.target) == ["/dav/"])
            #expect(server.requests.first?["depth"] == "1")
            let asked = String(decoding: server.requests.first?.body ?? [], as: UTF8.self)
            #expect(asked.contains("getcontentlength"))
        }
    }

    @Test("a listing that was cut off or refused inside a good reply is an error, wherever the reply says so", arguments: [true, false])
    func cutOff(comesFirst: Bool) async throws {
        let good =
            "<D:response><D:href>/dav/</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop>"
            + "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response><D:response><D:href>/dav/a</D:href></D:response>"
        let cut = "<D:response><D:href>/dav/</D:href><D:status>HTTP/1.1 507 Insufficient Storage</D:status></D:response>"
        let text = "<D:multistatus xmlns:D=\"DAV:\">\(comesFirst ? cut + good : good + cut)</D:multistatus>"
        try await withDrive({ _ in Self.multistatus(text) }) { drive, _ in #expect(await code(drive) == .malformed) }
        let refused =
            "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/</D:href><D:propstat><D:prop><D:resourcetype/></D:prop>"
            + "<D:status>HTTP/1.1 403 Forbidden</D:status></D:propstat></D:response></D:multistatus>"
        try await withDrive({ _ in Self.multistatus(refused) }) { drive, _ in #expect(await code(drive) == .denied) }
    }

    @Test("a quota is told where the server knows it, and no limit is no figure")
    func tellsQuota() async throws {
        try await withDrive({ _ in Self.multistatus(Multistatuses.nextcloud) }) { drive, _ in
            let listing = try await drive.list(drive.root)
            #expect(listing.quota == DirectoryListing.Quota(used: 4096, available: nil))
        }
    }

    @Test("a length of 0 is left to a probe, since some servers write it for one they do not know")
    func doubtsZero() async throws {
        try await withDrive({ _ in Self.multistatus(Multistatuses.file("<D:getcontentlength>0</D:getcontentlength>")) }) { drive, _ in
            let listing = try await drive.list(drive.root)
            #expect(listing.entries.map(\.size) == [nil])
        }
    }

    @Test("failures are told apart, and never look like an empty directory")
    func tellsFailures() async throws {
        let empty = "<D:multistatus xmlns:D=\"DAV:\"></D:multistatus>"
        let itself =
            "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/</D:href>"
            + "<D:status>HTTP/1.1 507 Insufficient</D:status></D:response></D:multistatus>"
        let cases: [(LoopbackServer.Response, SourceError.Code)] = [
            (.init(404), .notFound), (.init(401, [("WWW-Authenticate", "Basic realm=\"x\"")]), .loginRequired), (.init(403), .denied),
            (.init(405), .unsupported),
            (.init(501), .unsupported), (.init(200, [("Content-Type", "text/html")], body: Array("<html></html>".utf8)), .unsupported),
            (.init(204), .unsupported), (Self.multistatus("<html>login</html>"), .unsupported), (Self.multistatus(""), .malformed),
            (Self.multistatus(empty), .malformed),
            (Self.multistatus(String(Multistatuses.apache.dropLast(20))), .malformed), (Self.multistatus(itself), .malformed),
            (Self.itself("/elsewhere/", isDirectory: true), .malformed),
        ]
        for (answer, expected) in cases {
            try await withDrive({ _ in answer }) { drive, _ in
                let found = await code(drive)
                #expect(found == expected, "status \(answer.status): \(String(decoding: answer.body.prefix(80), as: UTF8.self))")
            }
        }
    }

    @Test("a listing that ends with its connection, without a length told, is an error wherever it was cut")
    func refusesCutBody() async throws {
        let head = "HTTP/1.0 207 Multi-Status\r\nContent-Type: text/xml\r\n\r\n"
        for missing in [1, 14, 200, 900] {
            let raw = Array((head + Multistatuses.apache.dropLast(missing)).utf8)
            try await withDrive({ _ in .init(207, raw: raw) }) { drive, _ in
                let found = await code(drive)
                #expect(found == .malformed, "\(missing) bytes missing")
            }
        }
    }

    @Test(
        "an address that is a file's shows this one file, whatever the server says of it with a slash", arguments: ["404", "403", "slash", "plain"])
    func showsOneFile(style: String) async throws {
        try await withDrive(at: "dav/a%20film.mkv") { request in
            if request.target == "/dav/a%20film.mkv" { return Self.itself("/dav/a%20film.mkv", isDirectory: false) }
            switch style {
            case "404": return .init(404)
            case "403": return .init(403)
            case "slash": return Self.itself("/dav/a%20film.mkv/", isDirectory: false)
            default: return Self.itself("/dav/a%20film.mkv", isDirectory: false)
            }
        } _: { drive, _ in
            let listing = try await drive.list(drive.root)
            #expect(listing.entries.map { String(decoding: $0.name, as: UTF8.self) } == ["a film.mkv"])
            #expect(listing.entries.map(\.locator.text) == ["/dav/a%20film.mkv"])
            #expect(listing.entries.map(\.size) == [7])
            #expect(listing.entries.map(\.kind) == [.file])
        }
    }

    @Test("a directory that became a file is gone")
    func noticesReplacedDirectory() async throws {
        try await withDrive({ request in Self.itself(request.target, isDirectory: false) }) { drive, _ in
            let found = await code(drive, EntryLocator("/dav/sub/"))
            #expect(found == .notFound)
        }
    }

    @Test("a truly empty directory is empty")
    func listsEmptyDirectory() async throws {
        try await withDrive({ request in Self.itself(request.target, isDirectory: true) }) { drive, _ in
            let listing = try await drive.list(drive.root)
            #expect(listing.entries.isEmpty)
        }
    }

    @Test("a shutdown ends the fetches under way")
    func endsFetches() async throws {
        try await withDrive({ _ in .init(206, [("Content-Range", "bytes 0-9/10"), ("ETag", "\"1\"")], body: Array("0123456789".utf8), stall: 5) }) {
            drive, server in
            let entry = RemoteEntry(name: [], kind: .file, locator: EntryLocator("/dav/a"), size: 10, cacheKey: "")
            let outcome: SourceError? = await withCheckedContinuation { continuation in
                let sink = EndSink { continuation.resume(returning: $0) }
                _ = drive.fetch(FetchRequest(entry: entry, range: .init(offset: 0, end: 10), pinned: nil), into: sink)
                Task.detached {
                    while server.requests.isEmpty { try? await Task.sleep(for: .milliseconds(10)) }
                    drive.shutdown()
                }
            }
            #expect(outcome?.code == .cancelled)
        }
    }

    @Test("a redirect is followed once on the same host, and the listing is about where it led")
    func followsRedirect() async throws {
        try await withDrive({ request in
            request.target == "/dav/"
                ? .init(301, [("Location", "/new/place/")])
                : Self.itself("/new/place/", isDirectory: true, members: "<D:response><D:href>/new/place/a</D:href></D:response>")
        }) { drive, server in
            let listing = try await drive.list(drive.root)
            #expect(listing.entries.map(\.locator.text) == ["/new/place/a"])
            #expect(server.requests.map(\.method) == ["PROPFIND", "PROPFIND"])
        }
    }

    @Test("names that may be encoded twice are asked for, once", arguments: [true, false])
    func asksForDoubleEncoding(isTwice: Bool) async throws {
        let member = "<D:response><D:href>/dav/a%2520b</D:href></D:response>"
        try await withDrive({ request in
            if request.target == "/dav/" { return Self.itself("/dav/", isDirectory: true, members: member) }
            return request.target == (isTwice ? "/dav/a%20b" : "/dav/a%2520b") ? Self.itself(request.target, isDirectory: false) : .init(404)
        }) { drive, server in
            for _ in 0..<2 {
                let listing = try await drive.list(drive.root)
                #expect(listing.entries.map { String(decoding: $0.name, as: UTF8.self) } == [isTwice ? "a b" : "a%20b"])
                #expect(listing.entries.map(\.locator.text) == [isTwice ? "/dav/a%20b" : "/dav/a%2520b"])
            }
            #expect(server.requests.count == (isTwice ? 4 : 3))
        }
    }

    @Test("a shut down drive starts nothing, and its fetches end with cancelled")
    func shutsDown() async throws {
        try await withDrive({ _ in .init(200) }) { drive, server in
            drive.shutdown()
            let entry = RemoteEntry(name: [], kind: .file, locator: EntryLocator("/dav/a"), size: 1, cacheKey: "")
            let outcome: SourceError? = await withCheckedContinuation { continuation in
                _ = drive.fetch(
                    FetchRequest(entry: entry, range: .init(offset: 0, end: 1), pinned: nil), into: EndSink { continuation.resume(returning: $0) })
            }
            #expect(outcome?.code == .cancelled)
            #expect(server.requests.isEmpty)
        }
    }
}

/// Hears only the end.
private final class EndSink: FetchSink {
    private let ended: @Sendable (SourceError?) -> Void

    init(_ ended: @escaping @Sendable (SourceError?) -> Void) { self.ended = ended }

    func begin(_ reply: FetchReply) -> FetchDecision { .proceed }
    func receive(_ bytes: UnsafeRawBufferPointer) -> FetchDecision { .proceed }
    func end(_ error: SourceError?) { ended(error) }
}
