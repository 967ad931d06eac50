import Bytes
import Diagnostics
import HTTPFiles
import SourceAPI
import TestSupport
import Testing
import Transport
import WebDAVSource

/// Drives on real servers show exactly what these serve: hard names, sizes, times, bytes.
@Suite("WebDAV servers", .serialized) struct WebDAVServerTests {
    private let directory: TemporaryDirectory
    private let root: String

    init() throws {
        directory = try TemporaryDirectory("webdav")
        root = try directory.directory("root")
    }

    private func credentials(_ options: ServerOptions) -> HTTPAccess {
        if case .none = options.login { return HTTPAccess() }
        return HTTPAccess(credentials: .password(user: options.user, password: Secret(options.password)))
    }

    private func compare(_ server: RealServer, _ access: HTTPAccess, path: String = "") async throws {
        let client = HTTPClient(log: .silent)
        let drive = WebDAVDrive(address: try #require(HTTPURL(server.url + path)), client: client, access: access, log: .silent)
        let found = try await SourceWalk(source: drive, root: root).compare(server.name)
        #expect(found.files > 50 && found.directories > 20)
        client.shutdown()
        await server.stop()
    }

    @Test("nginx with dav-ext, control characters in names included", .enabled(if: Nginx.missing == nil))
    func nginx() async throws {
        // dav-ext lists no names that begin with a dot.
        try TreeMaker.makeHardTree(at: root, names: (TreeMaker.hardNames + TreeMaker.controlNames).filter { !$0.hasPrefix(".") })
        try await compare(try await Nginx.start(root), HTTPAccess())
    }

    @Test("Apache mod_dav behind Digest", .enabled(if: Apache.missing == nil))
    func apacheDigest() async throws {
        try TreeMaker.makeHardTree(at: root)
        let options = ServerOptions(login: .digest)
        try await compare(try await Apache.start(root, options), credentials(options))
    }

    @Test("rclone serve webdav behind Basic", .enabled(if: Rclone.missing == nil))
    func rclone() async throws {
        try TreeMaker.makeHardTree(at: root)
        let options = ServerOptions(login: .basic)
        try await compare(try await Rclone.start(root, options), credentials(options))
    }

    @Test("WsgiDAV behind Digest", .enabled(if: WsgiDAV.missing == nil, "run Scripts/setup for WsgiDAV, or set REELFS_TEST_TOOLS"))
    func wsgidav() async throws {
        try TreeMaker.makeHardTree(at: root)
        let options = ServerOptions(login: .digest)
        try await compare(try await WsgiDAV.start(root, options), credentials(options))
    }

    @Test(
        "an address that is a file's shows this file, on each server",
        .enabled(if: Nginx.missing == nil && Apache.missing == nil && Rclone.missing == nil))
    func singleFile() async throws {
        try FileTree.write(Array("hello".utf8), to: "\(root)/a b#.txt")
        for server in [try await Nginx.start(root), try await Apache.start(root), try await Rclone.start(root)] {
            let client = HTTPClient(log: .silent)
            let drive = WebDAVDrive(address: try #require(HTTPURL(server.url + "a%20b%23.txt")), client: client, access: HTTPAccess(), log: .silent)
            let listing = try await drive.list(drive.root)
            #expect(listing.entries.map { String(decoding: $0.name, as: UTF8.self) } == ["a b#.txt"], "\(server.name)")
            #expect(listing.entries.map(\.size) == [5], "\(server.name)")
            let entry = try #require(listing.entries.first)
            let received = await CollectingSink.fetch(entry, .init(offset: 1, end: 4), from: drive)
            #expect(received.bytes == Array("ell".utf8), "\(server.name)")
            client.shutdown()
            await server.stop()
        }
    }

    @Test(
        "a missing directory is not found, wrong credentials are told, a server without WebDAV is told",
        .enabled(if: Nginx.missing == nil && Rclone.missing == nil))
    func failures() async throws {
        func code(_ url: String, _ access: HTTPAccess = HTTPAccess()) async throws -> SourceError.Code? {
            let client = HTTPClient(log: .silent)
            defer { client.shutdown() }
            let drive = WebDAVDrive(address: try #require(HTTPURL(url)), client: client, access: access, log: .silent)
            do throws(SourceError) {
                _ = try await drive.list(drive.root)
                return nil
            } catch { return error.code }
        }
        let nginx = try await Nginx.start(root)
        #expect(try await code(nginx.url + "no/such/") == .notFound)
        let rclone = try await Rclone.start(root, ServerOptions(login: .basic))
        #expect(try await code(rclone.url) == .loginRequired)
        #expect(try await code(rclone.url, HTTPAccess(credentials: .password(user: "ann", password: Secret("wrong")))) == .loginRequired)
        let python = try await PythonHTTP.start(root)
        #expect(try await code(python.url) == .unsupported)
        await python.stop()
        await rclone.stop()
        await nginx.stop()
    }
}
