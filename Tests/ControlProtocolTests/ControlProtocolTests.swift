import Configuration
import Diagnostics
import TestSupport
import Testing

@testable import ControlProtocol

@Suite("Messages of the control socket")
struct ControlProtocolTests {
    private static func inline() throws -> InlineSource {
        var definition = SourceDefinition(name: try #require(SourceName("电影")), type: .webdav, url: "https://host/\"?a=b")
        definition.cacheKey = .stripNames(["t"])
        definition.rewrites = [Rewrite(from: "a", to: "b")]
        var secrets = SourceSecrets()
        secrets.password = Secret("hunter2\n\"")
        secrets.bearer = Secret("bearer-x")
        secrets.link = Secret("https://host/link-x")
        secrets.headers = [try #require(SecretHeader(name: "X", value: Secret("header-x")))]
        return InlineSource(ConfiguredSource(definition: definition, secrets: secrets))
    }

    private static func requests() throws -> [ControlRequest] {
        let path = PathReference(given: "a/\u{1}\n\"电", absolute: "/m/a")
        let name = try #require(SourceName("a b"))
        return [
            .hello, .mounts, .sourcesChanged, .cacheClear, .stop, .status(everyMilliseconds: nil), .status(everyMilliseconds: .max),
            .mount(request: MountRequest(content: .configured, mountPoint: "/m", options: ["ro"])),
            .mount(request: MountRequest(content: .named(names: [name]), mountPoint: "/m")),
            .mount(request: MountRequest(content: .inline(sources: [try inline()]), mountPoint: "/m")), .unmount(target: .all, lazy: true),
            .unmount(target: .mountPoint(path: "/m"), lazy: false), .cacheList(path: nil), .cacheList(path: path), .cacheShow(path: path),
            .cacheVerify(path: nil), .cacheDrop(paths: [path, path]), .cacheLimit(maximumBytes: .max, minimumFreeBytes: nil),
            .cacheExport(paths: [path], directory: "/d"), .get(paths: [path], directory: nil), .refresh(path: path),
            .forget(source: name, purge: true), .check(sources: []),
        ]
    }

    private static func replies() -> [ControlReply] {
        let progress = TransferProgress(item: "电\u{1B}", itemsDone: 1, itemsTotal: nil, bytesDone: .max, bytesTotal: .max, bytesPerSecond: 0)
        let mount = MountStatus(mountPoint: "/m", sources: ["a"], isSingleRoot: true, options: ["ro"], openFiles: .max)
        let cache = CacheStatus(
            directory: "/c", bytes: 1 << 63, maximumBytes: .max, minimumFreeBytes: 0, diskFreeBytes: 1, objects: 1, fault: "disk full")
        let report = StatusReport(
            daemon: DaemonStatus(processID: 1, version: "0", uptimeSeconds: 1, cacheDirectory: "/c", configurationDirectory: "/k", residentBytes: 1),
            mounts: [mount], sources: [SourceStatus(name: "a", type: nil, url: "u", health: .down, detail: "x", listedAt: .min)],
            openFiles: [OpenFileStatus(source: "a", path: "b", size: .max, cachedBytes: 1)], cache: cache,
            transfer: TransferStatus(requests: 1, bytesReceived: 2, errors: 3, openConnections: 4, bytesReceivedPerSecond: 5, bytesReadPerSecond: 6))
        let object = CachedObjectStatus(source: "s", path: "p", size: 1, cachedBytes: 1, lastUsed: -1, isOpen: false)
        let failure = ItemFailure(item: "i", message: "m", advice: nil)
        return [
            .event(event: .progress(progress: progress)), .event(event: .status(report: report)), .event(event: .note(text: "\n")),
            .answer(answer: .done),
            .answer(answer: .hello(hello: DaemonHello(programVersion: "1", processID: 2, cacheDirectory: "c", configurationDirectory: "d"))),
            .answer(answer: .mounted(mount: mount)), .answer(answer: .unmounted(mountPoints: ["/m"], lazy: [])), .answer(answer: .mounts(mounts: [])),
            .answer(answer: .status(report: report)), .answer(answer: .cacheObjects(objects: [object])),
            .answer(
                answer: .cacheObject(
                    object: object, detail: CachedObjectDetail(ranges: [.init(start: 0, end: .max)], version: "v", diskBytes: 1))),
            .answer(answer: .verified(report: VerifyReport(objects: 1, blocks: 2, bytes: 3, damagedBlocks: 4))),
            .answer(answer: .freed(bytes: 1, objects: 2, keptInUse: 3)), .answer(answer: .limits(cache: cache)),
            .answer(answer: .fetched(report: FetchReport(files: 1, bytes: 2, bytesAlreadyThere: 3, failures: [failure]))),
            .answer(answer: .refreshed(directories: 1, failures: [failure])),
            .answer(answer: .checks(findings: [Finding(.fault, "s", "m", advice: "a")])),
            .failure(error: ControlError(.busy, "m", advice: "a")),
        ]
    }

    @Test("every request comes back as it was sent, on one line")
    func requests() throws {
        for request in try Self.requests() {
            let line = try ControlMessage.encode(request)
            #expect(line.last == 10)
            #expect(line.filter { $0 == 10 }.count == 1)
            #expect(try ControlMessage.decodeRequest(Array(line.dropLast())) == request)
        }
    }

    @Test("every reply comes back as it was sent, on one line, with all 64 bits of its numbers")
    func replies() throws {
        for reply in Self.replies() {
            let line = try ControlMessage.encode(reply)
            #expect(line.filter { $0 == 10 }.count == 1)
            #expect(try ControlMessage.decodeReply(Array(line.dropLast())) == reply)
        }
    }

    @Test("secrets are in no description of a request")
    func descriptions() throws {
        let request = ControlRequest.mount(request: MountRequest(content: .inline(sources: [try Self.inline()]), mountPoint: "/m"))
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), dumped] {
            for secret in ["hunter2", "bearer-x", "link-x", "header-x"] { #expect(!text.contains(secret)) }
        }
    }

    @Test("another version, an unknown request and what is no message are told apart")
    func mismatches() {
        func code(_ text: String) -> ControlError.Code? {
            do throws(ControlError) {
                _ = try ControlMessage.decodeRequest(Array(text.utf8))
                return nil
            } catch { return error.code }
        }
        #expect(code("{\"version\":2,\"request\":{\"hello\":{}}}") == .protocolMismatch)
        #expect(code("{\"version\":1,\"request\":{\"dance\":{}}}") == .protocolMismatch)
        #expect(code("{\"version\":1,\"request\":{\"hello\":{}},\"later\":[1]}") == nil)
        #expect(code("{\"request\":{\"hello\":{}}}") == .malformed)
        #expect(code("") == .malformed)
        #expect(code(String(repeating: "[", count: 100_000)) == .malformed)
    }

    @Test("a message longer than a line may be is refused where it is made")
    func tooLong() {
        let long = String(repeating: "x", count: ControlMessage.maximumLine)
        do throws(ControlError) {
            _ = try ControlMessage.encode(.event(event: .note(text: long)))
            Issue.record("written")
        } catch { #expect(error.code == .invalid) }
    }

    @Test("damaged lines are refused or read as other messages, and never crash")
    func damaged() throws {
        var random = RepeatableRandom.forTest()
        let lines =
            try Self.requests().map { Array(try ControlMessage.encode($0).dropLast()) }
            + Self.replies().map { Array(try ControlMessage.encode($0).dropLast()) }
        for _ in 0..<2000 {
            guard var line = lines.randomElement(using: &random) else { continue }
            for _ in 0..<Int.random(in: 1...4, using: &random) where !line.isEmpty {
                let index = Int.random(in: 0..<line.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: line[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: line.remove(at: index)
                default: line.removeSubrange(index...)
                }
            }
            _ = try? ControlMessage.decodeRequest(line)
            _ = try? ControlMessage.decodeReply(line)
        }
    }

    @Test("a path is below a mount point, or a source and a path in it")
    func paths() {
        let path = PathReference(given: "cloud//a b/", absolute: "/m/cloud/a b")
        #expect(path.below(mountPoint: "/m") == "cloud/a b")
        #expect(path.below(mountPoint: "/m/cloud/a b") == "")
        #expect(path.below(mountPoint: "/m/clou") == nil)
        #expect(path.below(mountPoint: "/") == "m/cloud/a b")
        #expect(path.sourceAndPath?.source.text == "cloud")
        #expect(path.sourceAndPath?.path == "a b")
        for given in ["/cloud/a", "./cloud", "../cloud", "cloud/../x", "", ".", "-x"] {
            #expect(PathReference(given: given, absolute: "/").sourceAndPath == nil)
        }
    }
}
