import Bytes
import Diagnostics
import HTTPFiles
import HTTPIndexSource
import SourceAPI
import SourceDetection
import TestSupport
import Testing
import Transport
import WebDAVSource

/// The sources against server programs, without a mount: what a listing says, what a fetch brings.
@Suite("Sources on real servers", .serialized)
struct SourcesOnServersTests {
    let directory: TemporaryDirectory
    let root: String
    let client = HTTPClient(log: .silent)

    init() throws {
        directory = try TemporaryDirectory("sources")
        root = try directory.directory("root")
    }

    private func source(_ origin: Origin, _ address: String, _ access: HTTPAccess = HTTPAccess()) throws -> any Source {
        let url = try #require(HTTPURL(address))
        return origin.type == "webdav"
            ? WebDAVDrive(address: url, client: client, access: access, log: .silent)
            : HTTPIndex(address: url, client: client, access: access, log: .silent)
    }

    /// Every file below the root, by its path.
    private func walk(_ source: any Source) async throws -> [String: RemoteEntry] {
        var found: [String: RemoteEntry] = [:]
        var open: [(path: String, locator: EntryLocator)] = [("", source.root)]
        while let next = open.popLast() {
            for entry in try await source.list(next.locator).entries {
                let path = next.path + String(decoding: entry.name, as: UTF8.self)
                if entry.kind == .directory { open.append((path + "/", entry.locator)) } else { found[path] = entry }
            }
        }
        return found
    }

    private func fetch(_ source: any Source, _ entry: RemoteEntry, _ range: FileRange, pinned: Validator? = nil) async -> CollectingSink.Outcome {
        let sink = CollectingSink()
        let task = source.fetch(FetchRequest(entry: entry, range: range, pinned: pinned), into: sink)
        let outcome = await sink.outcome()
        task.cancel()
        return outcome
    }

    @Test("every name, exact size and byte of a hard tree", arguments: Origin.present)
    func everything(origin: Origin) async throws {
        let wanted = try TreeMaker.makeHardTree(at: root).filter { !origin.hides($0) }
        let server = try await origin.start(root)
        let source = try source(origin, server.url)
        let found = try await walk(source)
        #expect(Set(found.keys).symmetricDifference(wanted).isEmpty, "\(origin)")
        for (path, entry) in found {
            let bytes = try FileTree.read("\(root)/\(path)")
            let sized = entry.size == nil ? try await source.probe(entry) : entry
            #expect(sized.size == UInt64(bytes.count), "\(origin): \(path)")
            if origin.tellsTimes { #expect(entry.modified?.seconds == (try FileTree.facts("\(root)/\(path)").modifiedSeconds), "\(origin): \(path)") }
            guard !bytes.isEmpty else { continue }
            let outcome = await fetch(source, sized, FileRange(offset: 0, end: UInt64(bytes.count)))
            #expect(outcome.error == nil, "\(origin): \(path)")
            #expect(Octets(outcome.bytes) == Octets(bytes), "\(origin): \(path)")
        }
    }

    @Test("parts of a file, under the validator that the first reply pinned", arguments: Origin.present.filter { $0 != .python })
    func parts(origin: Origin) async throws {
        let bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 1_000_000)
        let server = try await origin.start(root)
        let source = try source(origin, server.url)
        var entry = try #require(try await source.list(source.root).entries.first)
        if entry.size == nil { entry = try await source.probe(entry) }
        let first = await fetch(source, entry, FileRange(offset: 500_000, end: 600_000))
        #expect(first.error == nil, "\(origin)")
        #expect(first.reply?.isRanged == true && first.reply?.offset == 500_000 && first.reply?.total == 1_000_000)
        #expect(Octets(first.bytes) == Octets(bytes[500_000..<600_000]))
        let pinned = try #require(first.reply?.validator)
        #expect(await fetch(source, entry, FileRange(offset: 999_999, end: 1_000_000), pinned: pinned).bytes == [bytes[999_999]])
        // Another version of the same length: no byte of it under the old pin.
        try TreeMaker.makeFile(at: "\(root)/file.bin", size: 1_000_000, seed: 99)
        try FileTree.setModified("\(root)/file.bin", TreeMaker.modified + 100)
        try await Task.sleep(for: .seconds(origin.noticesChangesAfter))
        let later = await fetch(source, entry, FileRange(offset: 0, end: 1000), pinned: pinned)
        #expect(later.error?.code == .changedUpstream, "\(origin): \(String(describing: later.error))")
        #expect(later.bytes.isEmpty)
    }

    @Test("a server that ignores ranges says so in its reply, and the whole file follows")
    func noRanges() async throws {
        let bytes = try TreeMaker.makeFile(at: "\(root)/file.bin", size: 300_000)
        let server = try await Origin.python.start(root)
        let source = try source(.python, server.url)
        let listed = try #require(try await source.list(source.root).entries.first)
        #expect(listed.size == nil)
        let entry = try await source.probe(listed)
        let outcome = await fetch(source, entry, FileRange(offset: 100_000, end: 300_000))
        #expect(outcome.reply?.isRanged == false && outcome.reply?.offset == 0)
        #expect(Octets(outcome.bytes) == Octets(bytes))
    }

    @Test("the kind of origin is found out", arguments: Origin.present)
    func detects(origin: Origin) async throws {
        try TreeMaker.makeFile(at: "\(root)/file.bin", size: 10)
        let server = try await origin.start(root)
        let kind = try await SourceDetector(client: client).kind(of: try #require(HTTPURL(server.url)), access: HTTPAccess())
        // Where a server speaks both, WebDAV tells more.
        let speaksBoth: Set<Origin> = [.nginxPages, .nginxJSON, .apachePages, .demoPages]
        #expect("\(kind)" == (speaksBoth.contains(origin) ? "webdav" : origin.type))
    }

    @Test("a missing directory is not found, a closed one wants a login, a dead server is unreachable", .enabled(if: Apache.missing == nil))
    func errors() async throws {
        try TreeMaker.makeFile(at: "\(root)/file.bin", size: 10)
        let options = ServerOptions(login: .digest)
        let server = try await Apache.start(root, options)
        func code(_ source: any Source) async -> SourceError.Code? {
            do throws(SourceError) { _ = try await source.list(source.root) } catch { return error.code }
            return nil
        }
        for origin in [Origin.apacheDav, .apachePages] {
            #expect(await code(try source(origin, server.url)) == .loginRequired)
            let wrong = HTTPAccess(credentials: .password(user: options.user, password: Secret("wrong")))
            #expect(await code(try source(origin, server.url, wrong)) == .loginRequired)
            let right = HTTPAccess(credentials: .password(user: options.user, password: Secret(options.password)))
            #expect(await code(try source(origin, server.url, right)) == nil)
            #expect(await code(try source(origin, server.url + "nothing/", right)) == .notFound)
        }
        await server.stop()
        #expect(await code(try source(.apacheDav, server.url)) == .unreachable)
    }
}
