import Testing

@testable import Bytes

@Suite struct FileRangeTests {
    @Test("a range is clamped to the file", arguments: [(0, 10, 0, 10), (95, 10, 95, 5), (100, 10, 100, 0), (UInt64.max, UInt64.max, 100, 0)])
    func clamps(offset: UInt64, count: UInt64, expectedOffset: UInt64, expectedCount: UInt64) {
        let range = FileRange(offset: offset, count: count, fileSize: 100)
        #expect(range.offset == expectedOffset)
        #expect(range.count == expectedCount)
    }

    @Test("an intersection is what both ranges hold")
    func intersects() {
        let left = FileRange(offset: 10, end: 20)
        #expect(left.intersection(FileRange(offset: 15, end: 30)) == FileRange(offset: 15, end: 20))
        #expect(left.intersection(FileRange(offset: 20, end: 30)) == nil)
    }

    @Test("blocks tile a file of any size", arguments: [UInt64(0), 1, 65535, 65536, 65537, 200_000, .max])
    func blocksTile(fileSize: UInt64) {
        let count = Block.count(fileSize: fileSize)
        guard count > 0 else { return #expect(fileSize == 0) }
        let last = Block.range(count - 1, fileSize: fileSize)
        #expect(last.end == fileSize)
        #expect(!last.isEmpty)
        #expect(Block.range(count, fileSize: fileSize).isEmpty)
        #expect(Block.numbers(covering: FileRange(offset: 0, end: fileSize)) == 0..<count)
    }
}
