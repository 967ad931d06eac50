/// A run of bytes in a file: half-open, `offset ..< end`. It never wraps: `offset + count` fits `UInt64`.
package struct FileRange: Hashable, Sendable {
    package let offset: UInt64
    package let count: UInt64

    /// The first byte behind the range.
    package var end: UInt64 { offset + count }
    package var isEmpty: Bool { count == 0 }

    /// - Precondition: `offset <= end`.
    package init(offset: UInt64, end: UInt64) {
        precondition(offset <= end, "a range must not end before it starts")
        self.offset = offset
        self.count = end - offset
    }

    /// The asked bytes as far as the file has them: clamped to `fileSize`, empty at or past the end.
    package init(offset: UInt64, count: UInt64, fileSize: UInt64) {
        let start = min(offset, fileSize)
        self.offset = start
        self.count = min(count, fileSize - start)
    }

    package func contains(_ position: UInt64) -> Bool { position >= offset && position < end }

    package func contains(_ other: FileRange) -> Bool { other.offset >= offset && other.end <= end }

    package func intersection(_ other: FileRange) -> FileRange? {
        let first = max(offset, other.offset), last = min(end, other.end)
        return first < last ? FileRange(offset: first, end: last) : nil
    }
}

extension FileRange: CustomStringConvertible {
    /// As HTTP writes it, last byte included: `bytes 0-99`.
    package var description: String { isEmpty ? "no bytes at \(offset)" : "bytes \(offset)-\(end - 1)" }
}
