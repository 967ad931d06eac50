import Bytes
import Diagnostics
import SourceAPI
import TestSupport
import Testing
import Transport

/// Files behind a server that fails in one way: the right bytes or a typed error, in time, and never a wrong byte.
@Suite("Faults of files", .serialized) struct FileFaultTests {
    /// What may become of a read under a fault that hits every request for files.
    struct Case: Sendable, CustomTestStringConvertible {
        var fault: Fault.Kind
        var codes: [SourceError.Code]
        /// Whether reading may as well succeed.
        var mayWork = false
        /// It lies about lengths, consistently: only a listing that tells the true ones shows it.
        var isLieAboutLength: Bool {
            switch fault {
            case .otherLength, .otherTotal, .contentRange: true
            default: false
            }
        }

        var testDescription: String { "\(fault)" }

        init(_ fault: Fault.Kind, _ codes: SourceError.Code..., mayWork: Bool = false) {
            self.fault = fault
            self.codes = codes
            self.mayWork = mayWork
        }
    }

    static let cases: [Case] = [
        // Ranges
        Case(.ignoresRange, mayWork: true),
        Case(.contentRange(nil), .malformed),
        Case(.contentRange("bytes 0-0/1"), .malformed, .changedUpstream),
        Case(.contentRange("lines 1-2/3"), .malformed),
        Case(.contentRange("bytes 9-3/300001"), .malformed),
        Case(.contentRange("bytes 0-99999999999999999999/300001"), .malformed),
        Case(.contentRange("bytes */300001"), .malformed),
        Case(.contentRange("bytes 0-99/300001"), .malformed),
        Case(.shiftedContentRange(1), .malformed),
        Case(.shiftedContentRange(65536), .malformed),
        Case(.otherTotal(1), .changedUpstream),
        Case(.wholeWithContentRange, .malformed, .changedUpstream, mayWork: true),
        Case(.multipart, .malformed),
        // Framing
        Case(.shorter(1), .malformed, .changedUpstream, .sizeUnknown),
        Case(.longer(1), .malformed, .changedUpstream),
        Case(.extraBytes(40), .malformed, .unreachable, mayWork: true),
        Case(.chunked, mayWork: true),
        Case(.unframed, mayWork: true),
        Case(.twoLengths, .malformed),
        Case(.notHTTP, .malformed, .unreachable),
        // Connections
        Case(.close(.head(0)), .unreachable, .timedOut),
        Case(.close(.head(30)), .unreachable, .timedOut, .malformed),
        Case(.reset(.body(0)), .unreachable, .timedOut),
        Case(.stall(.head(0)), .timedOut, .unreachable),
        // Each try brings the next blocks.
        Case(.stall(.body(70_000)), .timedOut, .unreachable, mayWork: true),
        Case(.drip(.body(0), bytes: 20_000, milliseconds: 5), .timedOut, mayWork: true),
        // Answers
        Case(.status(429, retryAfter: "100"), .throttled(retryAfter: .seconds(100)), .timedOut),
        Case(.status(503, retryAfter: "100"), .throttled(retryAfter: .seconds(100)), .timedOut),
        Case(.status(500), .unreachable, .timedOut),
        Case(.status(404), .notFound),
        Case(.status(410), .linkExpired),
        Case(.status(403), .denied),
        Case(.status(416), .malformed),
        Case(.status(204), .malformed),
        Case(.loginRequired, .loginRequired),
        Case(.loginPage, .loginRequired),
        Case(.gzip, .malformed),
        Case(.field("Content-Encoding", "br"), .malformed),
        Case(.contentType(nil), mayWork: true),
        // Versions: a listing's tag need not be the files', so that only what replies say counts.
        Case(.otherLength(5), .changedUpstream),
        Case(.otherLength(-5), .changedUpstream, .malformed),
        Case(.changingEntityTag, .changedUpstream, mayWork: true),
        Case(.weakEntityTag, mayWork: true),
        Case(.noEntityTag, mayWork: true),
        Case(.noValidator, mayWork: true),
        // HEAD, which is not asked
        Case(.headLength(5), mayWork: true),
        // Redirects
        Case(.redirectLoop, .malformed),
        Case(.redirectTo("ftp://127.0.0.1/film.bin"), .refused),
        Case(.redirectTo("file:///etc/passwd"), .refused),
        Case(.redirectTo("http://127.0.0.1:1/film.bin"), .unreachable, .timedOut),
        Case(.redirectTo("//"), .refused, .notFound),
    ]

