import OriginReport
import SelfTest
import TestSupport
import Testing

/// A server with a fault gets a report that names the fault, and a verdict that fits it.
@Suite("Reports on faults", .serialized) struct FaultReportTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var fault: Fault.Kind
        var hits: Fault.Selector
        var check: String
        var level: OriginFinding.Level
        var words: String
        var verdict: OriginReport.Verdict
        var testDescription: String { "\(fault)" }

        init(
            _ fault: Fault.Kind, _ hits: Fault.Selector, _ check: String, _ level: OriginFinding.Level, _ words: String,
            _ verdict: OriginReport.Verdict
        ) {
            self.fault = fault
            self.hits = hits
            self.check = check
            self.level = level
            self.words = words
            self.verdict = verdict
        }
    }

    @Test("the server without faults can be used in full, and every finding is ok", arguments: ["webdav", "http"])
    func right(type: String) async throws {
        let report = try await Tested.report([], type: type)
        #expect(report.verdict == .full, "\(report.text)")
        #expect(report.findings.allSatisfy { $0.level == .ok }, "\(report.text)")
        for check in ["first bytes", "middle", "last bytes", "same bytes", "suffix", "beyond the end", "If-Range", "in parallel", "HEAD"] {
            #expect(report.has(check, .ok), "\(check)\n\(report.text)")
        }
        #expect(report.has("validator", .ok) && report.has("stability", .ok) && report.has("length", .ok))
        #expect(report.has("as reelfs reads it", .ok) && report.has("as reelfs lists it", .ok))
    }

    static let files: [Case] = [
        Case(.ignoresRange, .files, "middle", .bad, "ignores Range", .limited),
        Case(.contentRange(nil), .files, "middle", .bad, "without Content-Range", .unusable),
        Case(.contentRange("bytes 0-0/1"), .files, "middle", .bad, "Content-Range bytes 0-0/1", .unusable),
        Case(.contentRange("rows 1-2/3"), .files, "middle", .bad, "cannot be right", .unusable),
        Case(.shiftedContentRange(1), .files, "middle", .bad, "Content-Range bytes", .unusable),
        Case(.otherTotal(3), .files, "middle", .bad, "tells a length", .unusable),
        Case(.wholeWithContentRange, .files, "middle", .bad, "200 with Content-Range", .limited),
        Case(.bodyFromStart, .files, "same bytes", .bad, "first byte whatever", .unusable),
        Case(.multipart, .files, "middle", .bad, "several parts", .unusable),
        Case(.shorter(1), Fault.Selector(.files, method: "GET"), "middle", .bad, "in place of", .unusable),
        Case(.longer(1), Fault.Selector(.files, method: "GET"), "middle", .bad, "in place of", .unusable),
        Case(.gzip, .files, "middle", .bad, "gzip though identity", .unusable),
        Case(.reset(.body(10)), .files, "middle", .bad, "film.bin", .unusable),
        Case(.stall(.body(10)), .files, "middle", .bad, "no byte for", .unusable),
        Case(.reset(.body(10)), Fault.Selector(.files, turn: .only(1)), "middle", .bad, "film.bin", .limited),
        Case(
            .status(429, retryAfter: "1"), Fault.Selector(.files, method: "GET", turn: .only(1)), "middle", .bad, "status 429, Retry-After 1",
            .limited),
        Case(.status(503), Fault.Selector(.files, method: "GET", turn: .only(8)), "in parallel", .bad, "status 503", .limited),
        Case(.loginRequired, Fault.Selector(.files, turn: .from(4)), "in parallel", .bad, "401", .unusable),
        Case(.loginPage, .files, "middle", .bad, "a page", .unusable),
        Case(.notHTTP, .files, "middle", .bad, "", .unusable),
        Case(.changingEntityTag, .files, "stability", .bad, "changes from reply to reply", .unusable),
        Case(.otherVersion, Fault.Selector(.files, turn: .from(3)), "stability", .bad, "changes from reply to reply", .unusable),
        Case(.otherLength(9), Fault.Selector(.files, turn: .from(2)), "length", .bad, "differs", .unusable),
        Case(.otherLength(9), .files, "length", .bad, "the listing tells", .unusable),
        Case(.weakEntityTag, .files, "validator", .ok, "weak entity tag, but a time", .full),
        Case(.noEntityTag, .files, "validator", .ok, "no entity tag, but a time", .full),
        Case(.noValidator, .files, "validator", .bad, "no entity tag, no time", .limited),
        Case(.twoEntityTags, .files, "validator", .note, "two entity tags", .full),
        Case(.status(405), .head, "HEAD", .note, "405", .full),
        Case(.headLength(5), .head, "HEAD", .note, "tells 5 bytes", .full),
        Case(.stall(.head(0)), .head, "HEAD", .note, "no byte for", .full),
        Case(.redirectLoop, .files, "middle", .bad, "redirects", .unusable),
        Case(.redirectTo("ftp://127.0.0.1/x"), .files, "middle", .bad, "redirect to something", .unusable),
    ]

    @Test("a fault of files is named", arguments: files)
    func ofFiles(item: Case) async throws { try await expect(item) }

    static let listings: [Case] =
        [Fault.HrefStyle.relative, .absoluteURL, .otherHost, .otherPort, .networkPath].map {
            Case(.hrefs($0), .listings, "hrefs", .note, "", .full)
        } + [
            Case(.hrefs(.doublyEncoded), .listings, "escapes", .note, "twice", .full),
            Case(.doubledEntries, .listings, "doubled", .note, "twice", .full),
            Case(.deeperEntries, .listings, "elsewhere", .note, "deeper", .full),
            Case(.withoutItself, .listings, "itself", .note, "no response", .full),
            Case(.withoutSizes, .listings, "sizes", .note, "missing", .full),
            Case(.withoutDAVField, .listings, "OPTIONS", .note, "no DAV", .full),
            Case(.contentType("text/plain"), .listings, "media type", .note, "text/plain", .full),
            Case(.insufficientStorage, .listings, "itself", .bad, "507", .unusable),
            Case(.entityBomb, .listings, "PROPFIND depth 1", .bad, "entities", .unusable),
            Case(.truncated(percent: 60), .listings, "PROPFIND depth 1", .bad, "cut off", .unusable),
            Case(.empty, .listings, "PROPFIND depth 1", .bad, "without any response", .unusable),
            Case(.loginPage, .listings, "PROPFIND depth 1", .bad, "status 200 with text/html", .unusable),
            Case(.loginRequired, .listings, "PROPFIND depth 1", .bad, "401", .unusable),
            Case(.stall(.body(50)), .listings, "PROPFIND depth 1", .bad, "no byte for", .unusable),
        ]

    @Test("a fault of listings is named", arguments: listings)
    func ofListings(item: Case) async throws { try await expect(item) }

    private func expect(_ item: Case) async throws {
        let report = try await Tested.report([Fault(item.fault, item.hits)])
        #expect(report.has(item.check, item.level, item.words), "\(report.text)")
        #expect(report.verdict == item.verdict, "\(report.text)")
        // Whatever is bad says what follows from it.
        #expect(report.findings.allSatisfy { $0.level != .bad || $0.effect != nil })
    }

    @Test("a listing beyond the bounds of the test is no fault, and told")
    func largeListing() async throws {
        let origin = FaultOrigin(Tested.tree, [Fault(.manyEntries(20_000), .listings)])
        defer { origin.stop() }
        let report = try await Tested.report(origin.url, "webdav", patience: Prober.patience)
        #expect(report.has("PROPFIND depth 1", .note, "more than 4 MiB") && report.verdict == .full, "\(report.text)")
    }

    @Test("a file that fails beside others that work is told, and no verdict on the server")
    func brokenNeighbour() async throws {
        var tree = Tested.tree
        tree.add("/broken.bin", FaultTree.File([UInt8](repeating: 1, count: 5000)))
        let faults = [Fault(.roundedSizes, .listings), Fault(.status(403), Fault.Selector(.files, path: "/broken.bin"))]
        let origin = FaultOrigin(tree, faults)
        defer { origin.stop() }
        let report = try await Tested.report(origin.url, "http")
        #expect(report.has("another file", .note, "403") && report.verdict == .full, "\(report.text)")
    }

    @Test("directories whose listings are large stay within the bound of bytes")
    func largeDirectories() async throws {
        var tree = FaultTree()
        for number in 0..<8 { tree.add("/d\(number)/small.bin", FaultTree.File([1, 2, 3])) }
        let faults = (0..<8).map { Fault(.manyEntries(9000), Fault.Selector(.listings, path: "/d\($0)/")) }
        let origin = FaultOrigin(tree, faults)
        defer { origin.stop() }
        let report = try await Tested.report(origin.url, "webdav", patience: Prober.patience)
        #expect(report.verdict == .full && report.bytes > 6 << 20 && report.bytes <= 16 << 20, "\(report.bytes)\n\(report.text)")
    }

    @Test("an index whose links lead to another host, or that is cut, is named")
    func pages() async throws {
        for fault in [Fault.Kind.hrefs(.otherHost), .contentRange(nil), .loginPage, .status(404)] {
            let area: Fault.Selector = if case .contentRange = fault { .files } else { .listings }
            let report = try await Tested.report([Fault(fault, area)], type: "http")
            #expect(report.verdict == .unusable, "\(fault)\n\(report.text)")
        }
        let rounded = try await Tested.report([Fault(.roundedSizes, .listings)], type: "http")
        #expect(rounded.verdict == .full && rounded.has("as reelfs lists it", .ok, "0 of 1 files"), "\(rounded.text)")
    }
}
