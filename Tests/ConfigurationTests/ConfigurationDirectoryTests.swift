import Diagnostics
import Glibc
import TestSupport
import Testing

@testable import Configuration

@Suite("The directory of the configuration")
struct ConfigurationDirectoryTests {
    private func withDirectory(_ body: (ConfigurationDirectory) throws -> Void) throws {
        let root = try TemporaryDirectory("configuration")
        try body(ConfigurationDirectory(path: root.path + "/config/reelfs", home: "/home/ann"))
    }

    private func name(_ text: String) throws -> SourceName { try #require(SourceName(text)) }

    private func text(_ path: String) throws -> String { String(decoding: try #require(try CheckedFileTests.read(path)), as: UTF8.self) }

    private func write(_ text: String, _ path: String, mode: mode_t = 0o600) {
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        fchmod(descriptor, mode)
        close(descriptor)
    }

    private func mode(_ path: String) -> mode_t? {
        var info = stat()
        return lstat(path, &info) == 0 ? info.st_mode & 0o7777 : nil
    }

    private func full(_ name: SourceName) throws -> ConfiguredSource {
        var definition = SourceDefinition(name: name, type: .webdav, url: "https://host/dir%20\"?q='x'")
        definition.user = "ann\"\n[x]\nurl = \"evil\""
        definition.passwordCommand = "printf '%s\\n' \"$X\" # 电影"
        definition.usesNetrc = true
        definition.caCertificate = "/tmp/ca\\.pem"
        definition.clientCertificate = "/c.pem"
        definition.clientKey = "/k.pem"
        definition.proxy = "socks5h://127.0.0.1:1"
        definition.cacheKey = .stripNames(["a", "b"])
        definition.rewrites = [Rewrite(from: "https://a/=\"", to: ""), Rewrite(from: "x", to: "y")]
        definition.allowsPrivate = true
        definition.allowsInsecureRedirects = true
        definition.acceptedTypes = ["text/html"]
        definition.listingSeconds = 0
        definition.maximumConnections = 64
        var secrets = SourceSecrets()
        secrets.password = Secret("pass \"word\" 密码 ")
        secrets.bearer = Secret("token-x")
        secrets.headers = [try #require(SecretHeader(name: "X-Key", value: Secret("v: w")))]
        return ConfiguredSource(definition: definition, secrets: secrets)
    }

    @Test("a source comes back whole, under any name, and its secrets are in 0600 files only")
    func roundTrip() throws {
        try withDirectory { directory in
            for label in ["cloud", "电影 👩‍👩‍👧", "a'b\"c"] {
                let source = try full(name(label))
                try directory.save(source, replaces: false)
                let loaded = directory.load()
                #expect(loaded.problems.isEmpty, "\(loaded.problems)")
                #expect(loaded.sources.contains(source))
                let file = try text(directory.sourcePath(source.name))
                for secret in ["密码", "token-x", "v: w"] { #expect(!file.contains(secret)) }
                #expect(mode(directory.sourcePath(source.name)) == 0o600)
                for kind in SecretKind.allCases where kind != .link { #expect(mode(directory.secretPath(source.name, kind)) == 0o600) }
                #expect(!"\(source)".contains("密码"))
                #expect(!String(reflecting: source).contains("token-x"))
                var dumped = ""
                dump(source, to: &dumped)
                #expect(!dumped.contains("token-x"))
            }
            #expect(mode(directory.secretsPath) == 0o700)
            #expect(mode(directory.path) == 0o700)
        }
    }

    @Test("a secret link is kept apart from the file")
    func secretLink() throws {
        try withDirectory { directory in
            var definition = SourceDefinition(name: try name("film"), url: "https://host/")
            definition.isLinkSecret = true
            var source = ConfiguredSource(definition: definition)
            #expect(throws: ConfigurationError.self) { try directory.save(source, replaces: false) }
            source.secrets.link = Secret("https://host/s/AbCdEf?sig=1")
            try directory.save(source, replaces: false)
            #expect(directory.load().sources == [source])
            #expect(try !text(directory.sourcePath(source.name)).contains("AbCdEf"))
            #expect(source.location.reveal() == "https://host/s/AbCdEf?sig=1")
            #expect(source.publicURL == "https://host/")
            unlink(directory.secretPath(source.name, .link))
            #expect(directory.load().sources.isEmpty)
            #expect(directory.load().problems.map(\.kind) == [.damaged])
        }
    }

    @Test("a change keeps comments and unknown keys, and the file before it as .bak; taken names are refused; removal leaves nothing")
    func changes() throws {
        try withDirectory { directory in
            var source = ConfiguredSource(definition: SourceDefinition(name: try name("a"), url: "https://host/"))
            source.secrets.password = Secret("one")
            try directory.save(source, replaces: false)
            let path = directory.sourcePath(source.name)
            write("# mine\nurl = \"https://host/\"\ncolour = \"blue\"\n", path)
            source.definition.user = "ann"
            source.secrets.password = nil
            try directory.save(source, replaces: true)
            #expect(try text(path) == "# mine\nurl = \"https://host/\"\ncolour = \"blue\"\nuser = \"ann\"\n")
            #expect(try text(path + ".bak").contains("# mine"))
            #expect(access(directory.secretPath(source.name, .password), F_OK) != 0)
            let loaded = directory.load()
            #expect(loaded.sources == [source])
            #expect(loaded.problems.map(\.kind) == [.unknownKey])
            #expect(loaded.problems.first?.line == 3)
            #expect(throws: ConfigurationError.self) { try directory.save(source, replaces: false) }
            source.secrets.password = Secret("two")
            try directory.save(source, replaces: true)
            try directory.remove(source.name)
            for path in [path, path + ".bak", directory.secretPath(source.name, .password)] { #expect(access(path, F_OK) != 0) }
            #expect(throws: ConfigurationError.self) { try directory.remove(source.name) }
        }
    }

    @Test("a damaged file costs only itself, and its backup is offered")
    func damaged() throws {
        try withDirectory { directory in
            for label in ["a", "b", "c", "d"] {
                try directory.save(ConfiguredSource(definition: SourceDefinition(name: try name(label), url: "https://\(label)/")), replaces: false)
            }
            try directory.save(ConfiguredSource(definition: SourceDefinition(name: try name("b"), url: "https://b2/")), replaces: true)
            write("url = \n", directory.sourcePath(try name("b")))
            write("type = \"http\"\n", directory.sourcePath(try name("c")))
            write("url = \"https://d/\"\ntype = 7\nconnections = -1\nrewrite = [\"x\"]\ncache_key = \"no\"\n", directory.sourcePath(try name("d")))
            write("x", directory.sourcesPath + "/-bad.toml")
            write("url = \"https://e/\"\n", directory.sourcesPath + "/.e.toml.99.new")
            let loaded = directory.load()
            #expect(loaded.sources.map(\.name.text) == ["a", "d"])
            #expect(loaded.sources.last?.definition.rewrites == [])
            let damaged = loaded.problems.filter { $0.kind == .damaged }
            #expect(damaged.count == 2)
            #expect(damaged.first?.advice?.contains(".bak") == true)
            #expect(loaded.problems.filter { $0.kind == .invalidValue }.count == 4)
            #expect(loaded.problems.filter { $0.kind == .unreadable }.count == 1)
        }
    }

    @Test("a file or directory that others may write to is refused; secrets that others may read are closed and reported")
    func permissions() throws {
        try withDirectory { directory in
            for label in ["a", "b"] {
                var source = ConfiguredSource(definition: SourceDefinition(name: try name(label), url: "https://\(label)/"))
                source.secrets.password = Secret("p")
                try directory.save(source, replaces: false)
            }
            chmod(directory.sourcePath(try name("a")), 0o666)
            let secret = directory.secretPath(try name("b"), .password)
            chmod(secret, 0o644)
            var loaded = directory.load()
            #expect(loaded.sources.map(\.name.text) == ["b"])
            #expect(loaded.problems.map(\.kind) == [.unsafe, .tightened])
            #expect(mode(secret) == 0o600)
            #expect(loaded.sources.first?.secrets.password?.reveal() == "p")

            unlink(secret)
            symlink("/etc/hostname", secret)
            loaded = directory.load()
            #expect(loaded.sources.first?.secrets.password == nil)
            unlink(secret)

            chmod(directory.secretsPath, 0o755)
            loaded = directory.load()
            #expect(loaded.problems.contains { $0.kind == .tightened })
            #expect(mode(directory.secretsPath) == 0o700)

            chmod(directory.sourcesPath, 0o777)
            loaded = directory.load()
            #expect(loaded.sources.isEmpty)
            #expect(loaded.problems.contains { $0.kind == .unsafe })
            #expect(throws: ConfigurationError.self) {
                try directory.save(ConfiguredSource(definition: SourceDefinition(name: try name("z"), url: "https://z/")), replaces: false)
            }
        }
    }

    @Test("root takes only what root owns", .enabled(if: geteuid() == 0))
    func foreign() throws {
        try withDirectory { directory in
            var source = ConfiguredSource(definition: SourceDefinition(name: try name("a"), url: "https://a/"))
            source.secrets.password = Secret("p")
            try directory.save(source, replaces: false)
            chown(directory.secretPath(source.name, .password), 12345, 12345)
            #expect(directory.load().sources.first?.secrets.password == nil)
            chown(directory.sourcePath(source.name), 12345, 12345)
            #expect(directory.load().sources.isEmpty)
            chown(directory.path, 12345, 12345)
            #expect(directory.load().problems.map(\.kind) == [.unsafe])
        }
    }

    @Test("no directory is an empty configuration, without problems")
    func empty() {
        let loaded = ConfigurationDirectory(path: "/nonexistent/reelfs").load()
        #expect(loaded.sources.isEmpty)
        #expect(loaded.problems.isEmpty)
    }

    @Test("settings come back, keep comments, and what cannot be is reported")
    func settings() throws {
        try withDirectory { directory in
            var settings = Settings()
            settings.cacheSize = .percent(20)
            settings.minimumFree = 5 << 30
            settings.logLevel = .debug
            settings.cacheDirectory = "/big/\"cache\""
            settings.mountPoint = "/m"
            try directory.save(settings)
            #expect(directory.load().settings == settings)
            write(
                "# mine\ncache_size = 5000\nmount_point = \"~/Reel\"\nlog_level = \"loud\"\ncache_directory = \"rel\"\nminimum_free = true\nx = 1\n",
                directory.settingsPath)
            let loaded = directory.load()
            #expect(loaded.settings.cacheSize == .bytes(5000))
            #expect(loaded.settings.mountPoint == "/home/ann/Reel")
            #expect(loaded.settings.logLevel == nil)
            #expect(loaded.problems.filter { $0.kind == .invalidValue }.count == 3)
            #expect(loaded.problems.filter { $0.kind == .unknownKey }.count == 1)
            var changed = loaded.settings
            changed.cacheSize = .bytes(6000)
            try directory.save(changed)
            #expect(try text(directory.settingsPath).hasPrefix("# mine\ncache_size = \"6000\"\n"))
        }
    }

    @Test("a fault at any step leaves the old file or the new one, whole, and nothing beside it")
    func faults() throws {
        for step in AtomicFile.Step.allCases {
            try withDirectory { good in
                let old = ConfiguredSource(definition: SourceDefinition(name: try name("a"), url: "https://old/"))
                let new = ConfiguredSource(definition: SourceDefinition(name: try name("a"), url: "https://new/"))
                try good.save(old, replaces: false)
                let failing = ConfigurationDirectory(
                    path: good.path, home: nil, files: CheckedFile(), writer: AtomicFile(fault: { $0 == step ? ENOSPC : nil }))
                do throws(ConfigurationError) {
                    try failing.save(new, replaces: true)
                    Issue.record("\(step) did not fail")
                } catch { #expect(error.code == .system(errno: ENOSPC)) }
                let loaded = good.load()
                #expect(loaded.sources == (step == .syncDirectory ? [new] : [old]), "\(step)")
                #expect(loaded.problems.isEmpty)
                let descriptor = try #require(opendir(good.sourcesPath))
                defer { closedir(descriptor) }
                while let entry = readdir(descriptor) {
                    let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
                    #expect([".", "..", "a.toml", "a.toml.bak"].contains(String(decoding: bytes, as: UTF8.self)))
                }
                try good.save(new, replaces: true)
                #expect(good.load().sources == [new])
            }
        }
    }
}

@Suite("Files of the configuration")
struct CheckedFileTests {
    static func read(_ path: String) throws -> [UInt8]? {
        var problems: [ConfigurationProblem] = []
        return try CheckedFile().read(path, .notWritableByOthers, problems: &problems)
    }

    @Test("directories, pipes and huge files are refused, without waiting")
    func kinds() throws {
        let root = try TemporaryDirectory("files")
        #expect(throws: ConfigurationError.self) { try Self.read(root.path) }
        mkfifo(root.path + "/pipe", 0o600)
        #expect(throws: ConfigurationError.self) { try Self.read(root.path + "/pipe") }
        let huge = open(root.path + "/huge", O_WRONLY | O_CREAT, 0o600)
        ftruncate(huge, 1 << 40)
        close(huge)
        #expect(throws: ConfigurationError.self) { try Self.read(root.path + "/huge") }
        #expect(try Self.read(root.path + "/none") == nil)
    }

    @Test("headers are read line by line, and what could split a request is refused")
    func headers() {
        let headers = SecretHeader.parse(lines: "# comment\n\nX-A:  1 \r\nX-B: b:c\n")
        #expect(headers?.map(\.name) == ["X-A", "X-B"])
        #expect(headers?.map { $0.value.reveal() } == ["1", "b:c"])
        #expect(SecretHeader.parse(lines: "no colon") == nil)
        #expect(SecretHeader.parse(lines: "a b: c") == nil)
        #expect(SecretHeader(name: "a", value: Secret("x\r\ny: z")) == nil)
        #expect(SecretHeader(name: "", value: Secret("x")) == nil)
        #expect(SourceSecrets.oneLine("p\r\n")?.reveal() == "p")
        #expect(SourceSecrets.oneLine("p\n\n")?.reveal() == "p\n")
        #expect(SourceSecrets.oneLine("\n") == nil)
    }
}

@Suite("Password commands", .serialized)
struct PasswordCommandTests {
    @Test("what the command prints is the password")
    func prints() async throws {
        #expect(try await Blocking.run { try PasswordCommand.run("printf 'ge heim\\n'") }.reveal() == "ge heim")
    }

    @Test(
        "a command that fails, prints nothing or prints without end gives an error without its text",
        arguments: [
            "echo secret; exit 3", "true", "yes secret", "kill -9 $$", "no-such-command-here 2>/dev/null",
        ])
    func failures(_ command: String) async throws {
        let error = await Blocking.run { () -> ConfigurationError? in
            do throws(ConfigurationError) {
                _ = try PasswordCommand.run(command, deadline: .seconds(10))
                return nil
            } catch { return error }
        }
        #expect(error?.code == .command)
        #expect(error?.description.contains("secret") == false)
    }

    @Test("a command that hangs is ended at the deadline, with its children", arguments: ["sleep 60", "sleep 60 & wait", "exec >&-; sleep 60"])
    func deadline(_ command: String) async throws {
        let start = ContinuousClock.now
        let failed = await Blocking.run { (try? PasswordCommand.run(command, deadline: .milliseconds(500))) == nil }
        #expect(failed)
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}
