import DemoOrigin
import Glibc
import TestSupport
import Testing

@Suite("The service: its flags, its mounts' options, what it tells", .serialized)
struct ServiceTests {
    let directory: TemporaryDirectory
    let root: String
    let bytes: [UInt8]
    let server: DemoServer

    init() throws {
        directory = try TemporaryDirectory("service")
        root = try directory.directory("root")
        bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 300_000)
        try FileTree.makeDirectory("\(root)/sub")
        try FileTree.write([7], to: "\(root)/sub/old.txt")
        server = try DemoServer(root: root)
    }

    private func names(_ path: String) async throws -> [String] { try await Blocking.run { try FileTree.names(path) } }

    /// A check in Python of one JSON text.
    private func expectJSON(_ text: String, _ condition: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let program = "import json, sys; j = json.loads(sys.argv[1]); sys.exit(0 if \(condition) else 1)"
        let result = try await Command(["python3", "-c", program, text]).run()
        #expect(result.succeeded, "\(condition): \(result.errors)\n\(text)", sourceLocation: sourceLocation)
    }

    @Test("mount -o takes what mount(8) gives, in one or several, and refuses what it does not know")
    func mountOptions() async throws {
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["-o", "ro,noexec", "-o", "umask=077", "--type", "webdav", server.baseURL])
            #expect(try await shell("stat", "-c", "%a", "\(mnt)/file.bin").output == "600\n")
            #expect(try await shell("findmnt", "-n", "-o", "OPTIONS", mnt).output.contains("noexec"))
            let point = try reelfs.mountPoint("other")
            for word in ["uid=many", "umask=1000", "suid", "frobnicate", "max_threads=9"] {
                let result = try await reelfs.command(["mount", "-o", "ro,\(word)", server.baseURL, point]).run()
                #expect(result.status != 0 && result.status != nil && result.errors.contains(String(word.prefix { $0 != "=" })), "\(result)")
                #expect(!ReelfsProcess.isMounted(point))
            }
        }
    }

    @Test("several URLs are a directory each; a configured one may be among them")
    func severalURLs() async throws {
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.baseURL, "--name", "drive", "--type", "http")
            let second = try DemoServer(root: "\(root)/sub")
            let mnt = try await reelfs.mount(["--type", "webdav", server.baseURL, second.baseURL, "drive"])
            #expect(try await names(mnt).count == 3)
            let read = try await shell("sh", "-c", "cat \"$1\"/*/file.bin | wc -c; cat \"$1\"/*/old.txt | wc -c", "sh", mnt)
            #expect(read.output == "600000\n1\n", "\(read)")
            // A flag without a URL has nothing to act on.
            let lost = try await reelfs.command(["mount", "--netrc", "drive", try reelfs.mountPoint("lost")]).run()
            #expect(lost.status == 2 && lost.errors.contains("reelfs set"), "\(lost)")
        }
    }

    @Test("two cache directories are two daemons; the configuration is where --config-dir says")
    func twoDaemons() async throws {
        try await ReelfsProcess.with { reelfs in
            let config = "\(directory.path)/elsewhere", cache = "\(directory.path)/second"
            try await reelfs.check("add", server.baseURL, "--name", "drive", "--type", "webdav", "--config-dir", config)
            #expect(FileTree.exists("\(config)/sources/drive.toml"))
            #expect(try await reelfs.check("list", "--names").output == "")
            let first = try await reelfs.mount(["--type", "webdav", server.baseURL], at: "first")
            let second = try await reelfs.mount(["--config-dir", config, "--cache-dir", cache], at: "second")
            #expect(try await contents("\(first)/file.bin") == Octets(bytes))
            #expect(try await contents("\(second)/drive/file.bin") == Octets(bytes))
            let status = try await reelfs.check("status", "--json", "--cache-dir", cache)
            try await expectJSON(
                status.output,
                "j['daemon']['processID'] != \(try #require(reelfs.daemonPid)) and j['daemon']['cacheDirectory'] == '\(cache)' "
                    + "and [m['mountPoint'] for m in j['mounts']] == ['\(second)']")
            try await reelfs.check("unmount", "--all", "--cache-dir", cache)
            #expect(!ReelfsProcess.isMounted(second) && ReelfsProcess.isMounted(first))
            let other = Int32(String(decoding: try FileTree.read("\(cache)/lock"), as: UTF8.self).prefix { $0.isNumber }) ?? 0
            guard other > 1 else { return }
            kill(other, SIGTERM)
            #expect(try await becomesTrue { !ReelfsProcess.isAlive(other) })
        }
    }

    @Test("status --watch goes on, a line of JSON each second, until it is ended")
    func watch() async throws {
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", server.baseURL])
            for words in [["--json"], []] {
                let program = """
                    import signal, subprocess, sys
                    child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
                    seen = 0
                    for line in child.stdout:
                        if '\(mnt)' in line: seen += 1
                        if seen == 3: break
                    child.send_signal(signal.SIGINT)
                    sys.exit(0 if seen == 3 and child.wait(20) in (-2, 0, 130) else 1)
                    """
                let watch = ["python3", "-c", program, reelfs.binary, "status", "--watch"] + words
                try await Command(watch, environment: reelfs.environment, deadline: 60).check()
            }
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
        }
    }

    @Test("cache, get and export print JSON that says the same as their tables")
    func json() async throws {
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.baseURL, "--name", "drive", "--type", "webdav")
            let (out, stick) = ("\(directory.path)/out", "\(directory.path)/stick")
            let got = try await reelfs.check("get", "drive", "--json")
            try await expectJSON(got.output, "j['files'] == 2 and j['bytes'] == 300001 and j['failures'] == []")
            let again = try await reelfs.check("get", "drive/file.bin", "--to", out, "--json")
            try await expectJSON(again.output, "j['files'] == 1 and j['failures'] == []")
            let exported = try await reelfs.check("cache", "export", "drive", "--to", stick, "--json")
            try await expectJSON(exported.output, "j['files'] == 2")
            try await shell("diff", "-r", root, "\(stick)/drive")
            // As cp and get do: what is named keeps its last name.
            try await reelfs.check("cache", "export", "drive/sub", "--to", stick)
            try await shell("diff", "-r", "\(root)/sub", "\(stick)/sub")
            try await expectJSON(
                try await reelfs.check("cache", "list", "--json").output,
                "sorted((o['path'], o['size'], o['cachedBytes']) for o in j) == [('file.bin', 300000, 300000), ('sub/old.txt', 1, 1)]")
            #expect(try await !reelfs.check("cache", "list", "drive/sub").output.contains("file.bin"))
            try await expectJSON(
                try await reelfs.check("cache", "show", "drive/file.bin", "--json").output,
                "j['object']['size'] == 300000 and j['detail']['ranges'] == [{'start': 0, 'end': 300000}]")
            try await expectJSON(
                try await reelfs.check("cache", "verify", "drive/sub", "--json").output, "j['objects'] == 1 and j['damagedBlocks'] == 0")
            try await reelfs.check("cache", "drop", "drive/sub")
            try await expectJSON(try await reelfs.check("cache", "list", "--json").output, "[o['path'] for o in j] == ['file.bin']")
            let wrong = try await reelfs.command(["get", "drive/file.bin", "drive/nowhere"]).run()
            #expect(wrong.status != 0 && wrong.errors.contains("nowhere"), "\(wrong)")
            #expect(try await reelfs.command(["cache", "export", "drive"]).run().status == 2)
            #expect(try await reelfs.command(["cache", "show", "drive/nowhere"]).run().status == 1)
        }
    }

    @Test("--cache-size, --min-free and cache limit set what the cache may take; limit is kept")
    func limits() async throws {
        try await ReelfsProcess.with { reelfs in
            _ = try await reelfs.mount(["--cache-size", "64M", "--min-free", "3M", "--type", "webdav", server.baseURL])
            try await expectJSON(
                try await reelfs.check("status", "--json").output,
                "j['cache']['maximumBytes'] == 64 << 20 and j['cache']['minimumFreeBytes'] == 3 << 20")
            try await expectJSON(
                try await reelfs.check("cache", "limit", "128M", "--min-free", "5M", "--json").output,
                "j['maximumBytes'] == 128 << 20 and j['minimumFreeBytes'] == 5 << 20")
            try await reelfs.stopDaemon()
            let shown = try await reelfs.check("cache", "limit")
            #expect(shown.output.contains("128") && shown.output.contains("5"), "\(shown)")
            _ = try await reelfs.mount(["--type", "webdav", server.baseURL])
            try await expectJSON(
                try await reelfs.check("status", "--json").output,
                "j['cache']['maximumBytes'] == 128 << 20 and j['cache']['minimumFreeBytes'] == 5 << 20")
            for size in ["lots", "0", "101%"] { #expect(try await reelfs.command(["cache", "limit", size]).run().status == 2, "\(size)") }
        }
    }

    @Test("unmount --lazy detaches at once, --all takes every mount")
    func unmount() async throws {
        try await ReelfsProcess.with { reelfs in
            let busy = try await reelfs.mount(["--type", "webdav", server.baseURL], at: "busy")
            let idle = try await reelfs.mount(["--type", "http", server.baseURL], at: "idle")
            let holder = open("\(busy)/file.bin", O_RDONLY | O_CLOEXEC)
            #expect(holder >= 0)
            try await reelfs.check("unmount", "--lazy", busy)
            #expect(!ReelfsProcess.isMounted(busy))
            close(holder)
            try await reelfs.check("unmount", "-a")
            #expect(!ReelfsProcess.isMounted(idle))
            #expect(try await reelfs.command(["unmount"]).run().status == 2)
        }
    }

    @Test("daemon mounts what --mount or reelfs.toml says, tells systemd, and follows SIGTERM", arguments: [true, false])
    func daemon(byFlag: Bool) async throws {
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", server.baseURL, "--name", "drive", "--type", "webdav")
            let mnt = try reelfs.mountPoint("mnt")
            if !byFlag {
                let settings = "mount_point = \"\(mnt)\"\nlog_level = \"debug\"\n"
                try FileTree.write(Array(settings.utf8), to: "\(reelfs.directory.path)/config/reelfs/reelfs.toml")
            }
            let program = """
                import os, signal, socket, subprocess, sys
                heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                heard.bind(sys.argv[1])
                heard.settimeout(40)
                child = subprocess.Popen(sys.argv[3:], env=dict(os.environ, NOTIFY_SOCKET=sys.argv[1]))
                def until(word):
                    while word not in heard.recv(4096).decode(): pass
                until('READY=1')
                data = open(sys.argv[2] + '/drive/file.bin', 'rb').read()
                child.send_signal(signal.SIGTERM)
                until('STOPPING=1')
                sys.exit(child.wait(30) or (0 if len(data) == 300000 else 99))
                """
            let words = ["daemon", "--systemd"] + (byFlag ? ["--mount", mnt, "--log-level", "debug"] : [])
            let socket = "\(reelfs.directory.path)/notify"
            let result = try await Command(
                ["python3", "-c", program, socket, mnt, reelfs.binary] + words, environment: reelfs.environment, deadline: 100
            ).check()
            #expect(!ReelfsProcess.isMounted(mnt))
            // A priority for the journal begins each line.
            let lines = result.errors.split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("<") } && result.errors.contains("<5>daemon: started"), "\(result)")
        }
    }

    @Test("demo serves a tree on a port, and mounts it")
    func demo() async throws {
        let binary = try #require(ReelfsProcess.builtBinary)
        let root = root
        let process = try await ServerProcess.start("demo") { port in [binary, "demo", "--serve-only", "--tree", root, "--port", "\(port)"] }
        #expect(process.output.contains("serving \(root) at http://127.0.0.1:\(process.port)/"))
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", "http://127.0.0.1:\(process.port)/"])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
            let point = try reelfs.mountPoint("demo")
            let command = Command(["timeout", "-s", "INT", "60", reelfs.binary, "demo", point, "--tree", root], environment: reelfs.environment)
            let running = Task { try await command.run() }
            #expect(try await becomesTrue { (try? FileTree.names("\(point)/drive").contains("file.bin")) ?? false })
            #expect(try await contents("\(point)/links/file.bin") == Octets(bytes))
            try await shell("fusermount3", "-u", point)
            let result = try await running.value
            #expect(result.status == 0, "\(result)")
            #expect(try FileTree.names(reelfs.directory.path).allSatisfy { !$0.hasPrefix("reelfs-demo") })
        }
    }

    @Test("doctor checks one source or none, and says so as JSON; -q says less, --log-level and -v more")
    func talk() async throws {
        try await ReelfsProcess.with { reelfs in
            let absent = try LoopbackServer { _ in .init(404) }
            try await reelfs.check("add", server.baseURL, "--name", "good", "--type", "webdav")
            try await reelfs.check("add", absent.url, "--name", "gone", "--type", "webdav")
            let asked = server.requestCount
            let offline = try await reelfs.command(["doctor", "--offline", "--json"]).run()
            #expect(server.requestCount == asked)
            try await expectJSON(offline.output, "all('message' in f and 'level' in f for f in j) and not any(f['subject'] == 'gone' for f in j)")
            let gone = try await reelfs.command(["doctor", "gone"]).run()
            #expect(gone.status == 1 && gone.output.contains("gone") && server.requestCount == asked, "\(gone)")
            let good = try await reelfs.command(["doctor", "good"]).run()
            #expect(good.output.contains("good") && !good.output.contains("gone") && server.requestCount > asked, "\(good)")

            try await reelfs.check("remove", "gone")
            let quiet = try await reelfs.check("mount", "-q", "--log-level", "error", try reelfs.mountPoint("quiet"))
            #expect(quiet.output.isEmpty && quiet.errors.isEmpty, "\(quiet)")
            #expect(reelfs.log.isEmpty, "\(reelfs.log)")
            try await reelfs.stopDaemon()
            let busy = try LoopbackServer { _ in .init(503) }
            try await reelfs.check("add", busy.url, "--name", "busy", "--type", "webdav")
            let loud = try await reelfs.check("mount", "-v", try reelfs.mountPoint("loud"))
            #expect(loud.errors.contains("mounted busy, good"), "\(loud)")
            #expect(reelfs.log.contains(" debug "), "\(reelfs.log)")
            #expect(try await reelfs.command(["status", "--log-level", "shouting"]).run().status == 2)
        }
        try await ReelfsProcess.with { reelfs in
            #expect(try await reelfs.check("--version").output.hasPrefix("reelfs "))
            let help = try await reelfs.check("help", "cache", "limit").output
            #expect(try await reelfs.check("cache", "limit", "-h").output == help && help.contains("--min-free"))
        }
    }

    @Test("a password is asked for on the terminal, unseen, by add --user and set --password")
    func prompts() async throws {
        try await ReelfsProcess.with { reelfs in
            let program = """
                import os, pty, sys
                pid, terminal = pty.fork()
                if pid == 0: os.execv(sys.argv[2], sys.argv[2:])
                seen = b''
                def read():
                    global seen
                    try: more = os.read(terminal, 4096)
                    except OSError: more = b''
                    seen += more
                    return more
                while b'assword' not in seen and read(): pass
                os.write(terminal, sys.argv[1].encode() + b'\\n')
                while read(): pass
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                sys.stdout.write(seen.decode())
                sys.exit(code)
                """
            func asked(_ secret: String, _ words: String...) async throws {
                let command = Command(["python3", "-c", program, secret, reelfs.binary] + words, environment: reelfs.environment)
                let result = try await command.check()
                #expect(result.output.contains("ann") || result.output.contains("drive"), "\(result)")
                #expect(!result.output.contains(secret), "\(result)")
            }
            let guarded = try await Nginx.start(root, ServerOptions(login: .basic, password: "second one"))
            try await asked("first one", "add", guarded.url, "--name", "drive", "--type", "webdav", "--user", "ann")
            #expect(try await reelfs.command(["doctor", "drive"]).run().status == 1)
            try await asked("second one", "set", "drive", "--password")
            let mnt = try await reelfs.mount(["drive"])
            #expect(try await contents("\(mnt)/file.bin") == Octets(bytes))
        }
    }
}
