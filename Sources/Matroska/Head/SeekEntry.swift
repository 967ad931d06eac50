/// Where the SeekHead says an element is (RFC 9559 §5.1.1).
package struct SeekEntry: Hashable, Sendable {
    package let id: ElementID
    /// The place in the file, not in the Segment.
    package let position: UInt64

    /// - Throws: also when the entry lacks one of its two parts.
    init(_ body: ElementBody, segmentData: UInt64) throws(MatroskaError) {
        var id: ElementID?, position: UInt64?
        var children = body.children
        while let child = try children.next() {
            switch child.id {
            case .seekID: id = child.bytes.count <= 4 ? ElementID(valid: UInt32(truncatingIfNeeded: try child.unsigned())) : nil
            case .seekPosition: position = try child.unsigned()
            default: break
            }
        }
        guard let id, let position else { throw body.error(.missing, "SeekID or SeekPosition") }
        self.id = id
        self.position = sum(segmentData, position)
    }
}
