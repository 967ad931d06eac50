/// Why boxes could not be understood, and where.
package struct MP4Error: Error, Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        /// A box or a table ends before what it announces.
        case truncated
        /// Values that the standard forbids, or boxes that are missing.
        case malformed
        /// Valid, but of a kind that is not handled.
        case unsupported
        /// To be written, but the field has no room for the value.
        case unrepresentable
    }

    package let code: Code
    /// Boxes from the outside in, and the table entry: `moov.trak[1].mdia.minf.stbl.stco.entry[7]`.
    package let path: String
    /// In the file, near the fault; of what is being written, in the boxes written.
    package let offset: UInt64
    package let detail: String

    /// Boxes that stand more than once in their parent: named with their number.
    private static let repeated: Set<FourCC> = ["trak", "traf", "trun", "trex", "moof", "sidx", "tfra"]

    /// A box in `path`.
    static func element(_ type: FourCC, index: Int) -> String {
        index > 0 || repeated.contains(type) ? "\(type)[\(index)]" : "\(type)"
    }
}

extension MP4Error: CustomStringConvertible {
    package var description: String { "\(path.isEmpty ? "file" : path) at \(offset): \(detail) (\(code))" }
}
