import Bytes
import Diagnostics
import HTTPFiles
import SourceAPI
import Synchronization
import TestSupport
import Testing
import Transport

/// A scripted origin with one file of 100 bytes, and the files of a source at it.
private struct Origin {
    static let content = Array((0..<100).map { UInt8($0) + 100 })

    let server: ScriptedServer
    let client = HTTPClient(log: .silent, proxies: ProxyEnvironment([:]))
    let files: HTTPFiles

    init(options: HTTPFileOptions = HTTPFileOptions(), _ script: @escaping @Sendable (ScriptedServer.Request, Int) -> [ScriptedServer.Step]) {
        server = ScriptedServer(script: script)
        files = HTTPFiles(client: client, access: HTTPAccess(), options: options, log: .silent)
    }

    func close() {
        client.shutdown()
        server.stop()
    }

    func entry(size: UInt64? = 100, name: String = "film.mkv", type: String? = nil) -> RemoteEntry {
        RemoteEntry(name: Array(name.utf8), kind: .file, locator: EntryLocator("/f"), size: size, mediaType: type, cacheKey: "k")
    }

    func fetch(
        _ range: FileRange = FileRange(offset: 10, end: 20), of entry: RemoteEntry? = nil, pinned: Validator? = nil
    ) async throws
        -> (reply: FetchReply?, bytes: [UInt8], error: SourceError?)
    {
        let sink = RecordingSink()
        let request = FetchRequest(entry: entry ?? self.entry(), range: range, pinned: pinned)
        _ = files.fetch(request, at: try #require(HTTPURL(server.base + "/f?token=hidden")), into: sink)
        return await sink.outcome()
    }

    /// A 206 with those fields and bytes 10…19.
    static func part(_ fields: String..., count: Int = 10, status: String = "206 Partial Content") -> [ScriptedServer.Step] {
        [
            .send("HTTP/1.1 \(status)\r\n" + fields.map { $0 + "\r\n" }.joined() + "Content-Length: \(count)\r\n\r\n"),
            .bytes(Array(content[10..<10 + count])),
        ]
    }
}

@Suite("A fetch", .serialized, .timeLimit(.minutes(1)))
struct FetchTests {
    @Test("exactly the asked part is passed on")
    func exact() async throws {
        let origin = Origin { _, _ in Origin.part("Content-Range: bytes 10-19/100", "ETag: \"a\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT") }
        defer { origin.close() }
        let (reply, bytes, error) = try await origin.fetch()
        #expect(error == nil && bytes == Array(Origin.content[10..<20]))
        #expect(reply?.offset == 10 && reply?.total == 100 && reply?.isRanged == true)
        #expect(reply?.validator == Validator(entityTag: "\"a\"", modified: UnixTime(seconds: 784_111_777)))
        #expect(origin.server.requests.first?["Range"] == "bytes=10-19" && origin.server.requests.first?["Accept-Encoding"] == "identity")
    }

    @Test(
        "a part that is not the asked one is refused before its first byte",
        arguments: [
            ["Content-Range: bytes 11-20/100"], ["Content-Range: bytes 0-9/100"], ["Content-Range: bytes 10-20/100"],
            ["Content-Range: bytes 10-19/*"], [],
            ["Content-Range: bytes 10-19"], ["Content-Range: items 10-19/100"], ["Content-Range: bytes 19-10/100"],
            ["Content-Range: bytes 10-19/100", "Content-Range: bytes 0-9/100"], ["Content-Range: bytes */100"],
            ["Content-Range: bytes 10-18446744073709551615/18446744073709551615"],
            ["Content-Range: bytes 10-19/100", "Content-Encoding: gzip"], ["Content-Type: multipart/byteranges; boundary=x"],
        ])
    func wrongPart(fields: [String]) async throws {
        let origin = Origin { _, _ in
            [.send("HTTP/1.1 206 Partial Content\r\n" + fields.map { $0 + "\r\n" }.joined() + "Content-Length: 10\r\n\r\n0123456789")]
        }
        defer { origin.close() }
        let (reply, bytes, error) = try await origin.fetch()
        #expect(error?.code == .malformed && reply == nil && bytes.isEmpty)
        #expect(error?.detail.contains("hidden") == false)
    }

