/// A Tag: texts about the film, a track, a chapter or an attachment (RFC 9559 §5.1.8.1).
package struct Tag: Hashable, Sendable {
    /// 50 is the film, 70 a collection, 30 a chapter or track, and so on.
    package var targetTypeValue: UInt64 = 50
    package var targetType: String?
    /// Whom it is about; all empty: the whole Segment. 0 means all of the kind.
    package var trackUIDs: [UInt64] = [], editionUIDs: [UInt64] = [], chapterUIDs: [UInt64] = [], attachmentUIDs: [UInt64] = []
    package var simpleTags: [SimpleTag] = []

    /// - Parameter room: how many SimpleTags may still come.
    init(_ body: ElementBody, depth: Int, room: inout Int) throws(MatroskaError) {
        var children = body.children
        while let child = try children.next() {
            if child.id == .targets { try takeTargets(child) }
            if child.id == .simpleTag { simpleTags.append(try SimpleTag(child, depth: depth, room: &room)) }
        }
    }

    private mutating func takeTargets(_ body: ElementBody) throws(MatroskaError) {
        var children = body.children
        while let child = try children.next() {
            switch child.id {
            case .targetTypeValue: targetTypeValue = try child.unsigned(50)
            case .targetType: targetType = child.text
            case .tagTrackUID: trackUIDs.append(try child.unsigned())
            case .tagEditionUID: editionUIDs.append(try child.unsigned())
            case .tagChapterUID: chapterUIDs.append(try child.unsigned())
            case .tagAttachmentUID: attachmentUIDs.append(try child.unsigned())
            default: break
            }
        }
    }
}

/// A name and its value (RFC 9559 §5.1.8.1.2).
package struct SimpleTag: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case text(String)
        case binary([UInt8])
    }

    package var name = ""
    /// BCP 47 where the file says it so, else the old code; `und` when neither is there.
    package var language = "und"
    package var isDefault = true
    package var value: Value?
    package var children: [SimpleTag] = []

    init(_ body: ElementBody, depth: Int, room: inout Int) throws(MatroskaError) {
        guard depth > 0 else { throw body.error(.tooMany, "tags inside tags") }
        guard room > 0 else { throw body.error(.tooMany) }
        room -= 1
        var hasNewLanguage = false
        var parts = body.children
        while let child = try parts.next() {
            switch child.id {
            case .tagName: name = child.text
            case .tagLanguage: if !hasNewLanguage { language = child.text }
            case .tagLanguageBCP47:
                language = child.text
                hasNewLanguage = true
            case .tagDefault: isDefault = try child.flag(true)
            case .tagString: value = .text(child.text)
            case .tagBinary: value = .binary(Array(child.bytes))
            case .simpleTag: children.append(try SimpleTag(child, depth: depth - 1, room: &room))
            default: break
            }
        }
    }
}
