import Bytes
import Diagnostics
import Synchronization
import TestSupport
import Testing
import Transport

@Suite("The engine", .serialized, .timeLimit(.minutes(2)))
struct EngineTests {
    /// A client that knows no proxy of the environment.
    static func client() -> HTTPClient { HTTPClient(log: .silent, proxies: ProxyEnvironment([:])) }

    static func url(_ text: String) throws -> HTTPURL { try #require(HTTPURL(text)) }

    /// The error that sending ends with; a response is a failed test.
    private func failure(_ client: HTTPClient, _ request: HTTPRequest, maximumBody: Int) async throws -> TransportError? {
        do {
            let response = try await client.send(request, maximumBody: maximumBody)
            Issue.record("\(request.summary) was answered with \(response.head.status)")
            return nil
        } catch {
            return error
        }
    }

    private func failure(of task: Task<HTTPResponse, any Error>) async -> TransportError? {
        do {
            _ = try await task.value
            return nil
        } catch {
            return error as? TransportError
        }
    }

    @Test("a response comes whole, with its head, and connections are reused")
    func plain() async throws {
        let server = ScriptedServer { request, _ in [.respond("200 OK", ["ETag: \"x\""], body: "hello \(request.path)")] }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        for name in ["/a", "/b", "/c%20d?e=f"] {
            let response = try await client.send(HTTPRequest(url: Self.url(server.base + name)), maximumBody: 1000)
            #expect(
                response.head.status == 200 && response.head.fields["etag"] == "\"x\"" && response.head.contentLength == UInt64(response.body.count))
            #expect(String(decoding: response.body, as: UTF8.self) == "hello \(name)")
        }
        #expect(server.connections == 1)
        #expect(server.requests.allSatisfy { $0["Accept-Encoding"] == "identity" && $0["User-Agent"] == "reelfs" && $0["Authorization"] == nil })
        let statistics = client.statistics
        #expect(statistics.requests == 3 && statistics.connections == 1 && statistics.openConnections == 1 && statistics.errors == 0)
        client.shutdown()
        #expect(client.statistics.openConnections == 0)
    }

    @Test("a head that breaks off is a broken connection, never a response with fewer fields and no body")
    func cutHead() async throws {
        let head = "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 5\r\nX: y\r\n\r\n"
        for count in 1..<head.utf8.count - 1 {
            let server = ScriptedServer { _, _ in [.bytes(Array(head.utf8.prefix(count))), .close] }
            defer { server.stop() }
            let client = Self.client()
            defer { client.shutdown() }
            let error = try await failure(client, HTTPRequest(url: Self.url(server.base + "/")), maximumBody: 100)
            #expect(error?.isTransient == true || count < 17, "\(count): \(error?.detail ?? "")")
        }
    }

    @Test("a range is asked for as HTTP writes it")
    func range() async throws {
        let server = ScriptedServer { _, _ in [.respond("206 Partial Content", ["Content-Range: bytes 10-19/100"], body: "0123456789")] }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        let request = HTTPRequest(url: try Self.url(server.base + "/f"), range: FileRange(offset: 10, end: 20))
        let response = try await client.send(request, maximumBody: 10)
        #expect(response.head.status == 206 && response.body.count == 10)
        #expect(server.requests.first?["Range"] == "bytes=10-19")
    }

