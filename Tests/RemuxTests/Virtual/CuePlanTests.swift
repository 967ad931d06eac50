import Matroska
import TestSupport
import Testing

@testable import Remux

@Suite("Regions by cues")
struct CuePlanTests {
    /// A plan for a film of two tracks with a cue every `step` milliseconds, evenly spread over `bytes`.
    private func plan(bytes: UInt64, seconds: Int, step: Int, tracks: Int = 2) throws -> CuePlan {
        var film = FilmWriter()
        film.frames = [.init(track: 1, time: 0, isKey: true, bytes: [0])]
        let count = seconds * 1000 / step
        let element = FilmWriter.element, number = FilmWriter.number
        var body = element([0x16, 0x54, 0xAE, 0x6B], element([0xAE], number([0xD7], 1) + number([0x83], 1) + element([0x86], Array("V_VP8".utf8))))
        var cues: [UInt8] = []
        for index in 0..<count {
            let place = Int(Double(bytes - 100_000_000 / 64) * Double(index) / Double(count)) + 1000
            cues += element([0xBB], number([0xB3], index * step) + element([0xB7], number([0xF7], 1) + number([0xF1], place)))
        }
        body += element([0x1C, 0x53, 0xBB, 0x6B], cues)
        // The Segment says to be as large as the film is meant to be.
        var file = element([0x1A, 0x45, 0xDF, 0xA3], element([0x42, 0x82], Array("matroska".utf8)))
        file += [0x18, 0x53, 0x80, 0x67, 0x01] + (0..<7).map { UInt8(truncatingIfNeeded: (bytes - 60) >> UInt64(48 - 8 * $0)) } + body
        var parser = MatroskaHeadParser(fileSize: bytes)
        var piece = FilePiece.empty
        while true {
            switch try parser.next(piece) {
            case .need: piece = FilePiece(offset: 0, bytes: file + [0x1F, 0x43, 0xB6, 0x75, 0x88] + [UInt8](repeating: 0xEC, count: 64))
            case .done(let head):
                return CuePlan(
                    size: .matroska(source: bytes), cues: try #require(head.cues), info: SegmentInfo(), main: 1, first: (UInt64(file.count), 0),
                    segmentEnd: bytes, duration: UInt64(seconds) * 1_000_000_000, frame: 40_000_000, tracks: tracks)
            }
        }
    }

    @Test(
        "no film has more regions than its index has room for, and none is too large for it",
        arguments: [(3_000_000_000, 7200, 500), (40 << 30, 7200, 2000), (120 << 30, 10_800, 1000), (5_000_000, 60, 40)] as [(UInt64, Int, Int)])
    func bounds(_ bytes: UInt64, _ seconds: Int, _ step: Int) throws {
        for tracks in [1, 2, 9, 40] {
            let plan = try plan(bytes: bytes, seconds: seconds, step: step, tracks: tracks)
            let table = plan.table
            #expect(table.count <= VirtualHeader.maximumRegions(tracks: tracks))
            #expect((0..<table.count).allSatisfy { table.place($0).count < 1 << 31 && table.place($0).count > 1000 })
            #expect(zip(plan.videoStarts, plan.videoStarts.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(zip(plan.otherStarts, plan.otherStarts.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(plan.videoStarts.last == Int64(seconds) * 1_000_000_000)
            #expect(plan.videoStarts.count == table.count + 1)
        }
    }

    @Test("at a usual rate a region has four seconds or one cue, whichever is more")
    func usual() throws {
        let slow = try plan(bytes: 100_000_000, seconds: 1200, step: 1000)
        #expect((200...320).contains(slow.table.count))
        let rare = try plan(bytes: 100_000_000, seconds: 1200, step: 10_000)
        #expect(rare.table.regions.filter { $0.part == 0 }.count == 120)
    }

    @Test("sound is told 20 ms late, but for the first region")
    func lateness() throws {
        let plan = try plan(bytes: 100_000_000, seconds: 1200, step: 10_000)
        #expect(plan.otherStarts[0] == plan.videoStarts[0])
        for (index, region) in plan.table.regions.enumerated() where region.part == 0 && index > 0 {
            #expect(plan.otherStarts[index] == plan.videoStarts[index] + 20_000_000)
        }
    }
}
