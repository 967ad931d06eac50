import Bytes
import Diagnostics
import TestSupport
import Testing
import Transport

@Suite("Identifying", .serialized, .timeLimit(.minutes(2)))
struct AuthenticationTests {
    private static let password = HTTPAccess(credentials: .password(user: "ann", password: Secret("swordfish")))
    private static let basic = "Basic YW5uOnN3b3JkZmlzaA=="

    /// The non-loopback names of this machine cannot be counted on: what is sent unasked is tested on loopback alone.
    @Test("Basic goes out at once on loopback, bearer tokens and netrc files as well")
    func preemptive() async throws {
        let server = ScriptedServer { _, _ in [.respond("200 OK")] }
        defer { server.stop() }
        let client = EngineTests.client()
        defer { client.shutdown() }
        let directory = try TemporaryDirectory("netrc")
        let netrc = try directory.file("netrc", "machine 127.0.0.1 login ann password swordfish\n")
        let url = try EngineTests.url(server.base + "/")
        let withUser = try EngineTests.url("http://ann:swordfish@127.0.0.1:\(server.port)/")
        _ = try await client.send(HTTPRequest(url: url, access: Self.password), maximumBody: 10)
        _ = try await client.send(HTTPRequest(url: withUser), maximumBody: 10)
        _ = try await client.send(HTTPRequest(url: url, access: HTTPAccess(credentials: .netrc(path: netrc))), maximumBody: 10)
        _ = try await client.send(HTTPRequest(url: url, access: HTTPAccess(credentials: .bearer(Secret("abc.def")))), maximumBody: 10)
        _ = try await client.send(HTTPRequest(url: url), maximumBody: 10)
        #expect(server.requests.map { $0["Authorization"] } == [Self.basic, Self.basic, Self.basic, "Bearer abc.def", nil])
        #expect(server.requests.allSatisfy { !$0.line.contains("swordfish") })
    }

    @Test("a Digest challenge is answered in its algorithm, and asked for only once", arguments: ["MD5", "SHA-256", "MD5-sess"])
    func digest(algorithm: String) async throws {
        let server = ScriptedServer { request, _ in
            guard let answer = request["Authorization"], answer.hasPrefix("Digest ") else {
                return [
                    .respond(
                        "401 No", ["WWW-Authenticate: Digest realm=\"r\", qop=\"auth\", nonce=\"n1\", algorithm=\(algorithm)"], body: "who are you?")
                ]
            }
            return [.respond("207 Multi-Status", body: request.body)]
        }
        defer { server.stop() }
        let client = EngineTests.client()
        defer { client.shutdown() }
        let url = try EngineTests.url(server.base + "/d%20x/?q=1")
        for _ in 0..<3 {
            let request = HTTPRequest(method: "PROPFIND", url: url, body: Array("<p/>".utf8), access: Self.password)
            let response = try await client.send(request, maximumBody: 100)
            #expect(response.head.status == 207 && response.body == Array("<p/>".utf8))
        }
        let answers = server.requests.compactMap { $0["Authorization"] }.filter { $0.hasPrefix("Digest ") }
        #expect(answers.count == 3 && server.requests.count <= 5, "\(server.requests.map(\.line))")
        #expect(answers.allSatisfy { $0.contains("username=\"ann\"") && $0.contains("uri=\"/d%20x/?q=1\"") && $0.contains("algorithm=\(algorithm)") })
        #expect(answers.last?.contains("nc=00000003") == true)
    }

    @Test("a wrong password is told by one 401, not tried again and again")
    func wrong() async throws {
        let server = ScriptedServer { _, _ in
            [.respond("401 No", ["WWW-Authenticate: Digest realm=\"r\", qop=\"auth\", nonce=\"n1\"", "WWW-Authenticate: Basic realm=\"r\""])]
        }
        defer { server.stop() }
        let client = EngineTests.client()
        defer { client.shutdown() }
        let response = try await client.send(HTTPRequest(url: EngineTests.url(server.base + "/"), access: Self.password), maximumBody: 100)
        #expect(response.head.status == 401 && server.requests.count <= 3)
        let anonymous = try await client.send(HTTPRequest(url: EngineTests.url(server.base + "/")), maximumBody: 100)
        #expect(anonymous.head.status == 401)
    }

    @Test("Apache's Digest lets the right password in, over and over, and no other", .enabled(if: Apache.missing == nil))
    func apache() async throws {
        let directory = try TemporaryDirectory("digest")
        _ = try directory.file("a.txt", "content")
        let options = ServerOptions(login: .digest)
        let server = try await Apache.start(directory.path, options)
        let client = EngineTests.client()
        defer { client.shutdown() }
        let url = try EngineTests.url(server.url + "a.txt")
        let right = HTTPAccess(credentials: .password(user: options.user, password: Secret(options.password)))
        for _ in 0..<5 {
            let response = try await client.send(HTTPRequest(url: url, range: FileRange(offset: 1, end: 4), access: right), maximumBody: 100)
            #expect(response.head.status == 206 && response.body == Array("ont".utf8))
        }
        #expect(client.statistics.requests <= 7)
        let wrong = HTTPAccess(credentials: .password(user: options.user, password: Secret("guess")))
        #expect(try await client.send(HTTPRequest(url: url, access: wrong), maximumBody: 1000).head.status == 401)
        await server.stop()
    }

    @Test(
        "TLS: a certificate of an unknown authority fails for good, with the authority named HTTP/2 streams share a connection",
        .enabled(if: Nginx.missing == nil))
    func tls() async throws {
        let directory = try TemporaryDirectory("tls")
        let content = String(repeating: "0123456789abcdef", count: 20_000)
        _ = try directory.file("a.txt", content)
        let certificates = try await TestCertificates.make(in: directory.path)
        let server = try await Nginx.start(directory.path, ServerOptions(tls: certificates))
        let client = EngineTests.client()
        defer { client.shutdown() }
        let url = try EngineTests.url(server.url + "a.txt")
        do throws(TransportError) {
            _ = try await client.send(HTTPRequest(url: url), maximumBody: 1 << 20)
            Issue.record("a certificate of nobody was accepted")
        } catch {
            #expect(error.code == .tlsFailed && !error.isTransient)
        }
        do throws(TransportError) {
            _ = try await client.send(HTTPRequest(url: url, access: HTTPAccess(caCertificate: "/nonexistent/ca.pem")), maximumBody: 1 << 20)
            Issue.record("a missing authority was accepted")
        } catch {
            #expect(error.code == .unusableAccess)
        }
        let before = client.statistics.connections
        let access = HTTPAccess(caCertificate: certificates.authority)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<16 {
                let range = FileRange(offset: UInt64(number) * 16384, end: UInt64(number + 1) * 16384)
                group.addTask {
                    let response = try await client.send(HTTPRequest(url: url, range: range, access: access), maximumBody: 1 << 20)
                    return response.body == Array(content.utf8)[Int(range.offset)..<Int(range.end)].map { $0 }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(client.statistics.connections == before + 1)
        await server.stop()
    }
}
