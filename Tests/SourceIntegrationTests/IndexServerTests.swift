import Diagnostics
import HTTPFiles
import HTTPIndexSource
import SourceAPI
import TestSupport
import Testing
import Transport

/// Directory indexes of real servers show exactly what these serve.
@Suite("Index servers", .serialized) struct IndexServerTests {
    private let directory: TemporaryDirectory
    private let root: String

    init() throws {
        directory = try TemporaryDirectory("index")
        root = try directory.directory("root")
    }

    private func compare(_ server: RealServer, _ access: HTTPAccess = HTTPAccess()) async throws -> SourceWalk.Found {
        let client = HTTPClient(log: .silent)
        let index = HTTPIndex(address: try #require(HTTPURL(server.url)), client: client, access: access, log: .silent)
        let found = try await SourceWalk(source: index, root: root).compare(server.name)
        #expect(found.files > 50 && found.directories > 20)
        client.shutdown()
        await server.stop()
        return found
    }

    @Test("nginx in HTML tells every size exactly, control characters in names included", .enabled(if: Nginx.missing == nil))
    func nginxHTML() async throws {
        try TreeMaker.makeHardTree(at: root, names: visible(TreeMaker.hardNames + TreeMaker.controlNames))
        let found = try await compare(try await Nginx.start(root))
        #expect(found.probes == 0)
    }

    @Test("nginx in JSON tells every size exactly", .enabled(if: Nginx.missing == nil))
    func nginxJSON() async throws {
        try TreeMaker.makeHardTree(at: root, names: visible(TreeMaker.hardNames + TreeMaker.controlNames))
        let found = try await compare(try await Nginx.start(root, ServerOptions(index: .json)))
        #expect(found.probes == 0)
    }

    @Test("Apache's index, behind Digest, leaves sizes to probes", .enabled(if: Apache.missing == nil))
    func apache() async throws {
        try TreeMaker.makeHardTree(at: root)
        let options = ServerOptions(login: .digest)
        let access = HTTPAccess(credentials: .password(user: options.user, password: Secret(options.password)))
        let found = try await compare(try await Apache.start(root, options), access)
        #expect(found.probes == found.files)
    }

    @Test("lighttpd's index leaves sizes to probes", .enabled(if: Lighttpd.missing == nil))
    func lighttpd() async throws {
        try TreeMaker.makeHardTree(at: root)
        let found = try await compare(try await Lighttpd.start(root))
        #expect(found.probes == found.files)
    }

    @Test("Python's index leaves sizes to probes", .enabled(if: PythonHTTP.missing == nil))
    func python() async throws {
        try TreeMaker.makeHardTree(at: root)
        let found = try await compare(try await PythonHTTP.start(root))
        #expect(found.probes == found.files)
    }

    /// nginx lists no names that begin with a dot.
    private func visible(_ names: [String]) -> [String] { names.filter { !$0.hasPrefix(".") } }
}
