import Glibc
import TestSupport
import Testing

@Suite("Through the mount: every way to say who asks", .serialized)
struct IdentityTests {
    let directory: TemporaryDirectory
    let root: String
    let bytes: [UInt8]

    init() throws {
        directory = try TemporaryDirectory("identity")
        root = try directory.directory("root")
        bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 300_000)
    }

    private let secret = "v3ry-s3cret"

    /// One file, to those whose request has `field: value`; else 401 (Basic).
    private func guarded(_ field: String, _ value: String) throws -> LoopbackServer {
        let bytes = bytes
        return try LoopbackServer { request in
            guard request[field] == value else { return .init(401, [("WWW-Authenticate", "Basic realm=\"x\"")]) }
            return .file(bytes, to: request)
        }
    }

    /// Everything that reelfs shows or keeps readable, but the secrets: nothing of it may hold the secret.
    private func expectNoSecret(_ reelfs: ReelfsProcess, _ mnt: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        var texts = [
            try await reelfs.check("list").output, try await reelfs.check("list", "--json").output, reelfs.log,
            try await reelfs.command(["status", "--json"]).run().output, try await reelfs.command(["doctor", "--json"]).run().output,
            try await reelfs.check("cache", "list", "--json").output,
        ]
        if let pid = reelfs.daemonPid { texts.append(String(decoding: try FileTree.read("/proc/\(pid)/cmdline"), as: UTF8.self)) }
        if let mnt { texts.append(try await Command(["findmnt", "-n", mnt]).run().output) }
        if let mnt, TestTools.has("getfattr") {
            texts.append(try await shell("getfattr", "-d", "-m", "-", mnt, "\(mnt)/file.bin").output)
        }
        for text in texts { #expect(!text.contains(secret), "\(text)", sourceLocation: sourceLocation) }
        guard FileTree.exists("\(reelfs.directory.path)/config/reelfs") else { return }
        for file in try FileTree.files(below: "\(reelfs.directory.path)/config/reelfs") {
            let path = "\(reelfs.directory.path)/config/reelfs/\(file)"
            let holds = String(decoding: try FileTree.read(path), as: UTF8.self).contains(secret)
            #expect(!holds || file.hasPrefix("secrets/"), "\(file)", sourceLocation: sourceLocation)
            #expect(try FileTree.facts(path).mode == 0o600, "\(file)", sourceLocation: sourceLocation)
        }
    }

    @Test("--bearer-file, from a file and from the standard input", arguments: [true, false])
    func bearer(fromInput: Bool) async throws {
        let server = try guarded("authorization", "Bearer \(secret)")
        try await ReelfsProcess.with { reelfs in
            let file = fromInput ? "-" : try reelfs.secretFile(secret + "\n")
            try await reelfs.check("add", server.url + "file.bin", "--name", "drive", "--bearer-file", file, input: fromInput ? secret : "")
            let mnt = try await reelfs.mount(["drive"])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            try await expectNoSecret(reelfs, mnt)
        }
    }

    @Test("--header-file sends its lines with every request; what is no header is refused")
    func headers() async throws {
        let server = try guarded("x-api-key", secret)
        try await ReelfsProcess.with { reelfs in
            let text = "X-Api-Key: \(secret)\r\nCookie: session=\(secret)\n"
            try await reelfs.check("add", server.url + "file.bin", "--name", "drive", "--header-file", "-", input: text)
            let mnt = try await reelfs.mount(["drive"])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            #expect(server.requests.allSatisfy { $0["cookie"] == "session=\(secret)" })
            try await expectNoSecret(reelfs, mnt)
            let bad = try await reelfs.command(["add", server.url, "--header-file", "-"], input: Array("no header".utf8)).run()
            #expect(bad.status != 0 && bad.errors.contains("header"), "\(bad)")
        }
    }

    @Test("--netrc takes user and password of the host from ~/.netrc", .enabled(if: Nginx.missing == nil))
    func netrc() async throws {
        let server = try await Nginx.start(root, ServerOptions(login: .basic, password: secret))
        try await ReelfsProcess.with { reelfs in
            let file = "\(reelfs.directory.path)/home/.netrc"
            let lines = "machine elsewhere.example login eve password wrong\nmachine 127.0.0.1\n  login ann\n  password \(secret)\n"
            try FileTree.write(Array(lines.utf8), to: file)
            chmod(file, 0o600)
            let mnt = try await reelfs.mount(["--type", "webdav", "--netrc", server.url])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            try await reelfs.check("add", server.url, "--name", "drive", "--type", "webdav", "--netrc")
            try await expectNoSecret(reelfs, mnt)
        }
    }

    @Test("--password-command is run by the shell when a password is needed, and nothing is kept", .enabled(if: Nginx.missing == nil))
    func passwordCommand() async throws {
        let server = try await Nginx.start(root, ServerOptions(login: .basic, password: secret))
        try await ReelfsProcess.with { reelfs in
            let (store, runs) = (try reelfs.secretFile(secret), "\(reelfs.directory.path)/runs")
            let command = "echo run >> '\(runs)'; cat '\(store)' | head -n 1"
            try await reelfs.check(
                "add", server.url, "--name", "drive", "--type", "webdav", "--user", "ann", "--password-command", command)
            #expect(!FileTree.exists(runs))
            let mnt = try await reelfs.mount(["drive"])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            #expect(FileTree.exists(runs))
            #expect(try FileTree.files(below: "\(reelfs.directory.path)/config/reelfs").filter { $0.hasPrefix("secrets/") }.isEmpty)
            try await expectNoSecret(reelfs, mnt)
            // A command that fails says so.
            try await reelfs.check("set", "drive", "--password-command", "echo 'the vault is locked' >&2; exit 7")
            let doctor = try await reelfs.command(["doctor", "drive"]).run()
            #expect(doctor.status == 1 && doctor.output.contains("drive"), "\(doctor)")
        }
    }

    @Test("--password-file is copied, once, with mode 0600", .enabled(if: Nginx.missing == nil))
    func passwordFile() async throws {
        let server = try await Nginx.start(root, ServerOptions(login: .basic, password: secret))
        try await ReelfsProcess.with { reelfs in
            let file = try reelfs.secretFile(secret + "\n")
            try await reelfs.check("add", server.url, "--name", "drive", "--type", "webdav", "--user", "ann", "--password-file", file)
            unlink(file)
            let mnt = try await reelfs.mount(["drive"])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            try await expectNoSecret(reelfs, mnt)
            let absent = try await reelfs.command(["add", server.url, "--user", "ann", "--password-file", file]).run()
            #expect(absent.status == 1 && absent.errors.contains(file), "\(absent)")
        }
    }

    @Test("user and password in a URL move to a secret, with a hint", .enabled(if: Nginx.missing == nil))
    func userInformation() async throws {
        let password = "\(secret):#é"
        let server = try await Nginx.start(root, ServerOptions(login: .basic, password: password))
        let url = "http://ann:\(secret)%3A%23%C3%A9@127.0.0.1:\(server.port)/"
        try await ReelfsProcess.with { reelfs in
            let added = try await reelfs.check("add", url, "--name", "drive", "--type", "webdav")
            #expect(added.errors.contains("password") && added.errors.contains("history") && !added.errors.contains(secret), "\(added)")
            #expect(added.output == "drive\n")
            #expect(try await reelfs.check("list", "--json").output.contains("\"ann\""))
            let mnt = try await reelfs.mount(["drive"])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            try await expectNoSecret(reelfs, mnt)
        }
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", url])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            try await expectNoSecret(reelfs, mnt)
        }
    }

    @Test("a link given by - is a secret, added or mounted")
    func secretLink() async throws {
        let (bytes, secret) = (bytes, secret)
        let server = try LoopbackServer { request in
            request.target == "/\(secret)/file.bin?sig=\(secret)" ? .file(bytes, to: request) : .init(404)
        }
        let link = "\(server.url)\(secret)/file.bin?sig=\(secret)\n"
        try await ReelfsProcess.with { reelfs in
            let added = try await reelfs.check("add", "-", "--name", "film", input: link)
            #expect(!added.output.contains(secret) && !added.errors.contains(secret))
            let mnt = try await reelfs.mount(["film"])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            try await expectNoSecret(reelfs, mnt)
        }
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["-"], input: link)
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            try await expectNoSecret(reelfs, mnt)
            let empty = try await reelfs.command(["add", "-"]).run()
            #expect(empty.status == 1 && empty.errors.contains("standard input"), "\(empty)")
            let twice = try await reelfs.command(["add", "-", "--bearer-file", "-"], input: Array(link.utf8)).run()
            #expect(twice.status == 2 && !twice.errors.contains(secret), "\(twice)")
        }
    }

    @Test("--client-cert and --client-key let in where nginx wants a certificate", .enabled(if: Nginx.missing == nil))
    func clientCertificate() async throws {
        let made = try await TestCertificates.make(in: directory.path)
        let server = try await Nginx.start(root, ServerOptions(tls: made, wantsClientCertificate: true))
        let words = ["--type", "webdav", "--ca-cert", "ca.pem", server.url]
        try await ReelfsProcess.with { reelfs in
            // Paths are relative to where the command is run.
            let mnt = try reelfs.mountPoint("mnt")
            var command = reelfs.command(["mount", "--client-cert", "server.pem", "--client-key", "server.key"] + words + [mnt])
            command.directory = directory.path
            try await command.check()
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
        }
        try await ReelfsProcess.with { reelfs in
            let mnt = try reelfs.mountPoint("mnt")
            var command = reelfs.command(["mount"] + words + [mnt])
            command.directory = directory.path
            let result = try await command.run()
            if result.status == 0 { #expect(try await Command(["ls", mnt]).run().status != 0) }
            let absent = try await reelfs.command(["add", server.url, "--client-cert", "/no/such.pem"]).run()
            #expect(absent.status == 1 && absent.errors.contains("/no/such.pem"), "\(absent)")
        }
    }

    @Test("flags that carry a login are refused for URLs of several hosts")
    func severalHosts() async throws {
        try await ReelfsProcess.with { reelfs in
            let point = try reelfs.mountPoint("mnt")
            let result = try await reelfs.command(
                ["mount", "--user", "ann", "--password-file", "-", "http://127.0.0.1:9/", "http://127.0.0.2:9/", point], input: Array(secret.utf8)
            ).run()
            #expect(result.status == 2 && result.errors.contains("several hosts"), "\(result)")
        }
    }
}
