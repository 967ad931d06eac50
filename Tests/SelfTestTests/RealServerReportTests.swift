import Diagnostics
import OriginReport
import TestSupport
import Testing
import Transport

/// What real servers get told.
@Suite("Reports on real servers", .serialized) struct RealServerReportTests {
    private static let patience = HTTPDeadlines(connect: .seconds(10), idle: .seconds(10), total: .seconds(20))

    @Test("real servers can be used in full, Python's with limits", arguments: Origin.present)
    func servers(origin: Origin) async throws {
        let directory = try TemporaryDirectory("selftest")
        let root = try directory.directory("root")
        _ = try TreeMaker.makeFile(at: "\(root)/a film#1.mkv", size: 2_000_003)
        try FileTree.makeDirectory("\(root)/sub")
        let server = try await origin.start(root)
        let report = try await Tested.report(server.url, origin.type, patience: Self.patience)
        #expect(report.verdict == (origin == .python ? .limited : .full), "\(origin)\n\(report.text)")
        #expect(report.has("as reelfs lists it", .ok, "2 entries"), "\(origin)\n\(report.text)")
        let format: String? =
            switch origin {
            case .nginxPages, .demoPages: "nginx"
            case .nginxJSON: "JSON"
            case .apachePages: "Apache"
            case .python: "Python"
            case .lighttpd: "lighttpd"
            default: nil
            }
        if let format { #expect(report.has("format", .ok, format), "\(origin)\n\(report.text)") }
    }

    @Test("bytes that come from another origin are told, and no credential follows")
    func otherOrigin() async throws {
        let other = FaultOrigin(Tested.tree, host: "127.0.0.2")
        let origin = FaultOrigin(Tested.tree, [Fault(.redirect(base: other.base), .files)])
        let access = HTTPAccess(credentials: .password(user: "ann", password: Secret("hush")))
        let report = try await Tested.report(origin.url, "webdav", access: access)
        #expect(report.has("redirects", .note, "127.0.0.2") && report.verdict == .full, "\(report.text)")
        #expect(!other.requests.isEmpty && other.requests.allSatisfy { $0["Authorization"] == nil })
        origin.stop()
        other.stop()
    }

    @Test("texts that are secret are hidden wherever they stand")
    func hidden() {
        var report = OriginReport(address: "https://host/")
        report.findings = [.bad(.reading, "x", "GET https://host/abcdef/film?t=abcdef failed", effect: "tell ab abcdef", .limits)]
        report.hide(["abcdef", "ab", ""])
        #expect(report.findings[0].seen == "GET https://host/…/film?t=… failed" && report.findings[0].effect == "tell ab …")
    }
}
