import Glibc
import TestSupport
import Testing

@Suite("Through the mount: logins, certificates, redirects", .serialized)
struct LoginTests {
    let directory: TemporaryDirectory
    let root: String
    let bytes: [UInt8]

    init() throws {
        directory = try TemporaryDirectory("login")
        root = try directory.directory("root")
        bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 300_000)
    }

    /// Mounts with the right and with a wrong password.
    private func expectLogin(_ server: RealServer, type: String, _ options: ServerOptions) async throws {
        try await ReelfsProcess.with { reelfs in
            let secret = try reelfs.secretFile(options.password)
            let mnt = try await reelfs.mount(["--type", type, "--user", options.user, "--password-file", secret, server.url])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            // The password is in no command line.
            let pid = try #require(reelfs.daemonPid)
            #expect(!String(decoding: try FileTree.read("/proc/\(pid)/cmdline"), as: UTF8.self).contains(options.password))
        }
        try await ReelfsProcess.with { reelfs in
            let point = try reelfs.mountPoint("mnt")
            let wrong = try reelfs.secretFile("wrong")
            let result = try await reelfs.command(
                ["mount", "--type", type, "--user", options.user, "--password-file", wrong, server.url, point]
            ).run()
            // Refused at once, or a mount that says no: never an empty directory.
            if result.status == 0 { #expect(try await Command(["ls", point]).run().status != 0) } else { #expect(result.status != nil) }
            #expect(!result.errors.contains("wrong\n") && !result.output.contains("wrong\n"))
        }
    }

    @Test("Basic at nginx", .enabled(if: Nginx.missing == nil))
    func basic() async throws {
        let options = ServerOptions(login: .basic)
        try await expectLogin(try await Nginx.start(root, options), type: "webdav", options)
    }

    @Test("Digest at Apache", .enabled(if: Apache.missing == nil))
    func digest() async throws {
        let options = ServerOptions(login: .digest)
        try await expectLogin(try await Apache.start(root, options), type: "webdav", options)
    }

    @Test("Digest at WsgiDAV", .enabled(if: WsgiDAV.missing == nil))
    func digestWsgiDAV() async throws {
        let options = ServerOptions(login: .digest, password: "plain enough")
        try await expectLogin(try await WsgiDAV.start(root, options), type: "webdav", options)
    }

    @Test("Digest with SHA-256 at lighttpd", .enabled(if: Lighttpd.missing == nil))
    func digestSHA256() async throws {
        let options = ServerOptions(login: .digestSHA256)
        try await expectLogin(try await Lighttpd.start(root, options), type: "http", options)
    }

    @Test("an own certificate authority is trusted when named, and refused when not", .enabled(if: Nginx.missing == nil))
    func tls() async throws {
        let made = try await TestCertificates.make(in: directory.path)
        let server = try await Nginx.start(root, ServerOptions(tls: made))
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", "--ca-cert", made.authority, server.url])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
        }
        try await ReelfsProcess.with { reelfs in
            let point = try reelfs.mountPoint("mnt")
            let result = try await reelfs.command(["mount", "--type", "webdav", server.url, point]).run()
            if result.status == 0 { #expect(try await Command(["ls", point]).run().status != 0) } else { #expect(result.status != nil) }
            #expect(server.accessLog.filter { $0.contains("file.bin") }.allSatisfy { !$0.isEmpty })
        }
    }

    @Test("a redirect to another port gets the range and none of the credentials")
    func redirect() async throws {
        let bytes = bytes
        let target = try LoopbackServer { request in
            guard let range = request["range"], let dash = range.firstIndex(of: "-"), let first = Int(range[..<dash].dropFirst(6)) else {
                return .init(200, [("ETag", "\"v1\"")], body: bytes)
            }
            let last = min(Int(range[range.index(after: dash)...]) ?? bytes.count - 1, bytes.count - 1)
            return .init(206, [("ETag", "\"v1\""), ("Content-Range", "bytes \(first)-\(last)/\(bytes.count)")], body: Array(bytes[first...last]))
        }
        let port = target.port
        let origin = try LoopbackServer { request in
            guard request["authorization"] != nil else { return .init(401, [("WWW-Authenticate", "Basic realm=\"x\"")]) }
            guard request.method == "PROPFIND" else { return .init(302, [("Location", "http://127.0.0.1:\(port)/elsewhere?sign=1")]) }
            let file = """
                <D:response><D:href>/file.bin</D:href><D:propstat><D:prop><D:resourcetype/><D:getcontentlength>\(bytes.count)</D:getcontentlength>\
                </D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
                """
            let text = """
                <?xml version="1.0"?><D:multistatus xmlns:D="DAV:"><D:response><D:href>/</D:href><D:propstat><D:prop><D:resourcetype>\
                <D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>\(file)</D:multistatus>
                """
            return .init(207, [("Content-Type", "application/xml")], body: Array(text.utf8))
        }
        try await ReelfsProcess.with { reelfs in
            let secret = try reelfs.secretFile("very-secret")
            let headers = try reelfs.secretFile("Cookie: session=very-secret\nX-Api-Key: very-secret\n", "headers")
            let mnt = try await reelfs.mount([
                "--type", "webdav", "--user", "ann", "--password-file", secret, "--header-file", headers, origin.url,
            ])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
        }
        #expect(origin.requests.contains { $0["authorization"] != nil && $0["x-api-key"] == "very-secret" })
        #expect(!target.requests.isEmpty)
        for request in target.requests {
            #expect(request["range"] != nil)
            for name in ["authorization", "cookie", "referer", "x-api-key"] { #expect(request[name] == nil, "\(name) arrived") }
            #expect(!request.fields.contains { $0.value.contains("very-secret") })
        }
    }
}
