package import Bytes

/// What is wrong in a file, where, and in which element.
package struct MatroskaError: Error, Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        /// No EBML header of DocType `matroska` or `webm` at the file's start.
        case notMatroska
        /// The file asks for a newer reader, or for longer IDs and sizes than any Matroska file has.
        case unsupportedVersion
        /// A byte sequence that no Element ID or Data Size can be.
        case invalidID, invalidSize
        /// Only Segments and Clusters may leave their size open.
        case unknownSize
        /// An element ends behind its parent.
        case overrun
        /// The file ends inside an element.
        case truncated
        /// Over a limit of `MatroskaLimits`: the element's size, or the number of such elements.
        case tooLarge, tooMany
        /// A value that its type cannot hold, or that the standard forbids.
        case badValue
        /// An element that must be there.
        case missing
        case wrongChecksum
        /// A SeekHead or Cues entry leads to something else.
        case wrongPosition
        case badLacing
        /// Encrypted, or compressed by an algorithm other than zlib and header stripping.
        case unsupportedEncoding
        case inflateFailed
        /// No further Cluster within the search limit.
        case noCluster
        /// A second document follows in the same file.
        case nextDocument
    }

    package var code: Code
    /// From the outermost element, by dots: `Segment.Tracks.TrackEntry`.
    package var path: String
    /// The place in the file.
    package var offset: UInt64
    package var detail: String

    package init(_ code: Code, path: String, offset: UInt64, detail: String = "") {
        self.code = code
        self.path = path
        self.offset = offset
        self.detail = detail
    }

    init(_ code: Code, _ path: [ElementID], offset: UInt64, detail: String = "") {
        self.init(code, path: path.map(\.name).joined(separator: "."), offset: offset, detail: detail)
    }
}

extension MatroskaError: CustomStringConvertible {
    package var description: String { "\(path) at \(offset): \(code)\(detail.isEmpty ? "" : ", \(detail)")" }
}

/// A fault that reading went on behind.
package struct MatroskaDamage: Hashable, Sendable {
    package var error: MatroskaError
    /// Bytes that were passed over without being understood; empty when nothing was lost but the value itself.
    package var lost: FileRange

    package init(error: MatroskaError, lost: FileRange) {
        self.error = error
        self.lost = lost
    }

    init(_ error: MatroskaError) { self.init(error: error, lost: FileRange(offset: error.offset, end: error.offset)) }
}
