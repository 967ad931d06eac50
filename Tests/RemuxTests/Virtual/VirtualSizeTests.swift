import Bytes
import TestSupport
import Testing

@testable import Remux

@Suite("Places in a virtual MP4")
struct VirtualSizeTests {
    @Test("the size is arithmetic on the source's size and name")
    func formula() throws {
        let film = try #require(VirtualSize(name: "Film.MKV", source: 1_000_003))
        #expect(film.total == 524_288 + 1_000_003 + 62_500 + 65_536)
        let stream = try #require(VirtualSize(name: "a.b.m2ts", source: 1_000_003))
        #expect(stream.total == 524_288 + 1_000_003 + 125_000 + 65_536)
        #expect(VirtualSize(name: "x.webm", source: 0)?.total == 589_824)
        for name in ["x.ts", "x.Mts"] { #expect(VirtualSize(name: name, source: 8)?.total == 524_288 + 9 + 65_536) }
        for name in ["x.mp4", "mkv", "x.mkv.txt", ""] { #expect(VirtualSize(name: name, source: 8) == nil) }
    }

    @Test("places grow with every byte of the source")
    func growth() {
        for size in [VirtualSize.matroska(source: 5000), .transport(source: 5000)] {
            #expect((0..<5000).allSatisfy { size.place($0) < size.place($0 + 1) })
            #expect(size.place(5000) == size.place(9999))
        }
        // More than any file has.
        #expect(VirtualSize.transport(source: .max).total > 1 << 61)
    }

    @Test("regions tile the file, and each place leads to its region")
    func tiles() {
        var random = RepeatableRandom.forTest()
        let size = VirtualSize.matroska(source: 1_000_000)
        var nominal: UInt64 = 1234, regions: [RegionTable.Region] = []
        while nominal < 1_000_000 {
            regions.append(.init(nominal: nominal, interval: regions.count, part: 0))
            nominal += 1 + random.next() % 40_000
        }
        let table = RegionTable(size: size, regions: regions, entries: [])
        var reached = table.start
        for index in 0..<table.count {
            #expect(table.place(index).lowerBound == reached)
            reached = table.place(index).upperBound
            for offset in [table.place(index).lowerBound, reached - 1] { #expect(table.index(at: offset) == index) }
        }
        #expect(reached == size.place(1_000_000))
        #expect(table.index(at: reached) == nil && table.index(at: table.start - 1) == nil)
    }

    @Test("any part of a layout is that part of the whole")
    func layout() {
        var layout = VirtualLayout()
        layout.append(.literal([1, 2, 3]))
        layout.append(.source(FileRange(offset: 100, end: 105)))
        layout.append(.literal([]))
        layout.append(.zeros(4))
        layout.append(.source(FileRange(offset: 7, end: 8)))
        layout.pad(to: 15)
        let whole: [UInt8] = [1, 2, 3, 100, 101, 102, 103, 104, 0, 0, 0, 0, 7, 0, 0]
        #expect(layout.size == 15)
        for start in 0...15 {
            for end in start...16 {
                let part = layout.slices(FileRange(offset: UInt64(start), end: UInt64(end))).reduce(into: [UInt8]()) { result, slice in
                    switch slice {
                    case .literal(let bytes): result += bytes
                    case .zeros(let count): result += [UInt8](repeating: 0, count: Int(count))
                    case .source(let range): result += (range.offset..<range.end).map { UInt8($0) }
                    }
                }
                #expect(part == Array(whole[start..<min(end, 15)]))
            }
        }
    }
}
