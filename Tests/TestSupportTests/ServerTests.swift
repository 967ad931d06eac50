import Testing
import TestSupport

/// Every server really serves: the list of files over PROPFIND or GET, a range where it knows ranges, logins that refuse.
@Suite("Real servers", .serialized)
struct ServerTests {
    let directory: TemporaryDirectory
    let root: String

    init() throws {
        directory = try TemporaryDirectory("servers")
        root = try directory.directory("root")
        try TreeMaker.makeHardTree(at: root)
    }

    private func curl(_ arguments: [String]) async throws -> Command.Result {
        try await Command(["curl", "-sS", "--max-time", "20"] + arguments).run()
    }

    private func expectWebDAV(_ server: RealServer, _ extra: [String] = []) async throws {
        let listing = try await curl(extra + ["-X", "PROPFIND", "-H", "Depth: 1", "-w", "\n%{http_code}", server.url])
        #expect(listing.lines.last == "207", "\(server.name): \(listing)")
        #expect(listing.output.contains("top.txt"), "\(server.name)")
    }

    private func expectFiles(_ server: RealServer, _ extra: [String] = [], ranges: Bool = true) async throws {
        let whole = try await curl(extra + [server.url + "top.txt"])
        #expect(whole.outputBytes == (try FileTree.read("\(root)/top.txt")), "\(server.name)")
        let part = try await curl(extra + ["-r", "10-19", "-o", "/dev/null", "-w", "%{http_code} %{size_download}", server.url + "top.txt"])
        #expect(part.output == (ranges ? "206 10" : "200 123"), "\(server.name)")
    }

    @Test("nginx answers PROPFIND, an HTML and a JSON index, ranges; its access log tells of them", .enabled(if: Nginx.missing == nil))
    func nginx() async throws {
        let server = try await Nginx.start(root)
        try await expectWebDAV(server)
        try await expectFiles(server)
        #expect(server.accessLog.contains { $0.hasPrefix("GET /top.txt 206 10 \"bytes=10-19\"") })
        #expect(try await curl([server.url]).output.contains("<h1>Index of /</h1>"))
        await server.stop()
        let json = try await Nginx.start(root, ServerOptions(index: .json))
        #expect(try await curl([json.url]).output.contains(#""name":"top.txt""#))
    }

    @Test("TLS is accepted with the test's own authority and refused without it", .enabled(if: Nginx.missing == nil))
    func tls() async throws {
        let made = try await TestCertificates.make(in: directory.path)
        let server = try await Nginx.start(root, ServerOptions(tls: made))
        try await expectFiles(server, ["--cacert", made.authority])
        #expect(try await curl([server.url]).status == 60)
    }

    @Test("Apache answers PROPFIND and an index behind Digest", .enabled(if: Apache.missing == nil))
    func apache() async throws {
        let options = ServerOptions(login: .digest)
        let server = try await Apache.start(root, options)
        let login = ["--digest", "-u", "\(options.user):\(options.password)"]
        try await expectWebDAV(server, login)
        try await expectFiles(server, login)
        #expect(try await curl(login + [server.url]).output.contains("Index of /"))
        #expect(try await curl(["-o", "/dev/null", "-w", "%{http_code}", server.url]).output == "401")
    }

    @Test("rclone answers PROPFIND behind Basic", .enabled(if: Rclone.missing == nil))
    func rclone() async throws {
        let options = ServerOptions(login: .basic)
        let server = try await Rclone.start(root, options)
        let login = ["-u", "\(options.user):\(options.password)"]
        try await expectWebDAV(server, login)
        try await expectFiles(server, login)
        #expect(try await curl(["-o", "/dev/null", "-w", "%{http_code}", server.url]).output == "401")
    }

    @Test("WsgiDAV answers PROPFIND, open or behind Digest", .enabled(if: WsgiDAV.missing == nil))
    func wsgidav() async throws {
        let open = try await WsgiDAV.start(root)
        try await expectWebDAV(open)
        try await expectFiles(open)
        await open.stop()
        let options = ServerOptions(login: .digest)
        let server = try await WsgiDAV.start(root, options)
        try await expectWebDAV(server, ["--digest", "-u", "\(options.user):\(options.password)"])
        #expect(try await curl(["-o", "/dev/null", "-w", "%{http_code}", server.url]).output == "401")
    }

    @Test("Python's http.server lists and ignores ranges")
    func python() async throws {
        let server = try await PythonHTTP.start(root)
        try await expectFiles(server, ranges: false)
        #expect(try await curl([server.url]).output.contains("top.txt</a>"))
    }

    @Test("lighttpd lists, knows ranges, and SHA-256 Digest", .enabled(if: Lighttpd.missing == nil))
    func lighttpd() async throws {
        let server = try await Lighttpd.start(root)
        try await expectFiles(server)
        #expect(try await curl([server.url]).output.contains("top.txt"))
        await server.stop()
        let options = ServerOptions(login: .digestSHA256)
        let closed = try await Lighttpd.start(root, options)
        try await expectFiles(closed, ["--digest", "-u", "\(options.user):\(options.password)"])
        #expect(try await curl(["-o", "/dev/null", "-w", "%{http_code}", closed.url]).output == "401")
    }

    @Test("a redirector sends on, and both ends record what arrived")
    func redirector() async throws {
        let target = try LoopbackServer { _ in .init(200, body: Array("there".utf8)) }
        let server = try LoopbackServer.redirecting(to: "http://127.0.0.1:\(target.port)")
        let answer = try await curl(["-L", "-H", "X-Mine: 1", server.url + "a%20b?c=d"])
        #expect(answer.output == "there")
        #expect(server.requests.map(\.target) == ["/a%20b?c=d"])
        #expect(target.requests.map(\.target) == ["/a%20b?c=d"])
        #expect(target.requests.first?["x-mine"] == "1")
    }

    @Test("a server that cannot start says why")
    func badStart() async throws {
        await #expect(throws: TestSupportError.self) {
            _ = try await ServerProcess.start("broken") { _ in ["sh", "-c", "echo no such luck; exit 3"] }
        }
        do {
            _ = try await ServerProcess.start("broken") { _ in ["sh", "-c", "echo no such luck; exit 3"] }
        } catch let error as TestSupportError {
            #expect(error.description.contains("no such luck"))
        }
    }

    @Test("a command past its deadline is ended with its whole group")
    func deadline() async throws {
        let result = try await Command(["sh", "-c", "sleep 60 & sleep 60"], deadline: 0.3).run()
        #expect(result.status == nil)
        #expect(result.seconds < 15)
    }

    @Test("the guard ends a server whose test process is gone")
    func guarding() async throws {
        let server = try await PythonHTTP.start(root)
        // Its standard input is empty, as a pipe is when the other end died.
        try await Command(ServerProcess.guardCommand(group: server.process.pid)).check()
        for _ in 0..<100 where LoopbackPort.answers(server.port) { try await Task.sleep(for: .milliseconds(50)) }
        #expect(!LoopbackPort.answers(server.port))
    }
}
