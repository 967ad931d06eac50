import DemoOrigin
import Glibc
import TestSupport
import Testing

@Suite("Through the mount: options about links, listings and connections", .serialized)
struct LinkOptionTests {
    let directory: TemporaryDirectory
    let root: String
    let bytes: [UInt8]

    init() throws {
        directory = try TemporaryDirectory("links")
        root = try directory.directory("root")
        bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 300_000)
    }

    /// Reads the named files of a list mounted with `options`.
    ///
    /// - Returns: how many requests each took.
    private func requests(_ lines: [String], _ options: [String], reading names: [String], _ server: LoopbackServer) async throws -> [Int] {
        let list = try directory.file("links.txt", lines.joined(separator: "\n") + "\n")
        var counts: [Int] = []
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(options + ["--type", "list", list])
            for name in names {
                let before = server.requests.count
                #expect(try await contents("\(mnt)/\(name)") == Octets(bytes), "\(name)")
                counts.append(server.requests.count - before)
            }
        }
        return counts
    }

    private func fileServer() throws -> LoopbackServer {
        let bytes = bytes
        return try LoopbackServer { .file(bytes, to: $0) }
    }

    @Test("--cache-key strip-query: links that differ in their query share one cached object; without it they do not")
    func stripQuery() async throws {
        let server = try fileServer()
        let lines = ["\(server.url)f.bin?token=1|one.bin|300000", "\(server.url)f.bin?token=2&expires=9|two.bin|300000"]
        let shared = try await requests(lines, ["--cache-key", "strip-query"], reading: ["one.bin", "two.bin"], server)
        #expect(shared[0] > 0 && shared[1] == 0, "\(shared)")
        let apart = try await requests(lines, [], reading: ["one.bin", "two.bin"], server)
        #expect(apart[0] > 0 && apart[1] > 0, "\(apart)")
    }

    @Test("--cache-key strip-query:NAMES drops these names alone")
    func stripNames() async throws {
        let server = try fileServer()
        let lines = [
            "\(server.url)f.bin?id=7&token=1&expires=1|one.bin|300000", "\(server.url)f.bin?token=2&id=7&expires=2|two.bin|300000",
            "\(server.url)f.bin?id=8&token=1&expires=1|other.bin|300000",
        ]
        let counts = try await requests(
            lines, ["--cache-key", "strip-query:token,expires"], reading: ["one.bin", "two.bin", "other.bin"], server)
        #expect(counts[0] > 0 && counts[1] == 0 && counts[2] > 0, "\(counts)")
    }

    @Test("--rewrite FROM=TO: links of two hosts share one cached object, * stands for a piece of a path; rules may be several")
    func rewrite() async throws {
        let (server, mirror) = (try fileServer(), try fileServer())
        let lines = [
            "\(server.url)pub/f.bin|one.bin|300000", "\(mirror.url)pub/f.bin|two.bin|300000", "\(server.url)t/9f3a/pub/f.bin|three.bin|300000",
        ]
        let rules = ["--rewrite", "\(mirror.url)=\(server.url)", "--rewrite", "\(server.url)t/*/=\(server.url)"]
        let counts = try await requests(lines, rules, reading: ["one.bin", "three.bin"], server)
        #expect(counts[0] > 0 && counts[1] == 0, "\(counts)")
        let ofMirror = try await requests(lines, rules, reading: ["one.bin", "two.bin"], mirror)
        #expect(ofMirror == [0, 0] && mirror.requests.isEmpty, "\(ofMirror)")
    }

    @Test("--accept-type takes for a file what would be a login page")
    func acceptType() async throws {
        let bytes = bytes
        let server = try LoopbackServer { .file(bytes, to: $0, type: "text/html; charset=utf-8") }
        let list = try directory.file("links.txt", "\(server.url)film|film.bin|300000\n")
        try await ReelfsProcess.with { reelfs in
            let plain = try await reelfs.mount(["--type", "list", list], at: "plain")
            let refused = try await Command(["cat", "\(plain)/film.bin"]).run()
            #expect(refused.status != 0 && refused.errors.contains("Permission denied"), "\(refused.errors)")
            let mnt = try await reelfs.mount(["--type", "list", "--accept-type", "image/png", "--accept-type", "TEXT/HTML", list], at: "accepting")
            #expect(try await contents("\(mnt)/film.bin") == Octets(bytes))
        }
    }

    @Test("dav, webdav, davs and webdavs are WebDAV over http and https", .enabled(if: Nginx.missing == nil))
    func schemes() async throws {
        let made = try await TestCertificates.make(in: directory.path)
        let (plain, secure) = (try DemoServer(root: root), try await Nginx.start(root, ServerOptions(tls: made)))
        try await ReelfsProcess.with { reelfs in
            for (scheme, port) in [("dav", plain.port), ("webdav", plain.port), ("davs", secure.port), ("WebDAVs", secure.port)] {
                try await reelfs.check("add", "\(scheme)://127.0.0.1:\(port)/", "--name", scheme, "--ca-cert", made.authority)
            }
            let listed = try await reelfs.check("list", "--json").output
            #expect(listed.split(separator: "\"webdav\"").count - 1 >= 4, "\(listed)")
            let mnt = try await reelfs.mount([])
            for scheme in ["dav", "webdav", "davs", "WebDAVs"] { #expect(try await contents("\(mnt)/\(scheme)/file.bin") == Octets(bytes)) }
            let other = try await reelfs.command(["add", "ftp://127.0.0.1/"]).run()
            #expect(other.status != 0 && other.errors.contains("https://"), "\(other)")
        }
    }

    @Test("https leads to http only with --allow-insecure-redirect")
    func insecureRedirect() async throws {
        let made = try await TestCertificates.make(in: directory.path)
        let target = try fileServer()
        let program = """
            import http.server, ssl, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(302)
                    self.send_header('Location', sys.argv[4] + self.path[1:])
                    self.send_header('Content-Length', '0')
                    self.end_headers()
                do_HEAD = do_GET
            server = http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Handler)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[2], sys.argv[3])
            server.socket = context.wrap_socket(server.socket, server_side=True)
            server.serve_forever()
            """
        let url = target.url
        let server = try await ServerProcess.start("redirecting") { port in ["python3", "-c", program, "\(port)", made.certificate, made.key, url] }
        let list = try directory.file("links.txt", "https://127.0.0.1:\(server.port)/f.bin|f.bin|300000\n")
        try await ReelfsProcess.with { reelfs in
            let words = ["--type", "list", "--ca-cert", made.authority, list]
            let careful = try await reelfs.mount(words, at: "careful")
            #expect(try await Command(["cat", "\(careful)/f.bin"]).run().status != 0)
            #expect(target.requests.isEmpty)
            #expect(reelfs.log.contains("redirect from https to http"), "\(reelfs.log)")
            let mnt = try await reelfs.mount(["--allow-insecure-redirect"] + words, at: "mnt")
            #expect(try await contents("\(mnt)/f.bin") == Octets(bytes))
        }
    }

    /// In a network of its own that has one more address on its loopback device, one that counts as public.
    @Test("a public origin leads to this machine only with --allow-private", .enabled(if: Self.hasOwnNetworks), arguments: [true, false])
    func privateRedirect(isAllowed: Bool) async throws {
        let program = try directory.file(
            "origin.py",
            """
            import http.server, sys, threading
            data = open(sys.argv[1], 'rb').read()
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = 'HTTP/1.1'
                def do_GET(self):
                    isPublic = self.server.server_address[0] != '127.0.0.1'
                    a, b = 0, len(data) - 1
                    field = self.headers.get('Range')
                    if field: a, b = (int(x or len(data) - 1) for x in field[6:].split('-')); b = min(b, len(data) - 1)
                    body = b'' if isPublic else data[a:b + 1]
                    self.send_response(302 if isPublic else 206 if field else 200)
                    if isPublic: self.send_header('Location', 'http://127.0.0.1:8000' + self.path)
                    elif field: self.send_header('Content-Range', f'bytes {a}-{b}/{len(data)}')
                    self.send_header('ETag', '"v1"')
                    self.send_header('Content-Length', str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                def log_message(self, *words): pass
            inner = http.server.ThreadingHTTPServer(('127.0.0.1', 8000), Handler)
            threading.Thread(target=inner.serve_forever, daemon=True).start()
            outer = http.server.ThreadingHTTPServer(('203.0.113.7', 80), Handler)
            open(sys.argv[2], 'w').close()
            outer.serve_forever()
            """)
        let list = try directory.file("links.txt", "http://203.0.113.7/f.bin|f.bin|300000\n")
        try await ReelfsProcess.with { reelfs in
            let mnt = try reelfs.mountPoint("mnt")
            let ready = "\(reelfs.directory.path)/ready"
            let script = """
                ip link set lo up && ip addr add 203.0.113.7/32 dev lo || exit 90
                python3 "$1" "$2" "$3" & origin=$!
                trap 'kill $origin' EXIT
                for i in $(seq 400); do [ -e "$3" ] && break; sleep 0.05; done
                "$4" mount --type list $5 "$6" "$7" >&2 || exit 91
                sha256sum < "$7/f.bin"; status=$?
                "$4" unmount "$7" >&2
                exit $status
                """
            let words = [program, "\(root)/file.bin", ready, reelfs.binary, isAllowed ? "--allow-private" : "", list, mnt]
            let result = try await Command(["unshare", "-n", "sh", "-c", script, "sh"] + words, environment: reelfs.environment, deadline: 90).run()
            if isAllowed {
                let sum = try await shell("sha256sum", "\(root)/file.bin").output.prefix(64)
                #expect(result.status == 0 && result.output.hasPrefix(sum), "\(result)")
            } else {
                #expect(result.status == 1, "\(result)")
                #expect(reelfs.log.contains("private address"), "\(reelfs.log)")
            }
        }
    }

    /// Whether networks can be made, and have a free loopback device.
    static let hasOwnNetworks: Bool = {
        guard TestTools.isRoot, TestTools.has("ip") else { return false }
        return (try? Command(["unshare", "-n", "ip", "link", "set", "lo", "up"]).runBlocking().succeeded) ?? false
    }()

    @Test("a list gives names, directories and sizes; what it states is not asked for, and its changes show after a refresh")
    func list() async throws {
        let bytes = bytes
        let server = try fileServer()
        let lines = "# films\n\(server.url)a/f.bin\n\(server.url)x?id=3|season 1/one.bin|300000\n\n\(server.url)y | two.bin\n"
        let text = try directory.file("links.txt", lines)
        try await ReelfsProcess.with { reelfs in
            var add = reelfs.command(["add", "--type", "list", "links.txt", "--name", "films"])
            add.directory = directory.path
            try await add.check()
            let mnt = try await reelfs.mount(["films"])
            #expect(try await Blocking.run { try FileTree.names(mnt) } == ["f.bin", "season 1", "two.bin"])
            let before = server.requests.count
            #expect(try await Blocking.run { try FileTree.facts("\(mnt)/season 1/one.bin").size } == 300_000)
            #expect(server.requests.count == before)
            for name in ["f.bin", "season 1/one.bin", "two.bin"] { #expect(try await contents("\(mnt)/\(name)") == Octets(bytes), "\(name)") }
            try FileTree.write(Array("\(server.url)z|three.bin|300000\n".utf8), to: text)
            try await reelfs.check("refresh", mnt)
            #expect(try await Blocking.run { try FileTree.names(mnt) } == ["three.bin"])
            #expect(try await contents("\(mnt)/three.bin") == Octets(bytes))
        }
        // The same list behind a link.
        try FileTree.write(Array(lines.utf8), to: "\(root)/links.txt")
        let origin = try DemoServer(root: root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["-t", "list", "\(origin.baseURL)links.txt"])
            for name in ["f.bin", "season 1/one.bin", "two.bin"] { #expect(try await contents("\(mnt)/\(name)") == Octets(bytes), "\(name)") }
        }
    }

    @Test("--listing-seconds is how long a listing is used unasked; refresh looks now", .enabled(if: Nginx.missing == nil))
    func listingSeconds() async throws {
        let server = try await Nginx.start(root)
        try await ReelfsProcess.with { reelfs in
            let short = try await reelfs.mount(["--type", "webdav", "--listing-seconds", "1", server.url], at: "short")
            let long = try await reelfs.mount(["--type", "webdav", "--listing-seconds", "3000", server.url], at: "long")
            for mnt in [short, long] { #expect(try await Blocking.run { try FileTree.names(mnt) } == ["file.bin"]) }
            try FileTree.write([1, 2, 3], to: "\(root)/new.txt")
            #expect(try await becomesTrue { try FileTree.names(short) == ["file.bin", "new.txt"] })
            #expect(try await Blocking.run { try FileTree.names(long) } == ["file.bin"])
            try await reelfs.check("refresh", long)
            #expect(try await Blocking.run { try FileTree.names(long) } == ["file.bin", "new.txt"])
            let bad = try await reelfs.command(["add", server.url, "--listing-seconds", "soon"]).run()
            #expect(bad.status == 2, "\(bad)")
        }
    }

    @Test("--connections is how many requests one origin gets at a time", arguments: [1, 3])
    func connections(limit: Int) async throws {
        let (crowd, bytes) = (Crowd(), Array(bytes[..<5000]))
        let server = try LoopbackServer { request in
            crowd.whileInside(milliseconds: 60)
            return .file(bytes, to: request)
        }
        let names = (0..<12).map { "f\($0).bin" }
        let list = try directory.file("links.txt", names.map { "\(server.url)\($0)|\($0)|5000\n" }.joined())
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "list", "--connections", "\(limit)", list])
            let results = try await withThrowingTaskGroup(of: Octets.self) { group in
                for name in names { group.addTask { try await contents("\(mnt)/\(name)") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count == names.count && results.allSatisfy { $0 == Octets(bytes) })
            #expect(crowd.most <= limit && (limit == 1 || crowd.most > 1), "\(crowd.most) at a time")
            let bad = try await reelfs.command(["add", server.url, "--connections", "0"]).run()
            #expect(bad.status == 2, "\(bad)")
        }
    }
}
