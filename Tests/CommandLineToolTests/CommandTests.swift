import Configuration
import ControlProtocol
import ControlSocket
import Diagnostics
import Glibc
import OriginReport
import Synchronization
import TestSupport
import Testing

@testable import CommandLineTool

@Suite("Commands", .serialized)
struct CommandTests {
    @Test("add, list, set and remove work on files, and no secret is ever printed")
    func sources() async throws {
        let shell = try TestShell()
        var printed = ""
        func run(_ words: [String], input: String? = nil, password: String? = nil) async -> TestShell.Result {
            let result = await shell.run(words, input: input, password: password)
            printed += result.out + result.error
            return result
        }
        let added = await run(["add", "https://ann:topsecret1@cloud.example/dav/?key=topsecret2"])
        #expect(added.code == 0)
        #expect(added.out == "cloud.example\n")
        #expect(added.error.contains("history"))
        #expect(await run(["add", "https://nas.example/", "--user", "bob"], password: "topsecret3").out == "nas.example\n")
        #expect(await run(["add", "-", "--name", "film"], input: "https://share.example/s/topsecret4\n").code == 0)
        #expect(await run(["add", "links.txt", "--name", "电影", "--rewrite", "https://a/=https://b/"]).code == 0)
        #expect(await run(["add", "webdav://h/", "--name", "x", "--bearer-file", "-"], input: "topsecret5\n").code == 0)

        let directory = ConfigurationDirectory(path: shell.root.path + "/config/reelfs")
        let loaded = directory.load()
        #expect(loaded.problems.isEmpty)
        let sources = Dictionary(uniqueKeysWithValues: loaded.sources.map { ($0.name.text, $0) })
        #expect(sources["cloud.example"]?.definition.user == "ann")
        #expect(sources["cloud.example"]?.secrets.password?.reveal() == "topsecret1")
        #expect(sources["nas.example"]?.secrets.password?.reveal() == "topsecret3")
        #expect(sources["film"]?.location.reveal() == "https://share.example/s/topsecret4")
        #expect(sources["film"]?.definition.url == "https://share.example/")
        #expect(sources["电影"]?.definition.url == shell.root.path + "/links.txt")
        #expect(sources["电影"]?.definition.type == .list)
        #expect(sources["x"]?.definition.type == .webdav)
        #expect(sources["x"]?.secrets.bearer?.reveal() == "topsecret5")

        #expect(await run(["list"]).out.contains("电影"))
        #expect(await run(["list", "--json"]).out.contains("\"name\" : \"film\""))
        #expect(await run(["list", "--names"]).out.split(separator: "\n").count == 5)

        #expect(await run(["set", "nas.example", "--proxy", "socks5h://127.0.0.1:1", "--password-file", "-"], input: "topsecret6").code == 0)
        #expect(await run(["set", "nas.example", "--clear", "user", "--clear", "proxy"]).code == 0)
        var problems: [ConfigurationProblem] = []
        let changed = directory.load(try #require(SourceName("nas.example")), problems: &problems)
        #expect(changed?.definition.user == nil)
        #expect(changed?.definition.proxy == nil)
        #expect(changed?.secrets.password?.reveal() == "topsecret6")
        #expect(await run(["set", "nas.example", "--clear", "nothing"]).code == 2)
        #expect(await run(["set", "none", "--user", "x"]).code == 1)

        #expect(await run(["remove", "film", "x", "--purge"]).code == 0)
        #expect(shell.offline.withLock { $0.count } == 2)
        #expect(await run(["remove", "film"]).code == 1)
        #expect(await run(["list", "--names"]).out == "cloud.example\nnas.example\n电影\n")
        #expect(!printed.contains("topsecret"))
    }

    @Test(
        "mistakes end with status 2 and one line that says what to do",
        arguments: [
            ["add", "ftp://u:topsecret@h/"], ["add", "https://h/", "--name", "../x"], ["add", "https://h/", "--type", "ftp"],
            ["add", "https://h/", "--ca-cert", "/nonexistent"], ["add", "https://h/", "--proxy", "h:1"], ["add", "-", "--password-file", "-"],
            ["mount", "--user", "x", "/m"], ["mount", "https://h/"], ["unmount"], ["unmount", "--all", "/m"], ["cache", "export", "a"],
            ["mount", "https://a/", "https://b/", "/m", "--user", "x"], ["cache", "limit", "lots"], ["demo", "--port", "99999"],
            ["daemon", "--cache-size", "x"],
        ])
    func mistakes(_ words: [String]) async throws {
        let shell = try TestShell()
        let result = await shell.run(words, input: "https://h/")
        #expect(result.code == 2 || result.code == 1)
        #expect(result.out == "")
        #expect(result.error.hasPrefix("reelfs: "))
        #expect(result.error.filter { $0 == "\n" }.count == 1)
        #expect(result.error.contains(";") || result.error.contains("only one"))
        #expect(!result.error.contains("topsecret"))
    }

    @Test("without a daemon, status says so with status 3, the cache is answered offline, and refresh says what to do")
    func withoutDaemon() async throws {
        let shell = try TestShell()
        let status = await shell.run(["status"])
        #expect(status.code == 3)
        #expect(status.out == "reelfs is not running\n")
        #expect(await shell.run(["status", "--json"]).out.contains("\"running\" : false"))
        #expect(await shell.run(["refresh"]).code == 3)
        #expect(await shell.run(["cache", "clear"]).code == 0)
        #expect(await shell.run(["cache", "list"]).code == 1)
        #expect(shell.offline.withLock { $0 } == [.cacheClear, .cacheList(path: nil)])
        #expect(await shell.run(["unmount", "/nonexistent"]).code == 1)
    }

    @Test("mount gives the daemon names, all sources, or URLs with their secrets")
    func mount() async throws {
        let shell = try TestShell()
        let requests = Mutex<[MountRequest]>([])
        try await shell.withDaemon { request, _ throws(ControlError) in
            guard case .mount(let mount) = request else { return .done }
            requests.withLock { $0.append(mount) }
            return .mounted(mount: MountStatus(mountPoint: mount.mountPoint, sources: ["a"], isSingleRoot: true, options: mount.options))
        } _: {
            #expect(await shell.run(["mount", "m"]).code == 1)
            #expect(await shell.run(["add", "https://a.example/", "--name", "a"]).code == 0)
            let first = await shell.run(["mount", "m", "-o", "allow_other,uid=1", "-o", "umask=077"])
            #expect(first.code == 0, "\(first.error)")
            #expect(first.error.contains("mounted a on"))
            #expect(await shell.run(["mount", "a", "m"]).code == 0)
            #expect(await shell.run(["mount", "none", "m"]).code == 1)
            #expect(await shell.run(["mount", "--user", "ann", "https://x:1/a.mkv", "https://x:1/b/", "a", "m"], password: "pw").code == 0)
        }
        let seen = requests.withLock { $0 }
        let point = RealPath.resolve(shell.root.path + "/m", mountPoints: [])
        #expect(seen.map(\.mountPoint) == [point, point, point])
        guard seen.count == 3 else { return }
        #expect(seen[0].content == .configured)
        #expect(seen[0].options == ["allow_other", "uid=1", "umask=077"])
        #expect(seen[1].content == .named(names: [try #require(SourceName("a"))]))
        guard case .inline(let sources) = seen[2].content else {
            Issue.record("not inline")
            return
        }
        #expect(sources.map(\.source.name.text) == ["a-2", "x", "a"])
        #expect(sources.map(\.source.definition.url) == ["https://x:1/a.mkv", "https://x:1/b/", "https://a.example/"])
        #expect(sources.map { $0.source.secrets.password?.reveal() } == ["pw", "pw", nil])
    }

    @Test("mount -f runs the daemon in this process, with the mount as its task; mount.reelfs speaks as mount(8) does")
    func foreground() async throws {
        let shell = try TestShell()
        #expect(await shell.run(["mount", "-f", "https://h/", "m", "--cache-size", "5G", "--min-free", "2G", "-v"]).code == 7)
        let options = try #require(shell.daemons.withLock { $0.first })
        #expect(options.style == .foreground)
        #expect(options.endsWhenIdle)
        #expect(options.cacheSize == .bytes(5 << 30))
        #expect(options.minimumFree == 2 << 30)
        #expect(options.logLevel == .debug)
        #expect(options.mounts.count == 1)
        #expect(options.cacheDirectory == shell.root.path + "/cache/reelfs")
        #expect(await shell.run(["daemon", "--systemd", "--mount", "m"]).code == 7)
        let service = try #require(shell.daemons.withLock { $0.last })
        #expect(service.style == .systemd)
        #expect(!service.endsWhenIdle)
        #expect(service.mounts.first?.content == .configured)
        #expect(await shell.run(["daemon", "--mount", "m", "-o", "allow_other,umask=077"]).code == 7)
        #expect(shell.daemons.withLock { $0.last?.mounts.first?.options } == ["allow_other", "umask=077"])
        #expect(await shell.run(["daemon", "-o", "allow_other"]).code == 2)
        #expect(await shell.run(["a", "/m", "-f"], program: "/sbin/mount.reelfs").code == 0)
        #expect(await shell.run(["a"], program: "/sbin/mount.reelfs").code == 2)
    }

    @Test("the daemon's command line holds no secret")
    func daemonWords() async throws {
        let shell = try TestShell()
        guard
            case .run(let parsed) = try ArgumentParser.parse([
                "mount", "https://u:topsecret@h/?topsecret", "m", "--cache-size", "10%", "--log-level", "debug",
            ])
        else { return }
        let console = Console(
            out: { _ in }, error: { _ in }, readInput: { nil }, askSecret: { _ in nil }, isOutputTerminal: false, isErrorTerminal: false,
            columns: { 80 })
        let hooks = CommandLineHooks(
            runDaemon: { _ in 0 }, runDemo: { _ in 0 }, offline: { _, _, _ throws(ControlError) in .done },
            selfTest: { source, _ in OriginReport(address: source.publicURL) })
        let context = CommandContext(parsed, environment: shell.environment, hooks: hooks, console: console, workingDirectory: shell.root.path)
        let words = try DaemonStarter(context: context).words()
        #expect(!words.joined().contains("topsecret"))
        guard case .run(let daemon) = try ArgumentParser.parse(Array(words.dropFirst())) else {
            Issue.record("not understood")
            return
        }
        #expect(daemon.path == ["daemon"])
        #expect(daemon.value("cache-size") == "10%")
        #expect(daemon.value("cache-dir") == shell.root.path + "/cache/reelfs")
    }

    @Test("get shows progress, names what failed, and tells part of it by its status")
    func get() async throws {
        let shell = try TestShell()
        let asked = Mutex<ControlRequest?>(nil)
        try await shell.withDaemon { request, sink throws(ControlError) in
            asked.withLock { $0 = request }
            sink.send(
                .progress(progress: TransferProgress(item: "a\u{1B}", itemsDone: 1, itemsTotal: 2, bytesDone: 1, bytesTotal: 2, bytesPerSecond: 1)))
            return .fetched(
                report: FetchReport(files: 1, bytes: 2048, bytesAlreadyThere: 1024, failures: [ItemFailure(item: "b", message: "gone\u{1B}[2J")]))
        } _: {
            let plain = await shell.run(["get", "cloud/a", "--to", "out"])
            #expect(plain.code == 4)
            #expect(
                plain.error
                    == "1/2 a\\u{1b} 50% 1 B of 2 B 1 B/s 0:01 left\nreelfs: b: gone\\u{1b}[2J\n1 file, 2 KiB (1 KiB were there already), 1 failed\n")
            let bar = await shell.run(["get", "cloud/a"], terminal: true)
            #expect(bar.error.hasPrefix("\r1/2 a"))
            #expect(await shell.run(["get", "cloud/a", "--json"]).out.contains("\"bytesAlreadyThere\" : 1024"))
        }
        #expect(
            asked.withLock { $0 }
                == .get(
                    paths: [PathReference(given: "cloud/a", absolute: RealPath.resolve(shell.root.path, mountPoints: []) + "/cloud/a")],
                    directory: nil))
    }

    @Test("status shows the report, and follows it until the daemon ends")
    func status() async throws {
        let shell = try TestShell()
        let report = StatusReport(
            daemon: DaemonStatus(processID: 42, version: "0.1", uptimeSeconds: 61, cacheDirectory: "/c", configurationDirectory: "/k"),
            mounts: [MountStatus(mountPoint: "/m\u{1B}", sources: ["电影", "b"], isSingleRoot: false, options: [])],
            sources: [SourceStatus(name: "电影", type: .http, url: "https://h/", health: .down, detail: "refused", requests: 5)],
            openFiles: [OpenFileStatus(source: "b", path: "f", size: 100, cachedBytes: 50)],
            cache: CacheStatus(
                directory: "/c", bytes: 1024, maximumBytes: 2048, minimumFreeBytes: 0, diskFreeBytes: 4096, objects: 1, hits: 3, misses: 1),
            transfer: TransferStatus(requests: 1, bytesReceived: 2, errors: 0, openConnections: 0, bytesReceivedPerSecond: 0, bytesReadPerSecond: 0))
        try await shell.withDaemon { request, sink throws(ControlError) in
            guard case .status(let interval) = request else { return .done }
            if interval != nil { for _ in 0..<3 { sink.send(.status(report: report)) } }
            return .status(report: report)
        } _: {
            let text = await shell.run(["status"])
            #expect(text.code == 0)
            #expect(text.out.contains("pid 42, up 1:01, 1 mount"))
            #expect(text.out.contains("75% of reads from it"))
            #expect(text.out.contains("  电影: refused\n"))
            #expect(text.out.contains("b/f"))
            #expect(!text.out.contains("\u{1B}"))
            #expect(await shell.run(["status", "--json"]).out.contains("\"processID\" : 42"))
            #expect(await shell.run(["status", "--watch", "--json"]).out.split(separator: "\n").count == 3)
        }
    }

    @Test("doctor names faults with what to do, and ends with status 1")
    func doctor() async throws {
        let shell = try TestShell()
        #expect(await shell.run(["add", "https://h/", "--name", "a"]).code == 0)
        mkdir(shell.root.path + "/cache", 0o700)
        mkdir(shell.root.path + "/cache/reelfs", 0o755)
        chmod(shell.root.path + "/cache/reelfs", 0o755)
        let result = await shell.run(["doctor"])
        #expect(result.code == 1)
        #expect(result.out.contains("FAULT  cache: others may enter"))
        #expect(result.out.contains("-> run: chmod 700"))
        #expect(result.out.contains("FAULT  source a: down"))
        #expect(result.out.contains("library: libtest 1.2"))
        #expect(await shell.run(["doctor", "--json", "--offline"]).out.contains("\"level\" : \"fault\""))
    }

    @Test("selftest prints findings by area with what follows from them, and ends with the verdict's status")
    func selftest() async throws {
        let shell = try TestShell()
        let good = await shell.run(["selftest", "--verbose", "https://h/a/?sig=topsecret"])
        #expect(good.code == 0 && good.error.contains("asking"))
        #expect(good.out.contains("listing\n  note  hrefs  odd\\u{7}\n               -> reelfs compares paths\n"), "\(good.out)")
        #expect(good.out.contains("ranges\n  ok    middle  206\n") && good.out.contains("can be used in full"))
        #expect(!good.out.contains("topsecret"))
        #expect(await shell.run(["add", "https://h/", "--name", "broken"]).code == 0)
        let bad = await shell.run(["selftest", "broken", "--json"])
        #expect(bad.code == 1 && bad.out.contains("\"verdict\" : \"unusable\""))
        #expect(await shell.run(["selftest", "broken", "--user", "ann"]).code == 2)
        #expect(await shell.run(["selftest", "none"]).code == 1)
        let local = await shell.run(["selftest", "./links.txt"])
        #expect(local.code == 2 && local.error.contains("name a URL"))
    }

    @Test("doctor looks at the mount point of reelfs.toml")
    func doctorMountPoint() async throws {
        let shell = try TestShell()
        var settings = Settings()
        settings.mountPoint = shell.root.path + "/Reel"
        try ConfigurationDirectory(path: shell.root.path + "/config/reelfs").save(settings)
        #expect(await shell.run(["doctor", "--offline"]).out.contains("FAULT  mount point: \(shell.root.path)/Reel of reelfs.toml does not exist\n"))
        _ = try shell.root.file("Reel", "")
        #expect(await shell.run(["doctor", "--offline"]).out.contains("FAULT  mount point: \(shell.root.path)/Reel is not a directory\n"))
        unlink(shell.root.path + "/Reel")
        mkdir(shell.root.path + "/Reel", 0o755)
        #expect(await shell.run(["doctor", "--offline"]).out.contains("ok     mount point: \(shell.root.path)/Reel\n"))
    }

    @Test("a cache limit is kept in reelfs.toml")
    func limit() async throws {
        let shell = try TestShell()
        let asked = Mutex<ControlRequest?>(nil)
        try await shell.withDaemon { request, _ throws(ControlError) in
            asked.withLock { $0 = request }
            return .limits(
                cache: CacheStatus(directory: "/c", bytes: 0, maximumBytes: 5 << 30, minimumFreeBytes: 1 << 30, diskFreeBytes: 0, objects: 0))
        } _: {
            #expect(await shell.run(["cache", "limit", "5G"]).out == "0 B of at most 5 GiB; 1 GiB of the disk stay free\n")
        }
        #expect(asked.withLock { $0 } == .cacheLimit(maximumBytes: 5 << 30, minimumFreeBytes: nil))
        #expect(ConfigurationDirectory(path: shell.root.path + "/config/reelfs").load().settings.cacheSize == .bytes(5 << 30))
    }

    @Test("unmount asks the daemon, and tells what was busy")
    func unmount() async throws {
        let shell = try TestShell()
        try await shell.withDaemon { request, _ throws(ControlError) in
            guard case .unmount(let target, let lazy) = request else { return .done }
            guard case .mountPoint(let path) = target else { return .unmounted(mountPoints: ["/a", "/b"], lazy: ["/b"]) }
            if lazy { return .unmounted(mountPoints: [path], lazy: [path]) }
            throw ControlError(.notFound, "\(path) is not mounted", advice: "see: reelfs status")
        } _: {
            let all = await shell.run(["unmount", "--all"])
            #expect(all.code == 0)
            #expect(all.error == "unmounted /a\n/b is busy: detached, it goes when the last program closes its files\n")
            #expect(await shell.run(["unmount", "-z", "/x"]).code == 0)
            let refused = await shell.run(["unmount", "/x"])
            #expect(refused.code == 1)
            #expect(refused.error == "reelfs: /x is not mounted; see: reelfs status\n")
        }
    }
}
