package import Bytes

/// An AttachedFile (RFC 9559 §5.1.6.1): what it is and where it lies. Its bytes are not read.
package struct Attachment: Hashable, Sendable {
    package var name = ""
    package var description: String?
    package var mediaType = ""
    package var uid: UInt64 = 0
    package var data = FileRange(offset: 0, end: 0)

    mutating func take(_ child: ElementBody) {
        switch child.id {
        case .fileName: name = child.text
        case .fileDescription: description = child.text
        case .fileMediaType: mediaType = child.text
        case .fileUID: uid = (try? child.unsigned()) ?? 0
        default: break
        }
    }
}
