/// One edition of the chapters (RFC 9559 §5.1.7.1).
package struct Edition: Hashable, Sendable {
    package var uid: UInt64 = 0
    package var isHidden = false, isDefault = false
    /// Chapters are a play list, not marks in the one timeline.
    package var isOrdered = false
    package var chapters: [Chapter] = []

    /// - Parameter room: how many chapters, displays and languages may still come.
    init(_ body: ElementBody, depth: Int, room: inout Int) throws(MatroskaError) {
        var children = body.children
        while let child = try children.next() {
            switch child.id {
            case .editionUID: uid = try child.unsigned()
            case .editionFlagHidden: isHidden = try child.flag()
            case .editionFlagDefault: isDefault = try child.flag()
            case .editionFlagOrdered: isOrdered = try child.flag()
            case .chapterAtom: chapters.append(try Chapter(child, depth: depth, room: &room))
            default: break
            }
        }
    }
}

/// A ChapterAtom (RFC 9559 §5.1.7.1.4). Times are nanoseconds, whatever the TimestampScale.
package struct Chapter: Hashable, Sendable {
    package struct Display: Hashable, Sendable {
        package var text = ""
        /// Of ChapLanguageBCP47 where there are any, else of ChapLanguage; English when neither is there.
        package var languages: [String] = []
    }

    package var uid: UInt64 = 0
    package var start: UInt64 = 0
    package var end: UInt64?
    package var isHidden = false, isEnabled = true
    package var displays: [Display] = []
    package var children: [Chapter] = []

    init(_ body: ElementBody, depth: Int, room: inout Int) throws(MatroskaError) {
        guard depth > 0 else { throw body.error(.tooMany, "chapters inside chapters") }
        guard room > 0 else { throw body.error(.tooMany) }
        room -= 1
        var parts = body.children
        while let child = try parts.next() {
            switch child.id {
            case .chapterUID: uid = try child.unsigned()
            case .chapterTimeStart: start = try child.unsigned()
            case .chapterTimeEnd: end = try child.unsigned()
            case .chapterFlagHidden: isHidden = try child.flag()
            case .chapterFlagEnabled: isEnabled = try child.flag(true)
            case .chapterDisplay: displays.append(try Display(child, room: &room))
            case .chapterAtom: children.append(try Chapter(child, depth: depth - 1, room: &room))
            default: break
            }
        }
    }
}

extension Chapter.Display {
    init(_ body: ElementBody, room: inout Int) throws(MatroskaError) {
        room -= 1
        var old: [String] = [], new: [String] = []
        var children = body.children
        while let child = try children.next() {
            guard room > 0 else { throw body.error(.tooMany) }
            if child.id != .chapString { room -= 1 }
            switch child.id {
            case .chapString: text = child.text
            case .chapLanguage: old.append(child.text)
            case .chapLanguageBCP47: new.append(child.text)
            default: break
            }
        }
        languages = new.isEmpty ? (old.isEmpty ? ["eng"] : old) : new
    }
}