    @Test("a body of many megabytes arrives byte for byte")
    func large() async throws {
        var bytes = [UInt8](repeating: 0, count: 24 << 20)
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31 ^ index >> 11) }
        let sent = bytes
        let server = ScriptedServer { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: \(sent.count)\r\n\r\n"), .bytes(sent)] }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        let handler = RecordingHandler()
        _ = client.start(HTTPRequest(url: try Self.url(server.base + "/")), handler: handler)
        #expect(await handler.end() == nil)
        #expect(handler.record.withLock { $0.body == sent && $0.finishes == 1 })
        #expect(client.statistics.bytesReceived == UInt64(sent.count))
    }

    @Test("a short body is an error, and never whole")
    func shortBody() async throws {
        let server = ScriptedServer { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789"), .close] }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        let handler = RecordingHandler()
        _ = client.start(HTTPRequest(url: try Self.url(server.base + "/")), handler: handler)
        let error = await handler.end()
        #expect(error?.code == .shortBody && error?.isTransient == true)
        #expect(handler.record.withLock { $0.body.count == 10 && $0.finishes == 1 })
    }

    @Test("a connection that breaks is a transient error", arguments: [true, false])
    func reset(afterBytes: Bool) async throws {
        let server = ScriptedServer { _, _ in
            (afterBytes ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789"), .wait(milliseconds: 50)] : []) + [.reset]
        }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        let handler = RecordingHandler()
        _ = client.start(HTTPRequest(url: try Self.url(server.base + "/")), handler: handler)
        let error = await handler.end()
        #expect(error?.code == .reset || error?.code == .shortBody, "\(error.debugDescription)")
        #expect(error?.isTransient == true)
    }

    @Test(
        "an origin that falls silent times out, before and inside the body",
        arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789"])
    func stall(first: String) async throws {
        let server = ScriptedServer { _, _ in [.send(first), .wait(milliseconds: 3000), .close] }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        var request = HTTPRequest(url: try Self.url(server.base + "/"))
        request.deadlines.idle = .milliseconds(300)
        let handler = RecordingHandler()
        let start = ContinuousClock.now
        _ = client.start(request, handler: handler)
        let error = await handler.end()
        #expect(error?.code == .timedOut && error?.isTransient == true)
        #expect(start.duration(to: .now) < .milliseconds(1500))
    }

    @Test("a slow body that keeps coming does not time out")
    func slow() async throws {
        let server = ScriptedServer { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")]
                + (0..<8).flatMap { [ScriptedServer.Step.send("\($0)"), .wait(milliseconds: 120)] }
        }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        var request = HTTPRequest(url: try Self.url(server.base + "/"))
        request.deadlines.idle = .milliseconds(600)
        let response = try await client.send(request, maximumBody: 100)
        #expect(String(decoding: response.body, as: UTF8.self) == "01234567")
        request.deadlines.total = .milliseconds(400)
        let error = try await failure(client, request, maximumBody: 100)
        #expect(error?.code == .timedOut)
    }

    @Test("nobody at the port, and no such name")
    func unreachable() async throws {
        let server = ScriptedServer { _, _ in [] }
        server.stop()
        let client = Self.client()
        defer { client.shutdown() }
        let refused = try await failure(client, HTTPRequest(url: Self.url("http://127.0.0.1:1/")), maximumBody: 1)
        #expect(refused?.code == .connectFailed && refused?.isTransient == true)
        let unknown = try await failure(client, HTTPRequest(url: Self.url("http://no-such-name.invalid/?token=hidden")), maximumBody: 1)
        #expect(unknown?.code == .resolveFailed)
        #expect(unknown?.detail.contains("hidden") == false)
    }

    @Test("cancelling inside the body ends it once and soon, and others go on")
    func cancel() async throws {
        let server = ScriptedServer { request, _ in
            request.path == "/slow"
                ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789"), .wait(milliseconds: 1500), .close]
                : [.respond("200 OK", body: "other")]
        }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        let handler = RecordingHandler()
        let transfer = client.start(HTTPRequest(url: try Self.url(server.base + "/slow")), handler: handler)
        await handler.firstByte()
        let start = ContinuousClock.now
        transfer.cancel()
        transfer.cancel()
        #expect(await handler.end()?.code == .cancelled)
        #expect(start.duration(to: .now) < .milliseconds(500))
        let other = try await client.send(HTTPRequest(url: Self.url(server.base + "/other")), maximumBody: 100)
        #expect(other.body.count == 5)
        transfer.cancel()
        #expect(handler.record.withLock { $0.finishes } == 1)
    }

    @Test("a handler that stops at the head or in the body ends with cancelled", arguments: [true, false])
    func stop(atHead: Bool) async throws {
        let server = ScriptedServer { _, _ in [.respond("200 OK", body: String(repeating: "x", count: 100_000))] }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        let handler = RecordingHandler(onHead: { _ in !atHead }, onBody: { _ in false })
        _ = client.start(HTTPRequest(url: try Self.url(server.base + "/")), handler: handler)
        #expect(await handler.end()?.code == .cancelled)
        #expect(handler.record.withLock { $0.calls } == (atHead ? 0 : 1))
    }

    @Test("cancelling the task cancels the request")
    func taskCancellation() async throws {
        let server = ScriptedServer { _, _ in [.wait(milliseconds: 1500), .close] }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        let url = try Self.url(server.base + "/")
        let task = Task { try await client.send(HTTPRequest(url: url), maximumBody: 10) }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        let error = await failure(of: task)
        #expect(error?.code == .cancelled)
    }

    @Test("64 requests at once all come right over six connections")
    func concurrent() async throws {
        let server = ScriptedServer { request, _ in [.wait(milliseconds: 5), .respond("200 OK", body: request.path)] }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        let base = server.base
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                let request = HTTPRequest(url: try Self.url("\(base)/\(number)"))
                group.addTask { try await String(decoding: client.send(request, maximumBody: 100).body, as: UTF8.self) == "/\(number)" }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(server.connections <= 6 && server.requests.count == 64)
    }

    @Test("what is larger than the caller takes is an error, told and untold")
    func tooLarge() async throws {
        let server = ScriptedServer { request, _ in
            request.path == "/told"
                ? [.respond("200 OK", body: String(repeating: "x", count: 2000))]
                : [.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "x", count: 2000)), .close]
        }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        for path in ["/told", "/untold"] {
            let error = try await failure(client, HTTPRequest(url: Self.url(server.base + path)), maximumBody: 1999)
            #expect(error?.code == .bodyTooLarge)
            let response = try await client.send(HTTPRequest(url: Self.url(server.base + path)), maximumBody: 2000)
            #expect(response.body.count == 2000)
        }
    }

    @Test("HEAD, 204 and 304 have no body whatever their length says")
    func bodiless() async throws {
        let server = ScriptedServer { request, _ in
            switch request.path {
            case "/204": [.send("HTTP/1.1 204 No Content\r\n\r\n")]
            case "/304": [.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 50\r\n\r\n")]
            default: [.send("HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n")]
            }
        }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        let head = try await client.send(HTTPRequest(method: "HEAD", url: Self.url(server.base + "/")), maximumBody: 100_000)
        #expect(head.head.contentLength == 12345 && head.body.isEmpty)
        for path in ["/204", "/304"] {
            let response = try await client.send(HTTPRequest(url: Self.url(server.base + path)), maximumBody: 100)
            #expect(response.body.isEmpty && path == "/\(response.head.status)")
        }
        #expect(server.connections == 1)
    }

    @Test("a method with a body is sent as it is")
    func propfind() async throws {
        let server = ScriptedServer { _, _ in [.respond("207 Multi-Status", body: "<x/>")] }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        let request = HTTPRequest(
            method: "PROPFIND", url: try Self.url(server.base + "/d/"),
            fields: [HTTPField("Depth", "1"), HTTPField("Content-Type", "application/xml")],
            body: Array("<propfind/>".utf8))
        _ = try await client.send(request, maximumBody: 100)
        let plain = try await client.send(HTTPRequest(url: Self.url(server.base + "/d/")), maximumBody: 100)
        #expect(plain.head.status == 207)
        let seen = server.requests
        #expect(seen.first?.line == "PROPFIND /d/ HTTP/1.1" && seen.first?.body == "<propfind/>")
        #expect(seen.first?["Depth"] == "1" && seen.first?["Content-Type"] == "application/xml" && seen.first?["Expect"] == nil)
        #expect(seen.last?.line == "GET /d/ HTTP/1.1" && seen.last?.body == "" && seen.last?["Depth"] == nil)
    }

    @Test("fields that could smuggle others are refused before anything is sent", arguments: ["a\r\nX: y", "a\nb", "\u{0}"])
    func smuggling(value: String) async throws {
        let server = ScriptedServer { _, _ in [.respond("200 OK")] }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        var request = HTTPRequest(url: try Self.url(server.base + "/"), fields: [HTTPField("X-Test", value)])
        var error = try await failure(client, request, maximumBody: 1)
        #expect(error?.code == .refused)
        request.fields = [HTTPField("X-Test: a\r\nY", "b")]
        error = try await failure(client, request, maximumBody: 1)
        #expect(error?.code == .refused && server.requests.isEmpty)
    }

    @Test("lengths that contradict each other, and what is no HTTP, are errors")
    func nonsense() async throws {
        let server = ScriptedServer { request, _ in
            switch request.path {
            case "/two": [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 4\r\n\r\n01234"), .close]
            case "/none": [.send("SSH-2.0-OpenSSH_9\r\n\r\n"), .close]
            default:
                [
                    .send("HTTP/1.1 200 OK\r\n" + String(repeating: "X-Field: \(String(repeating: "y", count: 1000))\r\n", count: 2000) + "\r\n"),
                    .close,
                ]
            }
        }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        for path in ["/two", "/none", "/huge"] {
            let error = try await failure(client, HTTPRequest(url: Self.url(server.base + path)), maximumBody: 9)
            #expect(error?.isTransient == false || error?.code == .reset, "\(path): \(error.debugDescription)")
        }
    }

    @Test("a connection that the origin closed meanwhile is replaced without an error")
    func staleConnection() async throws {
        let server = ScriptedServer { _, _ in [.respond("200 OK", body: "x"), .close] }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        for _ in 0..<5 {
            let response = try await client.send(HTTPRequest(url: Self.url(server.base + "/")), maximumBody: 9)
            #expect(response.body.count == 1)
        }
    }

    @Test("what a reader waits for goes before read-ahead, and a place is always left for it")
    func priorities() async throws {
        let server = ScriptedServer { _, _ in [.wait(milliseconds: 40), .respond("200 OK")] }
        defer { server.stop() }
        let client = Self.client()
        defer { client.shutdown() }
        let access = HTTPAccess(maximumConnections: 2)
        let handlers = (0..<12).map { _ in RecordingHandler() }
        for (number, handler) in handlers.enumerated() {
            let isBackground = number < 8
            let request = HTTPRequest(
                url: try Self.url("\(server.base)/\(isBackground ? "ahead" : "reader")"), access: access, isBackground: isBackground)
            _ = client.start(request, handler: handler)
        }
        for handler in handlers { #expect(await handler.end() == nil) }
        let order = server.requests.map(\.path)
        let lastReader = try #require(order.lastIndex(of: "/reader"))
        #expect(lastReader <= 6, "\(order)")
    }

    @Test("shutting down ends what runs and what waits, and what comes later")
    func shutdown() async throws {
        let server = ScriptedServer { _, _ in [.wait(milliseconds: 1000), .close] }
        defer { server.stop() }
        let client = Self.client()
        let handlers = (0..<10).map { _ in RecordingHandler() }
        for handler in handlers { _ = client.start(HTTPRequest(url: try Self.url(server.base + "/")), handler: handler) }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        client.shutdown()
        client.shutdown()
        for handler in handlers { #expect(await handler.end()?.code == .shutDown) }
        let late = try await failure(client, HTTPRequest(url: Self.url(server.base + "/")), maximumBody: 1)
        #expect(late?.code == .shutDown)
    }

    @Test("a client that nobody holds any more ends its thread")
    func abandoned() async throws {
        let server = ScriptedServer { _, _ in [.wait(milliseconds: 1000), .close] }
        defer { server.stop() }
        let handler = RecordingHandler()
        do {
            let client = Self.client()
            _ = client.start(HTTPRequest(url: try Self.url(server.base + "/")), handler: handler)
        }
        #expect(await handler.end()?.code == .shutDown)
    }
}
