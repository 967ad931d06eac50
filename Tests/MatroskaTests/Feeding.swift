import Bytes
import Testing

@testable import Matroska

/// In which pieces a parser gets a file.
enum Feeding: CustomTestStringConvertible {
    case whole
    /// Just what was asked for.
    case asked
    /// One byte of what was asked for, then two, and so on.
    case byteByByte
    /// Neighbouring blocks of one size, as a cache has them.
    case blocks(Int)

    var testDescription: String { "\(self)" }

    static let all: [Feeding] = [.whole, .asked, .byteByByte, .blocks(7), .blocks(64)]
}

/// A file in memory that checks what is asked of it.
struct FileUnderTest {
    let bytes: [UInt8]
    let feeding: Feeding
    private var asked: FileRange?
    private var length = 1
    /// Calls without an answer; a parser that asks in circles ends the test.
    private var needs = 0
    private var problem: String?

    init(_ bytes: [UInt8], _ feeding: Feeding = .asked) {
        self.bytes = bytes
        self.feeding = feeding
    }

    var first: FilePiece { if case .whole = feeding { FilePiece(offset: 0, bytes: bytes) } else { .empty } }

    /// The piece that answers a need.
    /// - Throws: when the parser asked for what it must not ask for.
    mutating func piece(_ range: FileRange) throws -> FilePiece {
        guard let piece = answer(range) else { throw MisbehavedParser(description: problem ?? "") }
        return piece
    }

    private mutating func answer(_ range: FileRange) -> FilePiece? {
        needs += 1
        guard !range.isEmpty, range.end <= UInt64(bytes.count) else { return fail("asks for \(range) of \(bytes.count) bytes") }
        guard needs < 200 + 40 * bytes.count else { return fail("asks without end, last for \(range)") }
        switch feeding {
        case .whole:
            return asked == range ? fail("asks for \(range), which it has") : remember(range, cut(0, UInt64(bytes.count)))
        case .asked: return asked == range ? fail("asks for \(range) again") : remember(range, cut(range.offset, range.end))
        case .byteByByte:
            guard asked != range || UInt64(length) < range.count else { return fail("asks for \(range) again") }
            // Less may have been enough to see that another range is needed from the same place.
            length = asked?.offset == range.offset ? length + 1 : 1
            return remember(range, cut(range.offset, min(UInt64(bytes.count), range.offset + UInt64(length))))
        case .blocks(let size):
            let size = UInt64(size)
            let end = min(UInt64(bytes.count), (range.end + size - 1) / size * size)
            return asked == range ? fail("asks for \(range) again") : remember(range, cut(range.offset / size * size, end))
        }
    }

    /// A step was told: the same range may be asked for once more.
    mutating func progressed() { asked = nil }

    private mutating func remember(_ range: FileRange, _ piece: FilePiece) -> FilePiece {
        asked = range
        return piece
    }

    private func cut(_ start: UInt64, _ end: UInt64) -> FilePiece { FilePiece(offset: start, bytes: Array(bytes[Int(start)..<Int(end)])) }

    private mutating func fail(_ text: String) -> FilePiece? {
        problem = text
        return nil
    }
}

struct MisbehavedParser: Error, CustomStringConvertible { let description: String }

/// Runs a head parser to its end.
func readHead(
    _ bytes: [UInt8], _ feeding: Feeding = .asked, wanted: MatroskaHeadParser.Wanted = .everything, limits: MatroskaLimits = MatroskaLimits()
) throws -> MatroskaHead {
    var parser = MatroskaHeadParser(fileSize: UInt64(bytes.count), wanted: wanted, limits: limits)
    var file = FileUnderTest(bytes, feeding)
    var piece = file.first
    while true {
        switch try parser.next(piece) {
        case .done(let head): return head
        case .need(let range):
            piece = try file.piece(range)
        }
    }
}

/// Runs a walker to its end: every step but the needs.
func walk(_ walker: ClusterWalker, _ bytes: [UInt8], _ feeding: Feeding = .asked) throws -> [ClusterWalker.Step] {
    var walker = walker
    var file = FileUnderTest(bytes, feeding)
    var piece = file.first
    var steps: [ClusterWalker.Step] = []
    while true {
        let step = walker.next(piece)
        if case .need(let range) = step {
            piece = try file.piece(range)
            continue
        }
        file.progressed()
        steps.append(step)
        guard steps.count <= 4 * bytes.count + 4 else { throw MisbehavedParser(description: "tells without end") }
        if case .end = step { return steps }
    }
}

func walk(_ bytes: [UInt8], from position: Int = 0, tracks: Set<UInt64>? = nil, _ feeding: Feeding = .asked) throws -> [ClusterWalker.Step] {
    try walk(ClusterWalker(at: UInt64(position), end: UInt64(bytes.count), tracks: tracks), bytes, feeding)
}

extension [ClusterWalker.Step] {
    var blocks: [MatroskaBlock] { compactMap { if case .block(let block) = $0 { block } else { nil } } }
    var damages: [MatroskaDamage] { compactMap { if case .damage(let damage) = $0 { damage } else { nil } } }
    var end: ClusterWalker.End? { if case .end(let end)? = last { end } else { nil } }
}

extension [UInt8] {
    subscript(range: FileRange) -> [UInt8] { Array(self[Int(range.offset)..<Int(range.end)]) }
}
