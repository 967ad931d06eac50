import Bytes
import SourceAPI
import TestSupport
import Testing

/// Listings of a server that fails in one way: the whole directory or a typed error, never a part of it, never an empty one.
@Suite("Faults of listings", .serialized) struct ListingFaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var fault: Fault.Kind
        /// With which errors it may fail; empty: the listing must be whole.
        var codes: [SourceError.Code]
        var kinds: [FaultyReading.Kind]
        var testDescription: String { "\(fault)" }

        init(_ fault: Fault.Kind, _ codes: SourceError.Code..., only: FaultyReading.Kind? = nil) {
            self.fault = fault
            self.codes = codes
            kinds = only.map { [$0] } ?? FaultyReading.Kind.allCases
        }
    }

    static let cases: [Case] =
        Fault.HrefStyle.allCases.filter { $0 != .doublyEncoded }.map { style in
            // A page's links to another host are none of this directory.
            Case(.hrefs(style), only: .webdav)
        } + [
            Case(.hrefs(.relative), only: .http), Case(.hrefs(.absoluteURL), only: .http), Case(.hrefs(.networkPath), only: .http),
            Case(.hrefs(.otherHost), .malformed, only: .http),
            Case(.doubledEntries), Case(.deeperEntries), Case(.itselfAgain), Case(.withoutItself), Case(.failedPropertiesFirst),
            Case(.empty, .malformed, only: .webdav),
            Case(.insufficientStorage, .malformed, only: .webdav),
            Case(.entityBomb, .malformed, only: .webdav),
            Case(.contentType("text/plain"), only: .webdav), Case(.contentType(nil), only: .webdav), Case(.contentType("text/html"), only: .webdav),
            Case(.truncated(percent: 50), .malformed, only: .webdav), Case(.truncated(percent: 99), .malformed, only: .webdav),
            Case(.truncated(percent: 0), .malformed, .unsupported),
            Case(.loginPage, .unsupported, .loginRequired), Case(.loginRequired, .loginRequired),
            Case(.gzip, .malformed, .unsupported),
            Case(.withoutSizes), Case(.roundedSizes), Case(.unframed), Case(.chunked),
            Case(.notHTTP, .malformed, .unreachable), Case(.twoLengths, .malformed),
            Case(.close(.head(20)), .unreachable, .malformed, .timedOut), Case(.close(.body(100)), .unreachable, .timedOut),
            Case(.reset(.body(300)), .unreachable, .timedOut), Case(.stall(.head(0)), .timedOut), Case(.stall(.body(100)), .timedOut),
            Case(.drip(.body(0), bytes: 1, milliseconds: 50), .timedOut),
            Case(.status(500), .unreachable, .timedOut), Case(.status(503, retryAfter: "60"), .throttled(retryAfter: .seconds(60))),
            Case(.status(429, retryAfter: "60"), .throttled(retryAfter: .seconds(60))), Case(.status(404), .notFound), Case(.status(403), .denied),
            Case(.status(204), .malformed, .unsupported),
            Case(.redirectLoop, .malformed, .notFound), Case(.redirectTo("gopher://127.0.0.1/"), .refused, .malformed),
        ] + DateDialect.allCases.map { Case(.dates($0), only: .webdav) }

    @Test("a fault of every listing gives the whole directory or its error", arguments: cases)
    func everyListing(item: Case) async throws {
        for kind in item.kinds {
            let reading = try FaultyReading(kind, [Fault(item.fault, .listings)])
            defer { reading.close() }
            switch await reading.list() {
            case .right: #expect(item.codes.isEmpty, "\(kind): a listing came")
            case .failed(let code): #expect(item.codes.contains(code), "\(kind): \(code)")
            }
        }
    }

    @Test("times are understood in every dialect", arguments: DateDialect.allCases)
    func dates(dialect: DateDialect) async throws {
        let reading = try FaultyReading(.webdav, [Fault(.dates(dialect), .listings)])
        defer { reading.close() }
        let entries = try await reading.source.list(reading.source.root).entries
        #expect(entries.allSatisfy { $0.modified?.seconds == TreeMaker.modified })
    }

    @Test("names that a proxy encodes once too often are found and read")
    func doublyEncoded() async throws {
        let reading = try FaultyReading(.webdav, [Fault(.hrefs(.doublyEncoded), .listings)])
        defer { reading.close() }
        #expect(await reading.read() == .right)
    }

    @Test("a page cut off where no length tells is an error, at whatever byte")
    func cutPages() async throws {
        for percent in stride(from: 5, to: 100, by: 5) {
            let reading = try FaultyReading(.http, [Fault(.truncated(percent: percent), .listings), Fault(.unframed, .listings)])
            defer { reading.close() }
            #expect(await reading.list().isFailure, "\(percent) %")
        }
    }

    @Test("a hundred thousand entries are listed, all of them", arguments: FaultyReading.Kind.allCases)
    func manyEntries(kind: FaultyReading.Kind) async throws {
        // Within the product's own deadlines: a debug build takes its time with the page.
        let origin = FaultOrigin(FaultyReading.tree, [Fault(.manyEntries(100_000), .listings)])
        defer { origin.stop() }
        let entries = try await PatientSource.list(origin, kind)
        #expect(entries.count == 100_000 + FaultyReading.tree.names(in: "/").count)
        #expect(Set(entries.map(\.name)).count == entries.count)
    }
}
