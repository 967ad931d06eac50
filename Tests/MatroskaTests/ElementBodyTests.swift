import Testing

@testable import Matroska

@Suite("Element values and children (RFC 8794 §7)") struct ElementBodyTests {
    private func body(_ bytes: [UInt8]) -> ElementBody {
        ElementBody(id: .info, bytes: ([9] + bytes).dropFirst(), position: 50, path: [.segment, .info])
    }

    @Test("unsigned integers of 0 to 8 bytes")
    func unsigned() throws {
        #expect(try body([]).unsigned(7) == 7)
        #expect(try body([0xFF]).unsigned() == 255)
        #expect(try body([1, 0, 0]).unsigned() == 65536)
        #expect(try body([UInt8](repeating: 0xFF, count: 8)).unsigned() == .max)
        #expect(throws: MatroskaError(.badValue, path: "Segment.Info", offset: 50, detail: "an integer of 9 bytes")) {
            try body([UInt8](repeating: 0, count: 9)).unsigned()
        }
    }

    @Test("signed integers of every length, at both ends", arguments: 1...8)
    func signed(count: Int) throws {
        let least = Int64.min >> Int64(64 - 8 * count)
        for value in [least, -1, 0, 1, ~least] {
            #expect(try body(EBML.bigEndian(UInt64(bitPattern: value), count: count)).signed() == value)
        }
        #expect(try body([]).signed(-4) == -4)
    }

    @Test("floats of 0, 4 and 8 bytes, finite ones alone")
    func floats() throws {
        #expect(try body([]).float(1.5) == 1.5)
        #expect(try body(EBML.bigEndian(UInt64(Float(-0.25).bitPattern), count: 4)).float() == -0.25)
        #expect(try body(EBML.bigEndian((23.976).bitPattern, count: 8)).float() == 23.976)
        #expect(throws: MatroskaError.self) { try body([1, 2]).float() }
        for bad in [Double.nan, .infinity, -.infinity] {
            #expect(throws: MatroskaError.self) { try body(EBML.bigEndian(bad.bitPattern, count: 8)).float() }
        }
        #expect(throws: MatroskaError.self) { try body(EBML.bigEndian(UInt64(Float.infinity.bitPattern), count: 4)).float() }
    }

    @Test("dates are signed nanoseconds of 0 or 8 bytes")
    func dates() throws {
        #expect(try body(EBML.bigEndian(UInt64(bitPattern: -1), count: 8)).date() == -1)
        #expect(try body([]).date() == 0)
        #expect(throws: MatroskaError.self) { try body([1]).date() }
    }

    @Test("a text ends at its zero byte, and what is not UTF-8 is replaced")
    func texts() {
        #expect(body(Array("né\0xx".utf8)).text == "né")
        #expect(body([0x41, 0xFF]).text == "A\u{FFFD}")
    }

    @Test("children come in order, without Void and CRC-32, with their places and paths")
    func children() throws {
        let bytes = EBML.void(3) + EBML.unsigned(.timestampScale, 5) + EBML.binary(.crc32, [0, 0, 0, 0]) + EBML.text(.title, "x")
        var children = body(bytes).children
        let first = try #require(try children.next())
        #expect(first.id == .timestampScale && first.position == 50 + 5 + 4)
        let second = try #require(try children.next())
        #expect(second.id == .title && second.path == [.segment, .info, .title])
        #expect(try children.next() == nil)
    }

    @Test("a child that ends behind its parent, has an open size, or is cut, is an error with path and place")
    func badChildren() {
        func first(_ bytes: [UInt8]) throws { var children = body(bytes).children; while try children.next() != nil {} }
        #expect(throws: MatroskaError(.overrun, path: "Segment.Info.Title", offset: 50, detail: "2 bytes in 1")) {
            try first(EBML.id(.title) + [0x82, 0x41])
        }
        #expect(throws: MatroskaError(.unknownSize, path: "Segment.Info.Title", offset: 50)) { try first(EBML.id(.title) + [0xFF]) }
        #expect(throws: MatroskaError.self) { try first([0x7B]) }
        #expect(throws: MatroskaError(.invalidID, path: "Segment.Info", offset: 50)) { try first([0x00]) }
    }

    @Test("a checksum is the one of ISO 3309, and is compared")
    func checksum() {
        #expect(CRC32.of(Array("123456789".utf8)[...]) == 0xCBF4_3926)
        #expect(EBML.slowChecksum(Array("123456789".utf8)) == 0xCBF4_3926)
        let good = EBML.master(.info, EBML.text(.title, "x"), checksum: true).dropFirst(5)
        #expect(!body(Array(good)).hasWrongChecksum)
        var bad = Array(good)
        bad[bad.count - 1] ^= 1
        #expect(body(bad).hasWrongChecksum)
        #expect(!body(EBML.text(.title, "x")).hasWrongChecksum)
    }
}