    @Test("a fault of every request gives the right bytes or its error", arguments: FaultyReading.Kind.allCases, cases)
    func everyRequest(kind: FaultyReading.Kind, item: Case) async throws {
        // A page tells rounded sizes, so that probes meet the fault as well.
        let faults = [Fault(item.fault, .files)] + (kind == .http && !item.isLieAboutLength ? [Fault(.roundedSizes, .listings)] : [])
        let reading = try FaultyReading(kind, faults)
        defer { reading.close() }
        let outcome = await reading.read()
        switch outcome {
        case .right: #expect(item.mayWork, "it worked")
        case .failed(let code):
            var codes = item.codes
            // What a probe was not told.
            if kind == .http { codes += [.sizeUnknown, .malformed, .changedUpstream] }
            #expect(codes.contains(code), "\(code)")
        }
        reading.origin.setFaults(kind == .http ? [Fault(.roundedSizes, .listings)] : [])
        var later = FaultyReading.Outcome.failed(.cancelled)
        // Reads of a file that failed in vain fail at once for a while.
        for _ in 0..<20 where later.isFailure {
            later = await reading.read()
            if later.isFailure { try await Task.sleep(for: .milliseconds(300)) }
        }
        #expect(later == .right, "after the fault is over")
    }

    static let partsFromElsewhere: [Fault.Kind] = [
        .otherRange(-1), .otherRange(-65536), .shiftedContentRange(-1), .shiftedContentRange(-65536),
    ]

    @Test("a part from elsewhere in the file is refused, whether its head says so or not", arguments: FaultyReading.Kind.allCases, partsFromElsewhere)
    func elsewhere(kind: FaultyReading.Kind, fault: Fault.Kind) async throws {
        let reading = try FaultyReading(kind, [Fault(fault, Fault.Selector(.files, hasRange: true))])
        defer { reading.close() }
        #expect(await reading.read(from: 200_000) == .failed(.malformed))
    }

    @Test("a fault of one request in the middle gives the right bytes or an error", arguments: FaultyReading.Kind.allCases, cases)
    func oneRequest(kind: FaultyReading.Kind, item: Case) async throws {
        let reading = try FaultyReading(kind, [Fault(item.fault, .files.turn(.only(1)))])
        defer { reading.close() }
        _ = await reading.read(step: 50_000)
    }

    @Test("another version between two replies is an error, with any validator", arguments: [Fault.Kind.otherVersion, .otherLength(0)])
    func otherVersion(kind: Fault.Kind) async throws {
        let validators: [Fault.Kind?] = [nil, .noEntityTag]
        for validator in validators {
            let more = validator.map { [Fault($0, .files)] } ?? []
            // Blocks from 200 000 on come from the other version.
            let reading = try FaultyReading(.webdav, [Fault(kind, Fault.Selector(.files, turn: .from(1)))] + more)
            defer { reading.close() }
            let outcome = await reading.read(step: 50_000)
            // One request for all of it saw one version only.
            let requests = reading.origin.requests.filter { !$0.isListing }.count
            #expect(outcome == .failed(.changedUpstream) || requests == 1, "\(outcome) after \(requests)")
        }
    }

    @Test("a redirect to another origin gives the bytes, and leaves the credentials behind")
    func otherOrigin() async throws {
        let other = FaultOrigin(FaultyReading.tree, host: "127.0.0.2")
        defer { other.stop() }
        let access = HTTPAccess(credentials: .password(user: "ann", password: .init("secret")), extraFields: [HTTPField("X-Key", "k")])
        let reading = try FaultyReading(.webdav, [Fault(.redirect(base: other.base), .files)], access: access)
        defer { reading.close() }
        #expect(await reading.read() == .right)
        #expect(!other.requests.isEmpty)
        #expect(other.requests.allSatisfy { $0["Authorization"] == nil && $0["X-Key"] == nil })
    }

    @Test("a login that ends after some requests is an error that says so")
    func loginEnds() async throws {
        for number in 0..<3 {
            let reading = try FaultyReading(.webdav, [Fault(.loginRequired, .everything.turn(.from(number)))])
            defer { reading.close() }
            let outcome = await reading.read(step: 50_000)
            let asked = reading.origin.requests.count
            #expect(outcome == .failed(.loginRequired) || asked <= number, "\(number): \(outcome) after \(asked)")
        }
    }

    @Test("a body that begins at 0 in spite of its head cannot be told by one reply, and is the only fault that is not")
    func bodyFromStart() async throws {
        let origin = FaultOrigin(FaultyReading.tree, [Fault(.bodyFromStart)])
        defer { origin.stop() }
        // All that the reply says is right: nothing but the bytes themselves differs. `reelfs selftest` compares them.
        let client = HTTPClient(log: .silent)
        defer { client.shutdown() }
        let url = try #require(HTTPURL(origin.url + "film.bin"))
        let reply = try await client.send(HTTPRequest(url: url, range: .init(offset: 10, end: 20)), maximumBody: 100)
        #expect(reply.head.fields["Content-Range"] == "bytes 10-19/300001" && reply.body == Array(FaultyReading.film[..<10]))
    }
}
