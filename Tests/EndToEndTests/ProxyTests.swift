import DemoOrigin
import TestSupport
import Testing

@Suite("Through the mount: proxies, named and of the environment", .serialized)
struct ProxyTests {
    let directory: TemporaryDirectory
    let root: String
    let bytes: [UInt8]

    init() throws {
        directory = try TemporaryDirectory("proxies")
        root = try directory.directory("root")
        bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 300_000)
    }

    /// A host that nobody but the naming proxy can find.
    private let host = "drive.invalid"

    private func expectFile(_ mnt: String) async throws { #expect(try await contents("\(mnt)/file.bin") == Octets(bytes)) }

    @Test("--proxy http:// gets every request, the host's name with it")
    func http() async throws {
        let (origin, proxy) = (try DemoServer(root: root), try await ProxyServer.naming(scheme: "http"))
        try await ReelfsProcess.with { reelfs in
            try await expectFile(try await reelfs.mount(["--type", "webdav", "--proxy", proxy.url, "http://\(host):\(origin.port)/"]))
        }
        #expect(proxy.log.contains("http PROPFIND \(host):\(origin.port)\n") && proxy.log.contains("http GET \(host):\(origin.port)\n"))
        #expect(proxy.log.split(separator: "\n").count == Int(origin.requestCount))
    }

    @Test("--proxy socks5h:// lets the proxy find the host, socks5:// does not")
    func socks() async throws {
        let (origin, proxy) = (try DemoServer(root: root), try await ProxyServer.naming(scheme: "socks5h"))
        try await ReelfsProcess.with { reelfs in
            try await expectFile(try await reelfs.mount(["--type", "webdav", "--proxy", proxy.url, "http://\(host):\(origin.port)/"]))
        }
        #expect(proxy.log.contains("socks name \(host):\(origin.port)\n"), "\(proxy.log)")
        try await ReelfsProcess.with { reelfs in
            let local = "socks5://127.0.0.1:\(proxy.port)"
            try await expectFile(try await reelfs.mount(["--type", "webdav", "--proxy", local, "http://localhost:\(origin.port)/"]))
        }
        #expect(proxy.log.contains("socks address ") && !proxy.log.contains("localhost"), "\(proxy.log)")
    }

    @Test("https goes through a proxy as a tunnel, the certificate checked inside", .enabled(if: Nginx.missing == nil))
    func tunnel() async throws {
        let made = try await TestCertificates.make(in: directory.path)
        let (server, proxy) = (try await Nginx.start(root, ServerOptions(tls: made)), try await ProxyServer.naming(scheme: "http"))
        try await ReelfsProcess.with { reelfs in
            let url = "https://localhost:\(server.port)/"
            let mnt = try await reelfs.mount(["--type", "webdav", "--ca-cert", made.authority, "--proxy", proxy.url, url])
            try await expectFile(mnt)
        }
        #expect(proxy.log.contains("connect localhost:\(server.port)\n") && !proxy.log.contains("http "), "\(proxy.log)")
    }

    @Test("tinyproxy, with and without a login", .enabled(if: TestTools.has("tinyproxy")), arguments: [true, false])
    func tinyproxy(hasLogin: Bool) async throws {
        let origin = try DemoServer(root: root)
        let proxy = try await ProxyServer.tinyproxy(user: hasLogin ? "ann" : nil, password: "s3cret-of-proxy")
        try await expectSources(through: proxy, url: origin.baseURL, hasLogin: hasLogin, said: "GET \(origin.baseURL)")
    }

    @Test("microsocks, with and without a login", .enabled(if: TestTools.has("microsocks")), arguments: [true, false])
    func microsocks(hasLogin: Bool) async throws {
        let origin = try DemoServer(root: root)
        let proxy = try await ProxyServer.microsocks(user: hasLogin ? "ann" : nil, password: "s3cret-of-proxy")
        try await expectSources(
            through: proxy, url: "http://localhost:\(origin.port)/", hasLogin: hasLogin, said: "connected to localhost:\(origin.port)")
    }

    /// As a configured source, whose proxy's password shows nowhere; with a wrong password nothing comes.
    private func expectSources(through proxy: ProxyServer, url: String, hasLogin: Bool, said: String) async throws {
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", url, "--name", "drive", "--type", "webdav", "--proxy", proxy.url)
            let mnt = try await reelfs.mount(["drive"])
            try await expectFile(mnt)
            let texts = [
                try await reelfs.check("list", "--json").output, try await reelfs.check("status", "--json").output,
                try await reelfs.command(["doctor", "--json"]).run().output, reelfs.log,
            ]
            for text in texts { #expect(!text.contains("s3cret-of-proxy"), "\(text)") }
        }
        #expect(proxy.log.contains(said), "\(proxy.log)")
        guard hasLogin else { return }
        try await ReelfsProcess.with { reelfs in
            let point = try reelfs.mountPoint("mnt")
            let wrong = proxy.url.split(separator: "s3cret-of-proxy").joined(separator: "wr0ng-one")
            // No bodies: tinyproxy resets the connection of a request whose body it refuses to read.
            let result = try await reelfs.command(["mount", "--type", "http", "--proxy", wrong, url, point]).run()
            #expect(!result.errors.contains("wr0ng-one") && !reelfs.log.contains("wr0ng-one"), "\(result)")
            // At once: a wrong password is not tried again and again.
            #expect(result.errors.contains("password") || result.errors.contains("its proxy"), "\(result)")
            if result.status == 0 { #expect(try await Command(["cat", "\(point)/file.bin"]).run().status != 0) }
        }
    }

    @Test("http_proxy counts, no_proxy exempts, and --proxy of a source comes first")
    func environment() async throws {
        let origin = try DemoServer(root: root)
        let (general, own) = (try await ProxyServer.naming(scheme: "http"), try await ProxyServer.naming(scheme: "socks5h"))
        let url = "http://\(host):\(origin.port)/"
        try await ReelfsProcess.with(["http_proxy": general.url, "no_proxy": "127.0.0.1"]) { reelfs in
            try await expectFile(try await reelfs.mount(["--type", "webdav", url], at: "named"))
            #expect(general.log.contains("http GET \(host):\(origin.port)\n"))
            let asked = general.log
            try await expectFile(try await reelfs.mount(["--type", "webdav", origin.baseURL], at: "exempt"))
            #expect(general.log == asked)
            let other = "http://other.invalid:\(origin.port)/"
            try await expectFile(try await reelfs.mount(["--type", "webdav", "--proxy", own.url, other], at: "own"))
            #expect(general.log == asked && own.log.contains("socks name other.invalid:\(origin.port)\n"), "\(general.log)\n\(own.log)")
        }
    }

    @Test("all_proxy counts where no other does, and no_proxy takes names with all below them")
    func allProxy() async throws {
        let (origin, proxy) = (try DemoServer(root: root), try await ProxyServer.naming(scheme: "socks5h"))
        try await ReelfsProcess.with(["all_proxy": proxy.url, "no_proxy": "example.org,.localhost"]) { reelfs in
            try await expectFile(try await reelfs.mount(["--type", "webdav", "http://\(host):\(origin.port)/"], at: "named"))
            #expect(proxy.log.contains("socks name \(host):\(origin.port)\n"))
            let asked = proxy.log
            try await expectFile(try await reelfs.mount(["--type", "webdav", "http://localhost:\(origin.port)/"], at: "exempt"))
            #expect(proxy.log == asked)
        }
    }

    @Test("what is no proxy is refused, and its password is not repeated")
    func unusable() async throws {
        try await ReelfsProcess.with { reelfs in
            let point = try reelfs.mountPoint("mnt")
            let refused = try await reelfs.command(["mount", "--proxy", "ftp://ann:s3cret@127.0.0.1:1", "http://127.0.0.1:9/", point]).run()
            #expect(refused.status == 2 && !refused.errors.contains("s3cret"), "\(refused)")
        }
    }
}
