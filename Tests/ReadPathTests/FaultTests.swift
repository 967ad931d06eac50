import Bytes
import SourceAPI
import Synchronization
import Testing

@testable import ReadPath

@Suite(.serialized) struct FaultTests {
    enum Kind: String, CaseIterable, Sendable {
        case refused, throttled, denied, notFound, malformed, reset, resetAtOnce, resetAtABlock, short, wrongOffset, wrongTotal, wrongValidator

        func fault(_ request: FetchRequest) -> Fault {
            switch self {
            case .refused: .refuse(.unreachable)
            case .throttled: .refuse(.throttled(retryAfter: .milliseconds(3)))
            case .denied: .refuse(.denied)
            case .notFound: .refuse(.notFound)
            case .malformed: .refuse(.malformed)
            case .reset: .breakAfter(100_001, .unreachable)
            case .resetAtOnce: .breakAfter(0, .timedOut)
            case .resetAtABlock: .breakAfter(65_536, .unreachable)
            case .short: .shortAfter(70_000)
            case .wrongOffset: .offset(request.range.offset + 1)
            case .wrongTotal: .total(5)
            case .wrongValidator: .validator(Validator(entityTag: "\"another\""))
            }
        }

        var passes: Bool {
            switch self {
            case .refused, .throttled, .reset, .resetAtOnce, .resetAtABlock, .short: true
            case .denied, .notFound, .malformed, .wrongOffset, .wrongTotal, .wrongValidator: false
            }
        }

        var code: SourceError.Code {
            switch self {
            case .denied: .denied
            case .notFound: .notFound
            case .wrongTotal, .wrongValidator: .changedUpstream
            default: .malformed
            }
        }
    }

    @Test("whichever request fails once, a whole read has the right bytes or a clean error", arguments: Kind.allCases)
    func failsAtEveryStep(kind: Kind) async throws {
        for step in 0... {
            let fixture = Fixture(size: 2_000_001)
            fixture.source.set { $0.fault = { number, request in number == step ? kind.fault(request) : .none } }
            let reader = try fixture.open()
            let code = await fixture.checkWhole(reader, step: 100_000)
            if kind.passes { #expect(code == nil, "\(kind) on request \(step)") }
            // A fault of read-ahead alone is nobody's failure.
            if let code { #expect(code == kind.code, "\(kind) on request \(step)") }
            // What is stated first is what counts: another validator on the first reply is no fault.
            if step == 0, !kind.passes, kind != .wrongValidator { #expect(code == kind.code) }
            if fixture.source.requests.count <= step { break }
            // The next handle on the same version reads on, unless the version is gone.
            if kind.code != .changedUpstream {
                let again = try fixture.open()
                #expect(await fixture.checkWhole(again, step: 100_000) == nil, "after \(kind) on request \(step)")
            }
            try #require(step < 50)
        }
    }

    @Test("an origin that breaks every transfer after a while is read to the end", arguments: [65_536, 70_000, 200_000])
    func alwaysBreaks(after count: Int) async throws {
        let fixture = Fixture(size: 3_000_000)
        fixture.source.set { $0.fault = { _, _ in .breakAfter(count, .unreachable) } }
        let reader = try fixture.open()
        #expect(await fixture.checkWhole(reader) == nil)
        #expect(fixture.path.statistics.retries > 0)
    }

    @Test("a broken transfer is continued at its first missing block")
    func continues() async throws {
        let fixture = Fixture(size: 3_000_000)
        fixture.source.set { $0.fault = { number, _ in number == 0 ? .breakAfter(3 * 65_536 + 100, .unreachable) : .none } }
        let reader = try fixture.open()
        #expect(await fixture.check(reader, at: 0, count: 10 * 65_536) == nil)
        #expect(fixture.source.requests.map(\.range) == [FileRange(offset: 0, end: 10 * 65_536), FileRange(offset: 3 * 65_536, end: 10 * 65_536)])
    }

    @Test("an origin that asks to come later is left alone until then")
    func retryAfter() async throws {
        let fixture = Fixture()
        fixture.source.set { $0.fault = { number, _ in number == 0 ? .refuse(.throttled(retryAfter: .milliseconds(150))) : .none } }
        let reader = try fixture.open()
        let start = ContinuousClock.now
        #expect(await fixture.check(reader, at: 0, count: 10) == nil)
        #expect(ContinuousClock.now - start >= .milliseconds(150))
        #expect(fixture.source.requests.count == 2)
    }

    @Test("a fault that will not pass fails at once, and all who wait for it")
    func permanentFault() async throws {
        let fixture = Fixture()
        fixture.source.set { state in
            state.isHeld = true
            state.fault = { _, _ in .refuse(.denied) }
        }
        let readers = try (0..<4).map { _ in try fixture.open() }
        let waiting = readers.map { fixture.start($0, at: 0, count: 10) }
        fixture.source.set { $0.isHeld = false }
        for one in waiting { #expect(await one.value == .failed(.denied)) }
        #expect(fixture.source.requests.count == 1)
        #expect(fixture.path.statistics.failures == 4)
    }

    @Test("an origin that refuses read-ahead is not asked again with every read")
    func refusedReadAhead() async throws {
        var limits = ReadLimits.quick
        limits.readAheadRest = .seconds(60)
        let fixture = Fixture(size: 4_000_000, limits: limits)
        fixture.source.set { $0.fault = { _, request in request.isReadAhead ? .refuse(.denied) : .none } }
        let reader = try fixture.open()
        #expect(await fixture.checkWhole(reader) != .changedUpstream)
        #expect(fixture.source.requests.filter(\.isReadAhead).count <= 4)
    }

    @Test("pauses double up to the longest, and Retry-After is a lower bound")
    func pauses() {
        var limits = ReadLimits()
        limits.jitter = { 1 }
        let pauses = (1...8).map { limits.pause(failures: $0, retryAfter: nil) }
        #expect(pauses == [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(8), .seconds(8)])
        #expect(limits.pause(failures: 1, retryAfter: .seconds(30)) == .seconds(30))
        #expect(limits.pause(failures: 8, retryAfter: .milliseconds(1)) == .seconds(8))
    }
}
