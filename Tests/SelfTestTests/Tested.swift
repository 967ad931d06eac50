import Diagnostics
import HTTPFiles
import HTTPIndexSource
import OriginReport
import SelfTest
import SourceAPI
import TestSupport
import Testing
import Transport
import WebDAVSource

/// Runs a self-test on an address, with short deadlines.
enum Tested {
    static func report(_ url: String, _ type: String, access: HTTPAccess = HTTPAccess(), patience: HTTPDeadlines? = nil) async throws -> OriginReport
    {
        let client = HTTPClient(
            log: .silent, patience: patience ?? HTTPDeadlines(connect: .seconds(1), idle: .seconds(1), total: .seconds(2)),
            largestBody: Prober.largestBody)
        defer { client.shutdown() }
        let address = try #require(HTTPURL(url))
        let source: any LinkedSource =
            type == "webdav"
            ? WebDAVDrive(address: address, client: client, access: access, log: .silent)
            : HTTPIndex(address: address, client: client, access: access, log: .silent)
        let report = await SelfTest(source: source, type: type, prober: Prober(client: client)) { _ in }.run()
        #expect(report.bytes <= 16 << 20)
        return report
    }

    static let tree: FaultTree = {
        var random = RepeatableRandom(seed: 5)
        var tree = FaultTree()
        tree.add("/film.bin", FaultTree.File(random.bytes(1_500_001)))
        tree.add("/sub dir/note.txt", FaultTree.File(Array("hello".utf8)))
        return tree
    }()

    /// What a server with these faults gets told.
    static func report(_ faults: [Fault], type: String = "webdav") async throws -> OriginReport {
        let origin = FaultOrigin(tree, faults)
        defer { origin.stop() }
        return try await report(origin.url, type)
    }
}

extension OriginReport {
    func has(_ check: String, _ level: OriginFinding.Level, _ words: String = "") -> Bool {
        findings.contains { $0.check == check && $0.level == level && (words.isEmpty || $0.seen.contains(words)) }
    }

    var text: String { findings.map { "\($0.level) \($0.check): \($0.seen)" }.joined(separator: "\n") }
}
