import Bytes
import Diagnostics
import Synchronization
import TestSupport
import Testing
import Transport

@Suite("Following redirects", .serialized, .timeLimit(.minutes(1)))
struct RedirectTests {
    private static let secrets = HTTPAccess(
        credentials: .password(user: "ann", password: Secret("swordfish")),
        extraFields: [HTTPField("Cookie", "c=swordfish"), HTTPField("X-Token", "swordfish")])

    private func outcome(_ client: HTTPClient, _ request: HTTPRequest) async -> Result<HTTPResponse, TransportError> {
        do throws(TransportError) {
            return .success(try await client.send(request, maximumBody: 1 << 20))
        } catch {
            return .failure(error)
        }
    }

    private func code(_ result: Result<HTTPResponse, TransportError>) -> TransportError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test("on another port no credential, cookie, referer or field of the user arrives, but the range does", arguments: [301, 302, 303, 307, 308])
    func credentialsStay(status: Int) async throws {
        let other = ScriptedServer { _, _ in [.respond("206 Partial Content", ["Content-Range: bytes 0-9/10"], body: "0123456789")] }
        defer { other.stop() }
        let port = other.port
        let server = ScriptedServer { _, _ in [.respond("\(status) Elsewhere", ["Location: http://x:y@127.0.0.1:\(port)/target"], body: "moved")] }
        defer { server.stop() }
        let client = EngineTests.client()
        defer { client.shutdown() }
        let request = HTTPRequest(
            url: try EngineTests.url(server.base + "/start"),
            fields: [HTTPField("Authorization", "Custom swordfish"), HTTPField("Referer", "http://swordfish/"), HTTPField("Accept", "video/*")],
            range: FileRange(offset: 0, end: 10), access: Self.secrets)
        let response = try await outcome(client, request).get()
        #expect(response.head.status == 206 && response.head.url.text == other.base + "/target" && response.body.count == 10)
        let first = try #require(server.requests.first)
        let second = try #require(other.requests.first)
        #expect(first["Cookie"] == "c=swordfish" && first["X-Token"] == "swordfish" && first["Authorization"] != nil)
        #expect(!(second.fields.joined() + second.line).contains("swordfish"))
        for name in ["Authorization", "Cookie", "Referer", "X-Token"] { #expect(second[name] == nil, "\(name)") }
        #expect(second["Range"] == "bytes=0-9" && second["Accept"] == "video/*" && second["User-Agent"] == first["User-Agent"])
    }

    @Test("on the same origin everything goes along, and nothing comes back after a visit elsewhere")
    func sameOriginAndBack() async throws {
        let home = Home()
        let other = ScriptedServer { _, _ in [.respond("302 Found", ["Location: \(home.base.withLock { $0 })/back"])] }
        defer { other.stop() }
        let place = other.base
        let server = ScriptedServer { request, _ in
            switch request.path {
            case "/a": [.respond("302 Found", ["Location: b"])]
            case "/b": [.respond("302 Found", ["Location: \(place)/away"])]
            default: [.respond("200 OK", body: "end")]
            }
        }
        defer { server.stop() }
        home.base.withLock { $0 = server.base }
        let client = EngineTests.client()
        defer { client.shutdown() }
        let response = try await outcome(client, HTTPRequest(url: EngineTests.url(server.base + "/a"), access: Self.secrets)).get()
        #expect(response.body == Array("end".utf8))
        let seen = server.requests
        #expect(seen.map(\.path) == ["/a", "/b", "/back"])
        #expect(seen[1]["Authorization"] != nil && seen[1]["X-Token"] != nil)
        #expect(seen[2]["Authorization"] == nil && seen[2]["X-Token"] == nil && seen[2]["Cookie"] == nil)
    }

    @Test(
        "other schemes, loops and nonsense end with an error",
        arguments: [
            ("file:///etc/passwd", TransportError.Code.refused), ("ftp://127.0.0.1/x", .refused), ("gopher://127.0.0.1/", .refused),
            ("/loop", .tooManyRedirects),
            ("http://", .refused), ("http://a:99999/", .refused),
        ])
    func refused(location: String, expected: TransportError.Code) async throws {
        let server = ScriptedServer { _, _ in [.respond("302 Found", ["Location: \(location)"])] }
        defer { server.stop() }
        let client = EngineTests.client()
        defer { client.shutdown() }
        let result = await outcome(client, HTTPRequest(url: try EngineTests.url(server.base + "/loop")))
        #expect(code(result) == expected)
        #expect(server.requests.count == (expected == .refused ? 1 : 11))
    }

    @Test("a public origin does not lead to a private address, also not behind a name or on a connection that is open already")
    func publicToPrivate() async throws {
        // 127.0.0.2 plays the internet here, 127.0.0.1 the private network.
        let isPublic: @Sendable (NetworkAddress) -> Bool = { $0.bytes == [127, 0, 0, 2] }
        let inner = ScriptedServer { _, _ in [.respond("200 OK", body: "inner")] }
        defer { inner.stop() }
        let port = inner.port
        let outer = ScriptedServer(host: "127.0.0.2") { request, _ in
            switch request.path {
            case "/literal": [.respond("302 Found", ["Location: http://127.0.0.1:\(port)/"])]
            case "/mapped": [.respond("302 Found", ["Location: http://[::ffff:127.0.0.1]:\(port)/"])]
            case "/name": [.respond("302 Found", ["Location: http://localhost:\(port)/"])]
            default: [.respond("200 OK", body: "outer")]
            }
        }
        defer { outer.stop() }
        let outerBase = outer.base
        let toOuter = ScriptedServer { _, _ in [.respond("302 Found", ["Location: \(outerBase)/literal"])] }
        defer { toOuter.stop() }
        let client = HTTPClient(log: .silent, proxies: ProxyEnvironment([:]), isPublic: isPublic)
        defer { client.shutdown() }
        for path in ["/literal", "/mapped", "/name"] {
            #expect(code(await outcome(client, HTTPRequest(url: try EngineTests.url(outer.base + path)))) == .refused, "\(path)")
        }
        #expect(inner.connections == 0, "not even a connection is made")
        #expect(code(await outcome(client, HTTPRequest(url: try EngineTests.url(toOuter.base + "/")))) == .refused, "from private to public and back")
        // What the user names himself is fine, and does not open the way for others.
        #expect(try await outcome(client, HTTPRequest(url: EngineTests.url("http://127.0.0.1:\(port)/"))).get().body == Array("inner".utf8))
        #expect(code(await outcome(client, HTTPRequest(url: try EngineTests.url(outer.base + "/literal")))) == .refused)
        #expect(inner.requests.count == 1)
        let allowed = HTTPRequest(url: try EngineTests.url(outer.base + "/literal"), access: HTTPAccess(allowsPrivateRedirects: true))
        #expect(try await outcome(client, allowed).get().body == Array("inner".utf8))
    }

    @Test("a name that leads to a private address is refused where the connection is made", .enabled(if: LoopbackNames.other != nil))
    func rebinding() async throws {
        let inner = ScriptedServer { _, _ in [.respond("200 OK", body: "inner")] }
        defer { inner.stop() }
        let name = try #require(LoopbackNames.other)
        let port = inner.port
        let isPublic: @Sendable (NetworkAddress) -> Bool = { $0.bytes == [127, 0, 0, 2] }
        let outer = ScriptedServer(host: "127.0.0.2") { _, _ in [.respond("302 Found", ["Location: http://\(name):\(port)/"])] }
        defer { outer.stop() }
        let client = HTTPClient(log: .silent, proxies: ProxyEnvironment([:]), isPublic: isPublic)
        defer { client.shutdown() }
        #expect(code(await outcome(client, HTTPRequest(url: try EngineTests.url(outer.base + "/")))) == .refused)
        #expect(inner.connections == 0)
    }

    @Test("PROPFIND is sent again with its body, once, and only to the same host")
    func propfind() async throws {
        let other = ScriptedServer(host: "127.0.0.2") { _, _ in [.respond("207 Multi-Status")] }
        defer { other.stop() }
        let place = other.base
        let server = ScriptedServer { request, _ in
            switch request.path {
            case "/d": [.respond("301 Moved", ["Location: /d/"])]
            case "/twice": [.respond("301 Moved", ["Location: /d"])]
            case "/away": [.respond("302 Found", ["Location: \(place)/d/"])]
            default: [.respond("207 Multi-Status", body: "<x/>")]
            }
        }
        defer { server.stop() }
        let client = EngineTests.client()
        defer { client.shutdown() }
        func ask(_ path: String) async throws -> Int {
            let request = HTTPRequest(
                method: "PROPFIND", url: try EngineTests.url(server.base + path), fields: [HTTPField("Depth", "1")], body: Array("<p/>".utf8))
            return try await outcome(client, request).get().head.status
        }
        #expect(try await ask("/d") == 207)
        #expect(
            server.requests.last?.line == "PROPFIND /d/ HTTP/1.1" && server.requests.last?.body == "<p/>" && server.requests.last?["Depth"] == "1")
        #expect(try await ask("/twice") == 301)
        #expect(try await ask("/away") == 302)
        #expect(other.requests.isEmpty)
    }

