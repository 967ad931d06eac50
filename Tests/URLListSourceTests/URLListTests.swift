import Diagnostics
import HTTPFiles
import SourceAPI
import TestSupport
import Testing
import Transport

@testable import URLListSource

@Suite(.serialized) struct URLListTests {
    private func names(_ listing: DirectoryListing) -> [String] { listing.entries.map { String(decoding: $0.name, as: UTF8.self) } }

    private func code(_ list: URLList) async -> SourceError.Code? {
        do throws(SourceError) {
            _ = try await list.list(list.root)
            return nil
        } catch { return error.code }
    }

    @Test("a file of links becomes directories and files; bad lines are told, good ones kept")
    func listsFile() async throws {
        let directory = try TemporaryDirectory("list")
        let path = try directory.file(
            "links.txt", "https://h/a|films/x.mkv|5\nhttps://h/b|films/deep/y.mkv\nbad\nhttps://h/c.txt\nhttps://h/c.txt\nhttps://h/d|c.txt\n")
        let client = HTTPClient(log: .silent)
        let list = URLList(place: .file(path), client: client, access: HTTPAccess(), log: .silent)
        let root = try await list.list(list.root)
        #expect(names(root) == ["films", "c.txt", "c.txt"])
        #expect(root.entries.map(\.kind) == [.directory, .file, .file])
        #expect(list.problems.map(\.line) == [3])
        let films = try await list.list(root.entries[0].locator)
        #expect(names(films) == ["x.mkv", "deep"])
        #expect(films.entries.map(\.size) == [5, nil])
        #expect(names(try await list.list(films.entries[1].locator)) == ["y.mkv"])
        #expect(Set(root.entries.map(\.locator)).count == 3)
        client.shutdown()
    }

    @Test("a list without links is an error, and so is one that cannot be read", arguments: ["", "# nothing\n\n", "bad\n"])
    func refusesEmpty(text: String) async throws {
        let directory = try TemporaryDirectory("list")
        let path = try directory.file("links.txt", text)
        let client = HTTPClient(log: .silent)
        #expect(await code(URLList(place: .file(path), client: client, access: HTTPAccess(), log: .silent)) == .malformed)
        #expect(await code(URLList(place: .file(path + "x"), client: client, access: HTTPAccess(), log: .silent)) == .notFound)
        #expect(await code(URLList(place: .file(directory.path), client: client, access: HTTPAccess(), log: .silent)) == .refused)
        client.shutdown()
    }

    @Test("a list whose directories would take many times its own size is cut where that begins, and says so")
    func boundsDirectories() async throws {
        let directory = try TemporaryDirectory("list")
        let deep = String(repeating: "/" + String(repeating: "n", count: 60), count: 60)
        let path = try directory.file("links.txt", (0..<400).map { "https://h/a|\($0)\(deep)/f|5\n" }.joined())
        let client = HTTPClient(log: .silent)
        let list = URLList(place: .file(path), client: client, access: HTTPAccess(), log: .silent)
        let count = try await list.list(list.root).entries.count
        #expect(count > 50 && count < 200)
        #expect(list.problems.map(\.line) == [count + 1])
        client.shutdown()
    }

    @Test("a list from an address gives its origin the credentials, and no other origin that it names")
    func keepsSecretsHome() async throws {
        let answer: @Sendable (LoopbackServer.Request) -> LoopbackServer.Response = { request in
            let common = [(name: "ETag", value: "\"1\""), (name: "Content-Type", value: "text/plain")]
            return request["range"] == nil
                ? .init(200, common, body: Array("hello".utf8)) : .init(206, common + [("Content-Range", "bytes 0-0/5")], body: Array("h".utf8))
        }
        let other = try LoopbackServer(answer)
        let otherURL = other.url
        let home = try LoopbackServer { request in
            request.target == "/links.txt"
                ? .init(200, [("Content-Type", "text/plain")], body: Array("\(otherURL)o\nhttp://\(request["host"] ?? "")/h\n".utf8))
                : answer(request)
        }
        let client = HTTPClient(log: .silent)
        let access = HTTPAccess(credentials: .bearer(Secret("token")), extraFields: [HTTPField("X-Secret", "1")])
        let list = URLList(place: .address(try #require(HTTPURL(home.url + "links.txt"))), client: client, access: access, log: .silent)
        let listing = try await list.list(list.root)
        #expect(names(listing) == ["o", "h"])
        for entry in listing.entries { #expect(try await list.probe(entry).size == 5) }
        #expect(!other.requests.isEmpty)
        #expect(other.requests.allSatisfy { $0["authorization"] == nil && $0["x-secret"] == nil })
        #expect(home.requests.allSatisfy { $0["authorization"] == "Bearer token" && $0["x-secret"] == "1" })
        client.shutdown()
        other.stop()
        home.stop()
    }

    @Test("a local list gives its links the credentials as long as all lead to one origin")
    func trustsOneOrigin() async throws {
        let answer: @Sendable (LoopbackServer.Request) -> LoopbackServer.Response = { _ in
            .init(206, [("ETag", "\"1\""), ("Content-Range", "bytes 0-0/5")], body: Array("h".utf8))
        }
        let first = try LoopbackServer(answer), second = try LoopbackServer(answer)
        let directory = try TemporaryDirectory("list")
        let client = HTTPClient(log: .silent)
        let access = HTTPAccess(credentials: .bearer(Secret("token")))
        for (text, isTrusted) in [("\(first.url)a\n\(first.url)b\n", true), ("\(first.url)a\n\(second.url)b\n", false)] {
            let list = URLList(place: .file(try directory.file("links.txt", text)), client: client, access: access, log: .silent)
            let listing = try await list.list(list.root)
            let count = first.requests.count
            for entry in listing.entries { #expect(try await list.probe(entry).size == 5) }
            #expect(first.requests.dropFirst(count).allSatisfy { ($0["authorization"] == "Bearer token") == isTrusted })
            #expect(listing.entries.allSatisfy { $0.cacheKey.contains("bearer") == isTrusted })
        }
        #expect(second.requests.map { $0["authorization"] } == [nil])
        client.shutdown()
        first.stop()
        second.stop()
    }

    @Test("a page in place of the list is an error")
    func refusesPage() async throws {
        let server = try LoopbackServer { _ in .init(200, [("Content-Type", "text/html")], body: Array("<html>https://h/a</html>".utf8)) }
        let client = HTTPClient(log: .silent)
        let list = URLList(place: .address(try #require(HTTPURL(server.url + "links.txt"))), client: client, access: HTTPAccess(), log: .silent)
        #expect(await code(list) == .malformed)
        client.shutdown()
        server.stop()
    }
}
