/// What the file says of itself in its first element (RFC 8794 §11.2).
package struct EBMLHeader: Hashable, Sendable {
    package var docType = ""
    package var docTypeVersion: UInt64 = 1
    package var docTypeReadVersion: UInt64 = 1

    package var isWebM: Bool { docType == "webm" }

    /// The newest DocTypeReadVersion that is understood: RFC 9559 describes version 4.
    static let newestReadVersion: UInt64 = 4

    init() {}

    init(_ body: ElementBody) throws(MatroskaError) {
        var readVersion: UInt64 = 1, maximumID: UInt64 = 4, maximumSize: UInt64 = 8
        var children = body.children
        while let child = try children.next() {
            switch child.id {
            case .ebmlReadVersion: readVersion = try child.unsigned(1)
            case .ebmlMaxIDLength: maximumID = try child.unsigned(4)
            case .ebmlMaxSizeLength: maximumSize = try child.unsigned(8)
            case .docType: docType = child.text
            case .docTypeVersion: docTypeVersion = try child.unsigned(1)
            case .docTypeReadVersion: docTypeReadVersion = try child.unsigned(1)
            default: break
            }
        }
        guard docType == "matroska" || docType == "webm" else {
            throw body.error(.notMatroska, "DocType “\(docType.prefix(40))”")
        }
        guard readVersion <= 1, maximumID <= 4, maximumSize <= 8, docTypeReadVersion <= EBMLHeader.newestReadVersion else {
            throw body.error(
                .unsupportedVersion,
                "EBMLReadVersion \(readVersion), IDs of \(maximumID), sizes of \(maximumSize) bytes, DocTypeReadVersion \(docTypeReadVersion)")
        }
    }
}