    @Test("another length is another version")
    func otherTotal() async throws {
        let origin = Origin { _, _ in Origin.part("Content-Range: bytes 10-19/101") }
        defer { origin.close() }
        let (reply, bytes, error) = try await origin.fetch()
        #expect(error?.code == .changedUpstream && reply == nil && bytes.isEmpty)
    }

    @Test("a part that is shorter or longer than asked is refused", arguments: [9, 11])
    func wrongCount(count: Int) async throws {
        let origin = Origin { _, _ in Origin.part("Content-Range: bytes 10-19/100", count: count) }
        defer { origin.close() }
        let (reply, bytes, error) = try await origin.fetch()
        #expect(error?.code == .malformed && reply == nil && bytes.isEmpty)
    }

    @Test("a chunked part is counted, and one that ends early or late is an error", arguments: [9, 10, 11])
    func chunkedPart(count: Int) async throws {
        let origin = Origin { _, _ in
            [
                .send("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 10-19/100\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .send(String(count, radix: 16) + "\r\n" + String(repeating: "x", count: count) + "\r\n0\r\n\r\n"),
            ]
        }
        defer { origin.close() }
        let (_, bytes, error) = try await origin.fetch()
        #expect(count == 10 ? error == nil : error?.code == .malformed)
        #expect(bytes.count <= 10)
    }

    @Test("a body that breaks off is transient, not whole")
    func short() async throws {
        let origin = Origin { _, _ in
            [.send("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 10-19/100\r\nContent-Length: 10\r\n\r\n01234"), .close]
        }
        defer { origin.close() }
        let (_, bytes, error) = try await origin.fetch()
        #expect(error?.code == .unreachable && error?.isTransient == true && bytes.count == 5)
    }

    @Test("an origin that ignores ranges gives the whole file from its start")
    func wholeFile() async throws {
        let origin = Origin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nETag: W/\"w\"\r\n\r\n"), .bytes(Origin.content)] }
        defer { origin.close() }
        let (reply, bytes, error) = try await origin.fetch()
        #expect(error == nil && bytes == Origin.content)
        #expect(reply?.isRanged == false && reply?.offset == 0 && reply?.total == 100 && reply?.validator.isStrong == false)
    }

    @Test("a whole file of another length is another version", arguments: ["Content-Length: 99", "Content-Length: 0"])
    func wholeOtherLength(field: String) async throws {
        let origin = Origin { _, _ in [.send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n"), .bytes(Array(Origin.content.dropLast())), .close] }
        defer { origin.close() }
        let (reply, bytes, error) = try await origin.fetch()
        #expect(error?.code == .changedUpstream && reply == nil && bytes.isEmpty)
    }

    @Test("a whole file without a told length must end where the listing said", arguments: [99, 100, 101])
    func chunkedWhole(count: Int) async throws {
        let origin = Origin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .send(String(count, radix: 16) + "\r\n" + String(repeating: "x", count: count) + "\r\n0\r\n\r\n"),
            ]
        }
        defer { origin.close() }
        let (reply, bytes, error) = try await origin.fetch()
        #expect(count == 100 ? error == nil : error?.code == .changedUpstream)
        #expect(reply?.total == nil && reply?.isRanged == false && bytes.count <= 100)
    }

    @Test("an entry without a size is fetched whole, without a range")
    func spool() async throws {
        let origin = Origin { _, _ in [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n0\r\n\r\n")] }
        defer { origin.close() }
        let (reply, bytes, error) = try await origin.fetch(FileRange(offset: 0, end: .max), of: origin.entry(size: nil))
        #expect(error == nil && bytes == Array("01234".utf8) && reply?.total == nil && reply?.isRanged == false)
        #expect(origin.server.requests.first?["Range"] == nil)
    }

    @Test(
        "a reply must agree with the pinned validator",
        arguments: [
            ("ETag: \"a\"", Validator(entityTag: "\"a\""), true), ("ETag: \"b\"", Validator(entityTag: "\"a\""), false),
            ("ETag: W/\"a\"", Validator(entityTag: "\"a\""), false), ("X: y", Validator(entityTag: "\"a\""), false),
            ("ETag: W/\"b\"", Validator(entityTag: "W/\"a\""), true),
            ("Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", Validator(modified: UnixTime(seconds: 784_111_777)), true),
            ("Last-Modified: Sun, 06 Nov 1994 08:49:38 GMT", Validator(modified: UnixTime(seconds: 784_111_777)), false),
            ("X: y", Validator(modified: UnixTime(seconds: 784_111_777)), false), ("X: y", Validator(), true),
        ])
    func pinned(field: String, validator: Validator, agrees: Bool) async throws {
        let origin = Origin { _, _ in Origin.part("Content-Range: bytes 10-19/100", field) }
        defer { origin.close() }
        let (_, bytes, error) = try await origin.fetch(pinned: validator)
        #expect(agrees ? error == nil && bytes.count == 10 : error?.code == .changedUpstream && bytes.isEmpty)
    }

    @Test("a page in place of a film is a login, unless name, listing or option say page")
    func loginPage() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> [ScriptedServer.Step] = { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 100\r\n\r\n"), .bytes(Origin.content)]
        }
        let origin = Origin(script)
        defer { origin.close() }
        let (reply, bytes, error) = try await origin.fetch()
        #expect(error?.code == .loginRequired && reply == nil && bytes.isEmpty && error?.advice?.contains("--accept-type") == true)
        #expect(try await origin.fetch(of: origin.entry(name: "INDEX.HTML")).error == nil)
        #expect(try await origin.fetch(of: origin.entry(name: "x", type: "text/html")).error == nil)
        for type in ["text/html", "text/*", "*/*"] {
            let accepting = Origin(options: HTTPFileOptions(acceptedTypes: [type]), script)
            defer { accepting.close() }
            #expect(try await accepting.fetch().error == nil)
        }
    }

    @Test(
        "statuses of failure have one meaning each",
        arguments: [
            ("401 Unauthorized", SourceError.Code.loginRequired), ("403 Forbidden", .denied), ("404 Not Found", .notFound),
            ("410 Gone", .linkExpired),
            ("429 Too Many Requests\r\nRetry-After: 7", .throttled(retryAfter: .seconds(7))), ("429 Too Many Requests", .throttled(retryAfter: nil)),
            ("503 Busy\r\nRetry-After: 3", .throttled(retryAfter: .seconds(3))), ("503 Busy", .unreachable), ("500 Oops", .unreachable),
            ("302 Found", .notFound), ("204 No Content", .malformed), ("416 No\r\nContent-Range: bytes */100", .malformed),
            ("416 No\r\nContent-Range: bytes */15", .changedUpstream), ("418 Teapot", .malformed), ("405 No", .unsupported),
        ])
    func statuses(status: String, code: SourceError.Code) async throws {
        let origin = Origin { _, _ in [.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")] }
        defer { origin.close() }
        let (reply, _, error) = try await origin.fetch()
        #expect(error?.code == code && reply == nil)
    }

    @Test("a sink that stops and a task that is cancelled end once, with cancelled")
    func stopping() async throws {
        let origin = Origin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789"), .wait(milliseconds: 1000), .close] }
        defer { origin.close() }
        let url = try #require(HTTPURL(origin.server.base + "/f"))
        let request = FetchRequest(entry: origin.entry(), range: FileRange(offset: 0, end: 100), pinned: nil)
        let stopping = RecordingSink { _ in .stop }
        _ = origin.files.fetch(request, at: url, into: stopping)
        #expect(await stopping.outcome().error?.code == .cancelled)
        let cancelled = RecordingSink()
        let task = origin.files.fetch(request, at: url, into: cancelled)
        task.cancel()
        task.cancel()
        #expect(await cancelled.outcome().error?.code == .cancelled)
        #expect(cancelled.record.withLock { $0.ends } == 1)
    }

    @Test("a sink that has had enough with the last byte leaves the connection to the next fetch")
    func reuse() async throws {
        let origin = Origin { _, _ in Origin.part("Content-Range: bytes 10-19/100") }
        defer { origin.close() }
        let url = try #require(HTTPURL(origin.server.base + "/f"))
        let request = FetchRequest(entry: origin.entry(), range: FileRange(offset: 10, end: 20), pinned: nil)
        for _ in 0..<3 {
            let sink = RecordingSink { $0 < 10 ? .proceed : .stop }
            _ = origin.files.fetch(request, at: url, into: sink)
            let (_, bytes, error) = await sink.outcome()
            #expect(error == nil && bytes == Array(Origin.content[10..<20]))
        }
        #expect(origin.server.connections == 1)
    }

    @Test("the range and the checks hold over a redirect")
    func redirected() async throws {
        let origin = Origin { request, _ in
            request.path.hasPrefix("/f")
                ? [.respond("302 Found", ["Location: /elsewhere?signature=hidden"])] : Origin.part("Content-Range: bytes 10-19/100")
        }
        defer { origin.close() }
        let (reply, bytes, error) = try await origin.fetch()
        #expect(error == nil && reply?.isRanged == true && bytes == Array(Origin.content[10..<20]))
        #expect(origin.server.requests.allSatisfy { $0["Range"] == "bytes=10-19" })
    }
}

@Suite("A probe", .serialized, .timeLimit(.minutes(1)))
struct ProbeTests {
    private func probe(_ response: String, entry change: (inout RemoteEntry) -> Void = { _ in }) async throws -> Result<RemoteEntry, SourceError> {
        let origin = Origin { _, _ in [.send(response), .close] }
        defer { origin.close() }
        var entry = origin.entry(size: nil)
        change(&entry)
        let url = try #require(HTTPURL(origin.server.base + "/f"))
        let result: Result<RemoteEntry, SourceError>
        do throws(SourceError) {
            result = .success(try await origin.files.probe(entry, at: url))
        } catch {
            result = .failure(error)
        }
        #expect(origin.server.requests.first?["Range"] == "bytes=0-0" && origin.server.requests.first?.line.hasPrefix("GET ") == true)
        return result
    }

    @Test("the total of the first byte's range is the size, and what the listing lacks is learned")
    func ranged() async throws {
        let reply =
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-0/12345678901\r\nContent-Length: 1\r\n"
            + "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: video/mp4\r\n\r\nx"
        let learned = try await probe(reply).get()
        #expect(learned.size == 12_345_678_901 && learned.modified?.seconds == 784_111_777 && learned.mediaType == "video/mp4")
        let kept = try await probe(reply) { $0.modified = UnixTime(seconds: 5) }.get()
        #expect(kept.modified?.seconds == 5)
    }

    @Test("an empty file refuses its first byte")
    func empty() async throws {
        #expect(try await probe("HTTP/1.1 416 No\r\nContent-Range: bytes */0\r\nContent-Length: 0\r\n\r\n").get().size == 0)
        #expect(try await probe("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").get().size == 0)
        await #expect(throws: SourceError.self) {
            _ = try await probe("HTTP/1.1 416 No\r\nContent-Range: bytes */9\r\nContent-Length: 0\r\n\r\n").get()
        }
        await #expect(throws: SourceError.self) { _ = try await probe("HTTP/1.1 416 No\r\nContent-Length: 0\r\n\r\n").get() }
    }

    @Test("an origin without ranges tells the size by the length, and its body is not waited for")
    func whole() async throws {
        #expect(
            try await probe("HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n" + String(repeating: "x", count: 100_000)).get().size
                == 5_000_000_000)
    }

    @Test(
        "no size is ever guessed",
        arguments: [
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n0\r\n\r\n", SourceError.Code.sizeUnknown),
            ("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n01234", .sizeUnknown),
            ("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-0/*\r\nContent-Length: 1\r\n\r\nx", .sizeUnknown),
            ("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 1-1/10\r\nContent-Length: 1\r\n\r\nx", .malformed),
            ("HTTP/1.1 206 Partial Content\r\nContent-Length: 1\r\n\r\nx", .malformed),
            ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n0123456789", .malformed),
            ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n0123456789", .loginRequired),
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", .notFound),
        ])
    func unknown(response: String, code: SourceError.Code) async throws {
        guard case .failure(let error) = try await probe(response) else {
            Issue.record("a size was learned from \(response)")
            return
        }
        #expect(error.code == code)
    }
}