    @Test("a long page that comes with a redirect is not waited for")
    func longRedirectBody() async throws {
        let server = ScriptedServer { request, _ in
            request.path == "/a"
                ? [
                    .send("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 100000000\r\n\r\n" + String(repeating: "x", count: 300_000)),
                    .wait(milliseconds: 3000), .close,
                ] : [.respond("200 OK", body: "b")]
        }
        defer { server.stop() }
        let client = EngineTests.client()
        defer { client.shutdown() }
        let start = ContinuousClock.now
        #expect(try await outcome(client, HTTPRequest(url: EngineTests.url(server.base + "/a"))).get().body == Array("b".utf8))
        #expect(start.duration(to: .now) < .seconds(2))
    }
}

/// Where a server that is started later is.
private final class Home: Sendable {
    let base = Mutex("")
}

/// Finds a name of /etc/hosts for 127.0.0.1 that is not `localhost`.
private enum LoopbackNames {
    static let other: String? = {
        guard let bytes = try? FileTree.read("/etc/hosts") else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard let address = words.first, NetworkAddress(String(address))?.isPublic == false else { continue }
            if let name = words.dropFirst().first(where: { $0 != "localhost" && !$0.hasSuffix(".localhost") && $0.contains(where: \.isLetter) }) {
                return String(name)
            }
        }
        return nil
    }()
}
