import Bytes
import DemoOrigin
import Diagnostics
import TestSupport
import Testing

@Suite("The demo server, through a socket", .serialized)
struct DemoServerTests {
    let directory: TemporaryDirectory
    let root: String

    init() throws {
        directory = try TemporaryDirectory("demo")
        root = "\(directory.path)/root"
    }

    private func curl(_ arguments: [String]) async throws -> Command.Result {
        try await Command(["curl", "-sS", "--path-as-is", "--max-time", "20"] + arguments).run()
    }

    @Test("the generated tree is served byte for byte, whole and in parts")
    func serves() async throws {
        try FileTree.makeDirectory(root)
        try DemoTree.generate(at: root)
        let server = try DemoServer(root: root)
        for file in try FileTree.files(below: root) {
            let url = server.baseURL + file.split(separator: "/").map { PercentCoding.encodeSegment($0.utf8) }.joined(separator: "/")
            let wanted = try FileTree.read("\(root)/\(file)")
            #expect(Octets(try await curl([url]).outputBytes) == Octets(wanted), "\(file)")
            guard wanted.count > 20 else { continue }
            #expect(try await curl(["-r", "7-19", url]).outputBytes == Array(wanted[7...19]), "\(file)")
        }
        let head = try await curl(["-I", server.baseURL + "numbers/noise-4MB.bin"])
        #expect(head.output.contains("Content-Length: 4000000"))
        let unchanged = try await curl(["-w", "%{http_code}", "-H", "If-None-Match: *", server.baseURL + "Welcome.txt"])
        #expect(unchanged.output == "304")
    }

    @Test("generating twice makes the same tree, films are taken over")
    func generates() throws {
        let films = try directory.directory("made")
        try FileTree.write([1, 2, 3], to: "\(films)/a film.mkv")
        try DemoTree.generate(at: root, films: films)
        func picture() throws -> [String: FileTree.Facts] {
            var result: [String: FileTree.Facts] = [:]
            for file in try FileTree.files(below: root) { result[file] = try FileTree.facts("\(root)/\(file)") }
            return result
        }
        let first = try picture()
        try DemoTree.generate(at: root, films: films)
        #expect(try picture() == first)
        #expect(try FileTree.read("\(root)/films/a film.mkv") == [1, 2, 3])
    }

    @Test("rclone reads everything over WebDAV", .enabled(if: Rclone.missing == nil))
    func rclone() async throws {
        try TreeMaker.makeHardTree(at: root)
        let server = try DemoServer(root: root, credentials: DemoCredentials(user: "ann", password: Secret("x y")))
        let copy = try directory.directory("copy")
        let obscured = try await Command(["rclone", "obscure", "-"], input: Array("x y".utf8)).check().lines[0]
        var environment = TestTools.environment
        environment["RCLONE_WEBDAV_PASS"] = obscured
        try await Command(
            [
                "rclone", "copy", ":webdav:", copy, "--webdav-url", server.baseURL, "--webdav-vendor", "other", "--webdav-user", "ann",
                "--config", "/dev/null",
            ], environment: environment
        ).check()
        #expect(try FileTree.files(below: copy) == FileTree.files(below: root))
        try await Command(["diff", "-r", "--exclude=empty", root, copy]).check()
    }

    @Test("hostile bytes get an answer or a closed connection, and the server goes on", arguments: [
        "GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a%00b HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\r\n\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "GET",
        "GET /" + String(repeating: "a/", count: 20000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
        "PROPFIND / HTTP/1.1\r\nHost: x\r\nDepth: 1\r\nContent-Length: 99999999999999999999\r\n\r\nx",
        "PROPFIND / HTTP/1.1\r\nHost: x\r\nDepth: 1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nRange: bytes=0-\r\nRange: bytes=1-\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
    ])
    func hostile(bytes: String) async throws {
        try FileTree.makeDirectory(root)
        try FileTree.write(Array("fine".utf8), to: "\(root)/ok.txt")
        let server = try DemoServer(root: root)
        let answer = try await RawClient.exchange(server.port, bytes, patience: 0.3)
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1."))
        #expect(!answer.contains("root:"))
        #expect(try await curl([server.baseURL + "ok.txt"]).output == "fine")
    }

    @Test("a body that is too long is refused, a short one is read over")
    func bodies() async throws {
        try FileTree.makeDirectory(root)
        let server = try DemoServer(root: root)
        let small = try directory.file("small.xml", "<propfind/>")
        let large = try directory.file("large.xml", String(repeating: "x", count: 200_000))
        let request = ["-X", "PROPFIND", "-H", "Depth: 1", "-o", "/dev/null", "-w", "%{http_code}"]
        #expect(try await curl(request + ["--data-binary", "@\(small)", server.baseURL]).output == "207")
        #expect(try await curl(request + ["--data-binary", "@\(large)", server.baseURL]).output == "413")
        let chunked = try await curl(request + ["-H", "Transfer-Encoding: chunked", "--data-binary", "@\(large)", server.baseURL])
        #expect(chunked.output != "207")
        #expect(try await curl(request + ["--data-binary", "@\(small)", server.baseURL]).output == "207")
    }

    @Test("a port that is taken and a directory that is missing are said")
    func cannotStart() throws {
        try FileTree.makeDirectory(root)
        let server = try DemoServer(root: root)
        #expect(throws: DemoError.self) { try DemoServer(root: root, port: server.port) }
        #expect(throws: DemoError.self) { try DemoServer(root: root + "/nothing") }
        server.stop()
        server.stop()
        #expect(!LoopbackPort.answers(server.port))
    }

    @Test("many clients at once each get their bytes")
    func manyClients() async throws {
        try FileTree.makeDirectory(root)
        let bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 500_000)
        let server = try DemoServer(root: root)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for start in 0..<24 {
                group.addTask {
                    try await curl(["-r", "\(start * 1000)-", server.baseURL + "file.bin"]).outputBytes == Array(bytes[(start * 1000)...])
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
