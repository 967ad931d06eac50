import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("Through the mount: when origins fail or change", .serialized)
struct FailureTests {
    let directory: TemporaryDirectory
    let root: String
    let bytes: [UInt8]

    init() throws {
        directory = try TemporaryDirectory("failure")
        root = try directory.directory("root")
        bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 2_000_000)
    }

    /// How long `ls` of it takes, and whether it failed.
    private func list(_ path: String) async throws -> Command.Result { try await Command(["ls", path], deadline: 120).run() }

    @Test("a dead server is an error in time, later at once, and never an empty directory")
    func dead() async throws {
        let port = try LoopbackPort.free()
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", "http://127.0.0.1:\(port)/", "--name", "dead", "--type", "webdav")
            let mnt = try await reelfs.mount([])
            let first = try await list("\(mnt)/dead")
            #expect(first.status != 0 && first.status != nil && first.seconds < 45, "\(first)")
            let second = try await list("\(mnt)/dead")
            #expect(second.status != 0 && second.status != nil && second.seconds < 5, "\(second)")
        }
    }

    @Test("a server that hangs is an error within 30 seconds, later at once", .enabled(if: TestTools.isLongRun))
    func hangs() async throws {
        let server = try LoopbackServer { _ in .init(207, [("Content-Length", "1000")], body: [], stall: 100) }
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.url, "--name", "slow", "--type", "webdav")
            let mnt = try await reelfs.mount([])
            let first = try await list("\(mnt)/slow")
            #expect(first.status != 0 && first.status != nil && first.seconds < 45, "\(first)")
            let second = try await list("\(mnt)/slow")
            #expect(second.status != 0 && second.seconds < 5, "\(second)")
        }
    }

    @Test("a server that died keeps its last listing and its cached bytes, also over a remount", .enabled(if: Nginx.missing == nil))
    func lastListing() async throws {
        let server = try await Nginx.start(root)
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.url, "--name", "drive", "--type", "webdav", "--listing-seconds", "1")
            let mnt = try await reelfs.mount([])
            #expect(try await contents("\(mnt)/drive/file.bin") == Octets(bytes))
            await server.stop()
            try await Task.sleep(for: .seconds(2))
            #expect(try await list("\(mnt)/drive").output == "file.bin\n")
            #expect(try await contents("\(mnt)/drive/file.bin") == Octets(bytes))
            try await reelfs.check("unmount", mnt)
            #expect(try await reelfs.daemonEnds(within: 25))
            _ = try await reelfs.mount([])
            let again = try await list("\(mnt)/drive")
            #expect(again.output == "file.bin\n" && again.seconds < 45, "\(again)")
            #expect(try await contents("\(mnt)/drive/file.bin") == Octets(bytes))
        }
    }

    @Test("a file that changed is an error to who has it open and its new version to who opens it")
    func changed() async throws {
        let server = try await Origin.demoDav.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", server.url])
            let path = "\(mnt)/file.bin"
            let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
            defer { Glibc.close(descriptor) }
            func read(_ offset: Int) async -> (count: Int, code: CInt, bytes: [UInt8]) {
                await Blocking.run {
                    var buffer = [UInt8](repeating: 0, count: 1000)
                    let count = pread(descriptor, &buffer, buffer.count, off_t(offset))
                    return (count, count < 0 ? errno : 0, Array(buffer.prefix(max(count, 0))))
                }
            }
            #expect(await read(0).bytes == Array(bytes[..<1000]))
            let fresh = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 2_000_000, seed: 99)
            // Old bytes that were cached, or ESTALE: never the new version's.
            let far = await read(1_900_000)
            #expect(far.code == ESTALE || far.bytes == Array(bytes[1_900_000..<1_901_000]), "\(far.count) \(far.code)")
            try await reelfs.check("refresh", mnt)
            #expect(try await contents(path) == Octets(fresh))
        }
    }

    @Test("whatever request fails once, the bytes are right or the read is an error, and a later read is right")
    func faults() async throws {
        let bytes = Array(bytes.prefix(600_000))
        for kind in 0..<6 {
            let counter = Counter()
            let server = try LoopbackServer { request in
                guard request.target.hasSuffix("file.bin") else {
                    return .init(
                        200, [("Content-Type", "text/html")], body: Array("<h1>Index of /</h1><pre><a href=\"file.bin\">file.bin</a></pre>".utf8))
                }
                let fields = [("ETag", "\"v1\""), ("Accept-Ranges", "bytes"), ("Content-Type", "application/octet-stream")]
                if request.method == "HEAD" { return .init(200, fields + [("Content-Length", "\(bytes.count)")]) }
                var first = 0, last = bytes.count - 1
                if let range = request["range"], let dash = range.firstIndex(of: "-") {
                    first = Int(range[..<dash].dropFirst(6)) ?? 0
                    last = min(Int(range[range.index(after: dash)...]) ?? last, last)
                }
                guard first <= last else { return .init(416, [("Content-Range", "bytes */\(bytes.count)")]) }
                let body = Array(bytes[first...last])
                let right = fields + [("Content-Range", "bytes \(first)-\(last)/\(bytes.count)")]
                guard counter.next() == 2 else { return .init(206, right, body: body) }
                return switch kind {
                case 0: .init(206, right, body: body, cutAfter: body.count / 2)
                case 1: .init(503, [("Retry-After", "1")])
                case 2: .init(206, fields + [("Content-Range", "bytes \(first + 1)-\(last + 1)/\(bytes.count)")], body: body)
                case 3: .init(206, fields + [("Content-Range", "bytes \(first)-\(last)/\(bytes.count + 5)")], body: body)
                case 4: .init(200, [("Content-Type", "text/html")], body: Array("<html>please log in</html>".utf8))
                default: .init(200, raw: Array("garbage\r\n\r\n".utf8))
                }
            }
            try await ReelfsProcess.with { reelfs in
                let mnt = try await reelfs.mount(["--type", "http", server.url])
                if let read = try? await contents("\(mnt)/file.bin") { #expect(read == Octets(bytes), "fault \(kind)") }
                var later: Octets?
                for _ in 0..<5 where later == nil { later = try? await contents("\(mnt)/file.bin") }
                #expect(later == Octets(bytes), "fault \(kind)")
            }
        }
    }

    @Test("a server without ranges is read from start to end, and cached for jumps")
    func noRanges() async throws {
        let server = try await PythonHTTP.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "http", server.url])
            #expect(try await Blocking.run { try FileTree.facts("\(mnt)/file.bin").size } == 2_000_000)
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            #expect(try await Octets(shell("tail", "-c", "1000", "\(mnt)/file.bin").outputBytes) == Octets(Array(bytes.suffix(1000))))
        }
    }

    @Test("a length that nobody tells is learned by reading")
    func chunked() async throws {
        let bytes = Array(bytes.prefix(300_000))
        let server = try LoopbackServer { request in
            guard request.target.hasSuffix("file.bin") else {
                return .init(
                    200, [("Content-Type", "text/html")], body: Array("<h1>Index of /</h1><pre><a href=\"file.bin\">file.bin</a></pre>".utf8))
            }
            let fields = [("Transfer-Encoding", "chunked"), ("Content-Type", "application/octet-stream"), ("ETag", "\"v1\"")]
            var body: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: 10_000) {
                body += Array("\(String(10_000, radix: 16))\r\n".utf8) + bytes[start..<(start + 10_000)] + Array("\r\n".utf8)
            }
            return .init(200, fields, body: body + Array("0\r\n\r\n".utf8))
        }
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "http", server.url])
            #expect(try await Blocking.run { try FileTree.facts("\(mnt)/file.bin").size } == UInt64(bytes.count))
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
        }
    }

    @Test("hostile listings leave the mount standing and inside itself")
    func hostileListing() async throws {
        func entry(_ href: String, _ name: String = "x") -> String {
            "<D:response><D:href>\(href)</D:href><D:propstat><D:prop><D:displayname>\(name)</D:displayname><D:resourcetype/>"
                + "<D:getcontentlength>5</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
        }
        let entries = [
            "/../etc/passwd", "/%2e%2e", "/..", "/.", "/a%2Fb", "/a%00b", "//other/x", "http://127.0.0.1:1/away", "/good.txt", "/good.txt",
            "/\u{202E}rtl", "/%ff%fe",
        ]
        let text =
            "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">" + entries.map { entry($0) }.joined()
            + entry("/negative").replacing(">5<", with: ">-5<") + entry("/huge").replacing(">5<", with: ">99999999999999999999999<")
            + "</D:multistatus>"
        let server = try LoopbackServer { request in
            if request.method == "PROPFIND" { return .init(207, [("Content-Type", "application/xml")], body: Array(text.utf8)) }
            return .init(206, [("ETag", "\"1\""), ("Content-Range", "bytes 0-4/5")], body: Array("hello".utf8))
        }
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", server.url])
            let names = try await Blocking.run { try FileTree.names(mnt) }
            #expect(names.contains("good.txt"))
            #expect(Set(names).count == names.count)
            #expect(names.allSatisfy { !$0.contains("/") && $0 != "passwd" })
            #expect(try await contents("\(mnt)/good.txt") == Octets("hello".utf8))
            _ = try await Command(["ls", "-lR", mnt]).run()
            #expect(reelfs.daemonPid != nil)
        }
    }
}

/// Counts from 0.
private final class Counter: Sendable {
    private let value = Mutex(-1)
    func next() -> Int {
        value.withLock {
            $0 += 1
            return $0
        }
    }
}
