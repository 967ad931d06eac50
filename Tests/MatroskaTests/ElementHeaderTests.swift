import Testing

@testable import Matroska

@Suite("Element headers (RFC 8794 §4 to §6)") struct ElementHeaderTests {
    private func parse(_ bytes: [UInt8]) -> ElementHeader.Parsed { ElementHeader.parse(bytes[...], position: 100) }

    @Test("a size is read in every length, the greatest of each included", arguments: 1...8)
    func sizes(length: Int) throws {
        for value in [0, 1, UInt64(1) << (7 * length) - 2] {
            guard case .header(let header) = parse(EBML.id(.simpleBlock) + EBML.size(value, length: length)) else {
                Issue.record("size \(value) in \(length) bytes")
                continue
            }
            #expect(header.id == .simpleBlock)
            #expect(header.size == value)
            #expect(header.dataStart == 101 + UInt64(length))
            #expect(header.end == 101 + UInt64(length) + value)
        }
        guard case .header(let open) = parse(EBML.id(.cluster) + EBML.unknownSize(length: length)) else {
            Issue.record("not read")
            return
        }
        #expect(open.size == nil && open.end == nil && open.length == UInt8(4 + length))
    }

    @Test("a cut header is short at every length, never wrong")
    func cut() {
        let bytes = EBML.id(.cluster) + EBML.size(1 << 50)
        for count in 0..<bytes.count {
            guard case .short = parse(Array(bytes.prefix(count))) else {
                Issue.record("\(count) bytes")
                return
            }
        }
    }

    @Test(
        "what no ID can be is refused",
        arguments: [[0x00], [0x08, 1, 1, 1, 1], [0xFF, 0x80], [0x40, 0x00, 0x80], [0x7F, 0xFF, 0x80], [0x40, 0x7E, 0x80]] as [[UInt8]])
    func badIDs(bytes: [UInt8]) {
        guard case .invalid(.invalidID) = parse(bytes) else {
            Issue.record("\(bytes) was taken")
            return
        }
    }

    @Test("an ID at the least of its length is taken")
    func leastID() {
        guard case .header(let header) = parse([0x40, 0x7F, 0x80]) else {
            Issue.record("not read")
            return
        }
        #expect(header.id.rawValue == 0x407F)
        #expect(header.id.name == "0x407F")
    }

    @Test("a size of nine bytes is refused")
    func badSize() {
        guard case .invalid(.invalidSize) = parse([0xA3, 0x00]) else {
            Issue.record("not read")
            return
        }
    }

    @Test("places near the end of what 64 bits count are held, not wrapped")
    func saturates() {
        guard case .header(let header) = ElementHeader.parse([0xA3, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE], position: .max - 2) else {
            Issue.record("not read")
            return
        }
        #expect(header.end == .max)
    }

    @Test("the element table holds every ID once, valid and named")
    func table() {
        #expect(Set(ElementDefinition.all.map(\.id)).count == ElementDefinition.all.count)
        for definition in ElementDefinition.all {
            #expect(ElementID(valid: definition.id.rawValue) == definition.id, "\(definition.name)")
            #expect(definition.id.name == definition.name)
        }
        #expect(ElementDefinition.of(.ebml)?.level == 0)
        #expect(ElementDefinition.of(.luminanceMin)?.level == 6)
        #expect(ElementDefinition.of(.void)?.level == nil)
        #expect(ElementDefinition.of(.referenceBlock)?.kind == .signed)
    }
}
