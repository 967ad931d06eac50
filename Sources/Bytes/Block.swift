/// How a file is cut into the blocks that are fetched, checked, kept and evicted: 64 KiB each, the last one shorter.
package enum Block {
    /// Bytes in a block. A read of 4 KiB then fetches one block, and a checksum over it costs less than its copy.
    package static let size: UInt64 = 65536

    /// The block that holds the byte at `offset`.
    package static func number(at offset: UInt64) -> UInt64 { offset / size }

    /// Blocks that a file of `fileSize` bytes has.
    package static func count(fileSize: UInt64) -> UInt64 { fileSize / size + (fileSize % size == 0 ? 0 : 1) }

    /// The bytes of block `number` in a file of `fileSize` bytes; empty past the end.
    package static func range(_ number: UInt64, fileSize: UInt64) -> FileRange {
        let (start, overflow) = number.multipliedReportingOverflow(by: size)
        return FileRange(offset: overflow ? fileSize : start, count: size, fileSize: fileSize)
    }

    /// The blocks that overlap `range`; empty for an empty range.
    package static func numbers(covering range: FileRange) -> Range<UInt64> {
        range.isEmpty ? number(at: range.offset)..<number(at: range.offset) : number(at: range.offset)..<(number(at: range.end - 1) + 1)
    }

    /// The bytes of blocks `numbers` in a file of `fileSize` bytes.
    package static func bytes(of numbers: Range<UInt64>, fileSize: UInt64) -> FileRange {
        guard !numbers.isEmpty else { return FileRange(offset: 0, end: 0) }
        return FileRange(offset: range(numbers.lowerBound, fileSize: fileSize).offset, end: range(numbers.upperBound - 1, fileSize: fileSize).end)
    }
}
