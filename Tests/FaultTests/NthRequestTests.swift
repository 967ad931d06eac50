import SourceAPI
import TestSupport
import Testing

/// The Nth request fails, for every N until no request is left to fail.
@Suite("Every single request", .serialized) struct NthRequestTests {
    static let faults: [Fault.Kind] = [
        .reset(.head(0)), .reset(.body(1)), .close(.body(1000)), .status(500), .status(503, retryAfter: "0"), .shorter(1), .stall(.head(0)),
        .stall(.body(1)), .loginPage, .notHTTP, .shiftedContentRange(1),
    ]

    @Test("whichever request fails once, listing and reading give what is right or an error", arguments: FaultyReading.Kind.allCases, faults)
    func once(kind: FaultyReading.Kind, fault: Fault.Kind) async throws {
        for number in 0..<40 {
            var faults = [Fault(fault, .everything.turn(.only(number)))]
            if kind == .http { faults.append(Fault(.roundedSizes, .listings)) }
            let reading = try FaultyReading(kind, faults, within: FaultyReading.patient)
            defer { reading.close() }
            let outcome = await reading.read(step: 50_000)
            if reading.origin.requests.count <= number {
                #expect(outcome == .right, "no request failed")
                return
            }
            // What passes by itself is tried again, and nobody sees it.
            switch fault {
            case .reset, .close, .stall, .status(500, _), .status(503, _): #expect(outcome == .right, "request \(number)")
            default: break
            }
            var later = outcome
            for _ in 0..<20 where later.isFailure {
                try await Task.sleep(for: .milliseconds(200))
                later = await reading.read()
            }
            #expect(later == .right, "after request \(number)")
        }
        Issue.record("forty requests for one small file")
    }

    @Test("at whatever byte a connection breaks, stalls or slows down, a read is whole or an error, and never a wrong byte")
    func everyByte() async throws {
        let places =
            stride(from: 0, to: 250, by: 7).map { Fault.Place.head($0) }
            + [0, 1, 2, 65535, 65536, 65537, 131_071, 299_999, 300_000].map { .body($0) }
        for place in places {
            for kind in [Fault.Kind.reset(place), .close(place)] {
                let reading = try FaultyReading(.webdav, [Fault(kind, .files.turn(.only(0)))], within: FaultyReading.patient)
                defer { reading.close() }
                #expect(await reading.read() == .right, "\(kind)")
            }
        }
        for place in [Fault.Place.head(17), .body(0), .body(65537), .body(300_000)] {
            let stalled = try FaultyReading(.webdav, [Fault(.stall(place), .files.turn(.only(0)))], within: FaultyReading.patient)
            defer { stalled.close() }
            #expect(await stalled.read() == .right, "stall at \(place)")
            let slow = try FaultyReading(
                .webdav, [Fault(.drip(place, bytes: 50_000, milliseconds: 20), .files.turn(.only(0)))], within: FaultyReading.patient)
            defer { slow.close() }
            #expect(await slow.read() == .right, "drip from \(place)")
        }
    }

    @Test("a listing that breaks off at whatever byte is whole after another try, and never a part", arguments: FaultyReading.Kind.allCases)
    func everyByteOfListings(kind: FaultyReading.Kind) async throws {
        for byte in stride(from: 1, to: 900, by: 97) {
            for fault in [Fault.Kind.reset(.body(byte)), .close(.body(byte)), .close(.head(byte % 120 + 1))] {
                let reading = try FaultyReading(kind, [Fault(fault, .listings.turn(.only(0)))], within: FaultyReading.patient)
                defer { reading.close() }
                let outcome = await reading.list()
                #expect(outcome == .right, "\(fault)")
            }
        }
    }

    @Test("from whichever request on all fail, listing and reading end in time, with an error", arguments: FaultyReading.Kind.allCases)
    func forGood(kind: FaultyReading.Kind) async throws {
        for fault in [Fault.Kind.reset(.head(0)), .status(500), .stall(.head(0)), .shorter(1)] {
            for number in 0..<5 {
                let reading = try FaultyReading(kind, [Fault(fault, .everything.turn(.from(number)))])
                defer { reading.close() }
                let outcome = await reading.read(step: 50_000)
                #expect(outcome.isFailure || reading.origin.requests.count <= number, "\(fault) from \(number)")
            }
        }
    }
}
