import DemoOrigin
import Glibc
import TestSupport
import Testing

@Suite("The program's commands about sources, seen in a running mount", .serialized)
struct SourceCommandTests {
    let directory: TemporaryDirectory
    let root: String
    let bytes: [UInt8]

    init() throws {
        directory = try TemporaryDirectory("sources")
        root = try directory.directory("root")
        bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 300_000)
        try FileTree.makeDirectory("\(root)/sub")
        try FileTree.write([7], to: "\(root)/sub/old.txt")
    }

    private func names(_ path: String) async throws -> [String] { try await Blocking.run { try FileTree.names(path) } }

    private func toml(_ reelfs: ReelfsProcess, _ name: String = "drive.toml") throws -> String {
        String(decoding: try FileTree.read("\(reelfs.directory.path)/config/reelfs/sources/\(name)"), as: UTF8.self)
    }

    @Test("list shows a table, --json or the names")
    func list() async throws {
        try await ReelfsProcess.with { reelfs in
            #expect(try await reelfs.check("list").errors.contains("reelfs add"))
            try await reelfs.check(
                "add", "https://drive.example/dav/", "-n", "drive", "-t", "webdav", "-u", "ann", "--password-file", "-", input: "s3cret")
            try await reelfs.check("add", "https://media.example/films/?key=s3cret")
            #expect(try await reelfs.check("list", "--names").output == "drive\nmedia.example\n")
            let table = try await reelfs.check("list").output
            for word in ["NAME", "drive", "webdav", "ann", "https://drive.example/dav/", "auto", "https://media.example/films/"] {
                #expect(table.contains(word), "\(table)")
            }
            let json = try await reelfs.check("list", "--json").output
            try await shell(
                "python3", "-c",
                "import json, sys; a, b = json.loads(sys.argv[1]); assert a['hasPassword'] and a['user'] == 'ann' and not b['hasPassword'], (a, b)", json)
            #expect(!json.contains("s3cret") && !table.contains("s3cret"))
            let again = try await reelfs.command(["add", "https://drive.example/dav/", "--name", "drive"]).run()
            #expect(again.status == 1 && again.errors.contains("drive"), "\(again)")
        }
    }

    /// What the origin of `set`'s tests was asked with, last.
    private func lastField(_ name: String, _ server: LoopbackServer) -> String? { server.requests.last?[name] }

    @Test("set changes login, headers and proxy of a running mount at once, and --clear takes each back")
    func setIdentity() async throws {
        let proxy = try await ProxyServer.naming(scheme: "http")
        // Everybody is let in; who asks is written down.
        let listing = """
            <?xml version="1.0"?><D:multistatus xmlns:D="DAV:"><D:response><D:href>/</D:href><D:propstat><D:prop><D:resourcetype>\
            <D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>
            """
        let server = try LoopbackServer { request in
            guard request["x-open"] == nil || request["authorization"] != nil else { return .init(401, [("WWW-Authenticate", "Basic realm=\"x\"")]) }
            let fields = [("Content-Type", "application/xml"), ("Connection", "close")]
            return .init(207, fields, body: Array(listing.utf8), cutAfter: listing.utf8.count)
        }
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.url, "--name", "drive", "--type", "webdav")
            _ = try await reelfs.mount([])
            func set(_ words: String..., input: String = "") async throws {
                try await reelfs.command(["set", "drive"] + words, input: Array(input.utf8)).check()
                try await reelfs.check("refresh", "drive")
            }
            try await set("--bearer-file", "-", input: "t0ken")
            #expect(lastField("authorization", server) == "Bearer t0ken")
            try await set("--clear", "bearer")
            #expect(lastField("authorization", server) == nil)

            try await reelfs.check("set", "drive", "--header-file", "-", input: "X-Open: no\n")
            try await set("--user", "ann", "--password-file", "-", input: "secret")
            #expect(lastField("authorization", server) == "Basic YW5uOnNlY3JldA==" && lastField("x-open", server) == "no")
            try await set("--password-command", "echo other")
            #expect(lastField("authorization", server) == "Basic YW5uOm90aGVy")
            #expect(try toml(reelfs).contains("password_command = \"echo other\""))
            try await set("--clear", "user", "--clear", "password-command", "--clear", "headers")
            #expect(lastField("authorization", server) == nil && lastField("x-open", server) == nil)

            try await set("--proxy", proxy.url)
            #expect(proxy.log.contains("http PROPFIND 127.0.0.1:\(server.port)\n"))
            let asked = proxy.log
            try await set("--clear", "proxy")
            #expect(proxy.log == asked)
            #expect(try FileTree.files(below: "\(reelfs.directory.path)/config/reelfs").filter { $0.hasPrefix("secrets/") }.isEmpty)
        }
    }

    @Test("set changes url, type and the rules of a running mount at once")
    func setPlace() async throws {
        let (first, second) = (try DemoServer(root: root), try await PythonHTTP.start("\(root)/sub"))
        let other = try directory.directory("other")
        let bytes = bytes
        let pages = try LoopbackServer { .file(bytes, to: $0, type: "text/html") }
        let list = try directory.file("links.txt", "\(pages.url)f|page.bin|300000\n")
        try FileTree.write([1], to: "\(other)/else.txt")
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", first.baseURL, "--name", "drive", "--type", "webdav")
            let mnt = try await reelfs.mount([])
            #expect(try await names("\(mnt)/drive") == ["file.bin", "sub"])
            try await reelfs.check("set", "drive", "--url", second.url, "--type", "http")
            #expect(try await names("\(mnt)/drive") == ["old.txt"])
            // Without its type it is found out again.
            try await reelfs.check("set", "drive", "--url", first.baseURL, "--clear", "type")
            #expect(try await names("\(mnt)/drive") == ["file.bin", "sub"])
            try await reelfs.check("set", "drive", "--url", "-", input: "\(second.url)\n")
            #expect(try await names("\(mnt)/drive") == ["old.txt"])
            #expect(try !toml(reelfs).contains("old.txt") && toml(reelfs).contains("secret_link = true"))
            try await reelfs.check("set", "drive", "--url", list)
            #expect(try await names("\(mnt)/drive") == ["page.bin"])
            #expect(try await Command(["cat", "\(mnt)/drive/page.bin"]).run().status != 0)
            try await reelfs.check("set", "drive", "--accept-type", "text/html")
            #expect(try await contents("\(mnt)/drive/page.bin") == Octets(bytes))
        }
    }

    @Test("set writes each key, --clear removes it; comments stay, the file before is .bak")
    func setKeys() async throws {
        try await ReelfsProcess.with { reelfs in
            let pem = try directory.file("some.pem", "")
            try await reelfs.check("add", "http://127.0.0.1:9/", "--name", "drive")
            let file = "\(reelfs.directory.path)/config/reelfs/sources/drive.toml"
            try FileTree.write(Array(("# of the house\n" + (try toml(reelfs))).utf8), to: file)
            let keys: [(flag: String, value: String?, line: String)] = [
                ("ca-cert", pem, "ca_cert"), ("client-cert", pem, "client_cert"), ("client-key", pem, "client_key"), ("netrc", nil, "netrc = true"),
                ("cache-key", "strip-query:a,b", "cache_key = \"strip-query:a,b\""), ("rewrite", "http://a/=http://b/", "rewrite"),
                ("accept-type", "text/html", "accept_type"), ("allow-private", nil, "allow_private = true"),
                ("allow-insecure-redirect", nil, "allow_insecure_redirect = true"), ("listing-seconds", "5", "listing_seconds = 5"),
                ("connections", "2", "connections = 2"), ("proxy", "socks5h://127.0.0.1:9", "proxy"), ("type", "http", "type = \"http\""),
            ]
            for key in keys {
                let before = try toml(reelfs)
                try await reelfs.command(["set", "drive", "--\(key.flag)"] + (key.value.map { [$0] } ?? [])).check()
                #expect(try toml(reelfs).contains(key.line), "\(key.flag)")
                #expect(try toml(reelfs, "drive.toml.bak") == before, "\(key.flag)")
            }
            for key in keys {
                try await reelfs.check("set", "drive", "--clear", key.flag)
                #expect(try !toml(reelfs).contains(key.line), "\(key.flag)")
            }
            #expect(try toml(reelfs).hasPrefix("# of the house\n"))
            let same = try await reelfs.check("set", "drive", "--url", "http://127.0.0.1:9/")
            #expect(same.errors.contains("nothing changed"), "\(same)")
            #expect(try await reelfs.command(["set", "drive", "--clear", "everything"]).run().status == 2)
            #expect(try await reelfs.command(["set", "nobody", "--netrc"]).run().status == 1)
            // Without a terminal there is nobody to ask.
            let blind = try await Command(["setsid", "-w", reelfs.binary, "set", "drive", "--password"], environment: reelfs.environment).run()
            #expect(blind.status == 1 && blind.errors.contains("--password-file"), "\(blind)")
        }
    }

    @Test("remove --purge drops bytes and listings, with a daemon and without", arguments: [true, false])
    func purge(whileMounted: Bool) async throws {
        let server = try DemoServer(root: root)
        try await ReelfsProcess.with { reelfs in
            for name in ["drive", "stays"] {
                let url = name == "drive" ? server.baseURL : "\(server.baseURL)sub/"
                try await reelfs.check("add", url, "--name", name, "--type", "webdav")
            }
            let mnt = try await reelfs.mount([])
            for file in ["drive/file.bin", "stays/old.txt"] { _ = try await contents("\(mnt)/\(file)") }
            if !whileMounted {
                try await reelfs.stopDaemon()
            }
            try await reelfs.check("remove", "drive", "--purge")
            let cached = try await reelfs.check("cache", "list").output
            #expect(!cached.contains("file.bin") && cached.contains("old.txt"), "\(cached)")
            if whileMounted { #expect(try await names(mnt) == ["stays"]) }
            #expect(try await reelfs.check("list", "--names").output == "stays\n")
            #expect(try FileTree.files(below: "\(reelfs.directory.path)/config/reelfs").allSatisfy { !$0.contains("drive") || $0.hasSuffix(".bak") })
            #expect(try await reelfs.command(["remove", "drive"]).run().status == 1)
            // No listing is left: with the origin gone, the same source has nothing to show.
            server.stop()
            try await reelfs.check("add", server.baseURL, "--name", "drive", "--type", "webdav")
            if !whileMounted { _ = try await reelfs.mount([]) }
            let listed = try await Command(["timeout", "2", "ls", "\(mnt)/drive"]).run()
            #expect(listed.status != 0 && listed.output.isEmpty, "\(listed)")
            #expect(try await contents("\(mnt)/stays/old.txt") == Octets([7]))
        }
    }

    @Test("refresh shows what is new: one directory, a source, or everything that is mounted")
    func refresh() async throws {
        let server = try DemoServer(root: root)
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.baseURL, "--name", "drive", "--type", "webdav")
            #expect(try await reelfs.command(["refresh"]).run().status == 3)
            let mnt = try await reelfs.mount([])
            #expect(try await names("\(mnt)/drive/sub") == ["old.txt"])
            for (number, words) in [["\(mnt)/drive/sub"], ["drive/sub"], ["drive"], []].enumerated() {
                try FileTree.write([1], to: "\(root)/sub/new\(number).txt")
                #expect(try await names("\(mnt)/drive/sub").count == number + 1)
                try await reelfs.command(["refresh"] + words).check()
                #expect(try await names("\(mnt)/drive/sub").count == number + 2, "refresh \(words)")
            }
            let wrong = try await reelfs.command(["refresh", "\(mnt)/drive/nowhere"]).run()
            #expect(wrong.status == 1 && wrong.errors.contains("nowhere"), "\(wrong)")
            #expect(try await reelfs.command(["refresh", "drive", "/nowhere/at/all"]).run().status != 0)
        }
    }

    @Test("a damaged or foreign source file costs only itself, by hand and after SIGHUP")
    func damagedFiles() async throws {
        let server = try DemoServer(root: root)
        try await ReelfsProcess.with { reelfs in
            for name in ["good", "bad", "foreign"] { try await reelfs.check("add", server.baseURL, "--name", name, "--type", "webdav") }
            let mnt = try await reelfs.mount([])
            #expect(try await names(mnt) == ["bad", "foreign", "good"])
            let sources = "\(reelfs.directory.path)/config/reelfs/sources"
            let text = try FileTree.read("\(sources)/good.toml")
            try FileTree.write(Array("url = \"http://\n[[[".utf8), to: "\(sources)/bad.toml")
            if TestTools.isRoot { chown("\(sources)/foreign.toml", 65534, 65534) } else { chmod("\(sources)/foreign.toml", 0o666) }
            let listed = try await reelfs.check("list")
            #expect(listed.output.contains("good") && !listed.output.contains("foreign"), "\(listed)")
            #expect(listed.errors.contains("bad.toml:1") && listed.errors.contains("foreign.toml"), "\(listed)")
            let doctor = try await reelfs.command(["doctor", "--offline", "--json"]).run()
            #expect(doctor.status == 1 && doctor.output.contains("bad.toml") && doctor.output.contains("foreign.toml"), "\(doctor)")

            // By hand, and a signal.
            try FileTree.write(text, to: "\(sources)/added.toml")
            chmod("\(sources)/added.toml", 0o644)
            kill(try #require(reelfs.daemonPid), SIGHUP)
            #expect(try await becomesTrue { try FileTree.names(mnt).contains("added") })
            #expect(try await contents("\(mnt)/good/file.bin") == Octets(bytes))
            #expect(reelfs.log.contains("foreign.toml"), "\(reelfs.log)")
            // Settings that cannot be read are defaults.
            try FileTree.write(Array("cache_size = \"lots\"\nunknown = 1\n".utf8), to: "\(reelfs.directory.path)/config/reelfs/reelfs.toml")
            let status = try await reelfs.check("status")
            #expect(status.errors.contains("cache_size"), "\(status)")
        }
    }

    @Test("a configuration directory of somebody else's is not used by root", .enabled(if: TestTools.isRoot))
    func foreignDirectory() async throws {
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", "http://127.0.0.1:9/", "--name", "drive")
            let config = "\(reelfs.directory.path)/config/reelfs"
            chown(config, 65534, 65534)
            let listed = try await reelfs.command(["list"]).run()
            #expect(!listed.output.contains("127.0.0.1") && listed.errors.contains(config), "\(listed)")
            #expect(try await reelfs.command(["add", "http://127.0.0.1:9/", "--name", "more"]).run().status != 0)
        }
    }

    @Test("nothing of ours can be read by others: files are 0600, directories 0700")
    func modes() async throws {
        let server = try DemoServer(root: root)
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.baseURL, "--name", "drive", "--type", "webdav", "--header-file", "-", input: "X-A: b\n")
            try await reelfs.check("cache", "limit", "1G")
            let mnt = try await reelfs.mount([])
            _ = try await contents("\(mnt)/drive/file.bin")
            for place in ["config/reelfs", "cache/reelfs", "run", "home/.local/state/reelfs"] {
                let open = try await shell("find", "\(reelfs.directory.path)/\(place)", "-perm", "/077", "!", "-name", "CACHEDIR.TAG").output
                #expect(open.isEmpty, "\(open)")
            }
            let secrets = "\(reelfs.directory.path)/config/reelfs/secrets"
            let file = try #require(try FileTree.names(secrets).first)
            chmod("\(secrets)/\(file)", 0o644)
            #expect(try await reelfs.check("list").errors.contains(file))
            #expect(try FileTree.facts("\(secrets)/\(file)").mode == 0o600)
        }
    }
}
