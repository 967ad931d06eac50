package import Bytes

/// Bytes of a file together with the place they come from: what the parsers here are fed with.
///
/// A parser answers `.need(range)`; its next piece must hold the whole of that range, may begin earlier and end later, and is
/// then worked through as far as it goes. Nothing of a piece is kept, so the memory of a parser does not grow with what it reads.
/// A piece that holds too little changes nothing: the parser asks for the same range again.
package struct FilePiece: Sendable {
    /// The place of `bytes[0]` in the file.
    package let offset: UInt64
    package let bytes: [UInt8]

    package init(offset: UInt64, bytes: [UInt8]) {
        self.offset = offset
        self.bytes = bytes
    }

    /// No bytes: asks a parser what it wants first.
    package static let empty = FilePiece(offset: 0, bytes: [])

    /// These bytes of the file, such as a frame, without a copy; `nil` unless the piece holds all of them.
    package func slice(_ range: FileRange) -> ArraySlice<UInt8>? { slice(at: range.offset, count: range.count) }

    /// The `count` bytes at `position`, or `nil` unless the piece holds all of them.
    func slice(at position: UInt64, count: UInt64) -> ArraySlice<UInt8>? {
        guard position >= offset, position - offset <= UInt64(bytes.count) else { return nil }
        let start = Int(position - offset)
        guard count <= UInt64(bytes.count - start) else { return nil }
        return bytes[start..<start + Int(count)]
    }

    /// What the piece holds from `position` on, at most `limit` bytes; empty when it holds nothing of it.
    func tail(from position: UInt64, limit: UInt64) -> ArraySlice<UInt8> {
        guard position >= offset, position - offset < UInt64(bytes.count) else { return [] }
        let start = Int(position - offset)
        return bytes[start..<start + Int(min(limit, UInt64(bytes.count - start)))]
    }
}
