import Bytes

/// A level-1 element that is being read child by child, so that one child at a time is in memory.
struct HeadSection: Sendable {
    let header: ElementHeader
    /// Where its data ends: by its size, or where the Segment does.
    let end: UInt64
    /// What follows is the next element of the Segment, not of the SeekHead.
    let isLinear: Bool
    var position: UInt64
    /// The stored CRC-32 and that of the children so far; `nil` when there is none, or something of the data is not read.
    var checksum: (stored: UInt32, running: CRC32)?
    var count = 0
    /// Children without use, of the section and of the AttachedFile that is stepped into.
    var strangers = 0
    var attachmentChildren = 0
    /// The AttachedFile that is stepped into.
    var attachment: (file: Attachment, end: UInt64)?

    init(header: ElementHeader, segmentEnd: UInt64, isLinear: Bool) {
        self.header = header
        self.isLinear = isLinear
        end = max(header.dataStart, min(header.end ?? segmentEnd, segmentEnd))
        position = header.dataStart
    }

    var isWhole: Bool { header.end == end }
    var path: [ElementID] { [.segment, header.id] }

    /// The one kind of child that is of use; `nil` in Info, where all may be.
    var entryID: ElementID? {
        switch header.id {
        case .seekHead: .seek
        case .tracks: .trackEntry
        case .cues: .cuePoint
        case .tags: .tag
        case .chapters: .editionEntry
        case .attachments: .attachedFile
        default: nil
        }
    }

    func maximumCount(_ limits: MatroskaLimits) -> Int {
        switch header.id {
        case .tracks: limits.tracks
        case .cues: limits.cues
        default: limits.entries
        }
    }
}

extension MatroskaHeadParser {
    mutating func continueSection(_ before: HeadSection, _ piece: FilePiece) -> Step? {
        var section = before
        while true {
            if section.attachment != nil {
                guard let range = continueAttachment(&section, piece) else { continue }
                return wait(section, range)
            }
            guard section.position < section.end else {
                closeSection(section)
                return nil
            }
            switch piece.header(at: section.position, end: section.end) {
            case .need(let range): return wait(section, range)
            case .invalid(let code): abandon(section, MatroskaError(code, section.path, offset: section.position))
            case .truncated: abandon(section, MatroskaError(.overrun, section.path, offset: section.position))
            case .header(let child):
                switch takeChild(child, &section, piece) {
                case .need(let range): return wait(section, range)
                case .taken: continue
                case .left: break
                }
            }
            return nil
        }
    }

    private mutating func wait(_ section: HeadSection, _ range: FileRange) -> Step {
        stage = .section(section)
        return .need(range)
    }

    private mutating func abandon(_ section: HeadSection, _ error: MatroskaError) {
        note(MatroskaDamage(error: error, lost: FileRange(offset: section.position, end: section.end)))
        leave(section)
    }

    private mutating func closeSection(_ section: HeadSection) {
        if let (stored, running) = section.checksum, section.isWhole, running.value != stored {
            note(MatroskaError(.wrongChecksum, section.path, offset: section.header.position))
        }
        leave(section)
    }

    private enum ChildOutcome {
        /// The piece holds too little; nothing has changed.
        case need(FileRange)
        /// The section's position is behind the child, or inside an AttachedFile.
        case taken
        /// The rest of the section is given up.
        case left
    }

    private mutating func takeChild(_ child: ElementHeader, _ section: inout HeadSection, _ piece: FilePiece) -> ChildOutcome {
        let path = section.path + [child.id]
        guard let size = child.size, let childEnd = child.end, childEnd <= section.end else {
            abandon(section, MatroskaError(child.size == nil ? .unknownSize : .overrun, path, offset: child.position))
            return .left
        }
        let isEntry = section.entryID.map { $0 == child.id } ?? (child.id != .void && child.id != .crc32)
        if !isEntry { section.strangers += 1 }
        if (isEntry && section.count >= section.maximumCount(limits)) || section.strangers > limits.strangers {
            abandon(section, MatroskaError(.tooMany, path, offset: child.position))
            return .left
        }
        if child.id == .attachedFile, isEntry {
            section.count += 1
            section.checksum = nil
            section.attachment = (Attachment(), childEnd)
            section.attachmentChildren = 0
            section.position = child.dataStart
        } else if size > limits.elementBytes || (!isEntry && section.checksum == nil && child.id != .crc32) {
            if isEntry { note(MatroskaDamage(error: MatroskaError(.tooLarge, path, offset: child.position), lost: child.range)) }
            section.checksum = nil
            section.position = childEnd
        } else {
            guard let body = piece.body(of: child, path: path), let whole = piece.slice(at: child.position, count: childEnd - child.position)
            else { return .need(child.range) }
            if child.id == .crc32, section.position == section.header.dataStart, size == 4 {
                section.checksum = (body.bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }, CRC32())
            } else {
                section.checksum?.running.update(whole)
            }
            if isEntry {
                section.count += 1
                if body.hasWrongChecksum { note(MatroskaError(.wrongChecksum, path, offset: child.position)) }
                do throws(MatroskaError) { try takeEntry(body) } catch { note(MatroskaDamage(error: error, lost: child.range)) }
            }
            section.position = childEnd
        }
        return .taken
    }

    /// Puts what an entry says into the head.
    private mutating func takeEntry(_ body: ElementBody) throws(MatroskaError) {
        let segment = head.segment
        if body.id != .cuePoint { try spend(UInt64(body.bytes.count), body) }
        switch body.id {
        case .seek:
            let entry = try SeekEntry(body, segmentData: segment.dataStart)
            guard head.seekEntries.count < limits.entries else { throw body.error(.tooMany) }
            head.seekEntries.append(entry)
        case .trackEntry:
            let track = try Track(body)
            guard head.track(track.number) == nil else { throw body.error(.badValue, "track number \(track.number) a second time") }
            head.tracks.append(track)
        case .cuePoint:
            let cues = try Cue.parse(body, segmentData: segment.dataStart, segmentEnd: segment.end)
            guard (head.cues?.count ?? 0) + cues.count <= limits.cues else { throw body.error(.tooMany) }
            head.cues?.append(contentsOf: cues)
        case .tag:
            guard head.tags.count < limits.entries else { throw body.error(.tooMany) }
            head.tags.append(try Tag(body, depth: limits.depth, room: &tagRoom))
        case .editionEntry: head.editions.append(try Edition(body, depth: limits.depth, room: &chapterRoom))
        default: try head.info.take(body)
        }
    }

    private mutating func spend(_ bytes: UInt64, _ body: ElementBody) throws(MatroskaError) {
        guard bytes <= byteRoom else { throw body.error(.tooMany, "more than \(limits.headBytes) bytes in all") }
        byteRoom -= bytes
    }

    /// One child of an AttachedFile. FileData is never read.
    private mutating func continueAttachment(_ section: inout HeadSection, _ piece: FilePiece) -> FileRange? {
        guard let (before, end) = section.attachment else { return nil }
        var file = before
        let path = section.path + [.attachedFile]
        guard section.position < end else {
            head.attachments.append(file)
            section.attachment = nil
            return nil
        }
        let child: ElementHeader
        switch piece.header(at: section.position, end: end) {
        case .need(let range): return range
        case .header(let found): child = found
        case .invalid(let code): return give(up: code, path, &section, end)
        case .truncated: return give(up: .overrun, path, &section, end)
        }
        guard let size = child.size, let childEnd = child.end, childEnd <= end else {
            return give(up: child.size == nil ? .unknownSize : .overrun, path + [child.id], &section, end)
        }
        section.attachmentChildren += 1
        if section.attachmentChildren > limits.strangers { return give(up: .tooMany, path + [child.id], &section, end) }
        if child.id == .fileData {
            file.data = FileRange(offset: child.dataStart, end: childEnd)
        } else if size <= limits.headerBytes {
            guard let body = piece.body(of: child, path: path + [child.id]) else { return child.range }
            if (try? spend(size, body)) == nil { return give(up: .tooMany, path + [child.id], &section, end) }
            file.take(body)
        } else {
            note(MatroskaDamage(error: MatroskaError(.tooLarge, path + [child.id], offset: child.position), lost: child.range))
        }
        section.attachment = (file, end)
        section.position = childEnd
        return nil
    }

    private mutating func give(up code: MatroskaError.Code, _ path: [ElementID], _ section: inout HeadSection, _ end: UInt64) -> FileRange? {
        note(
            MatroskaDamage(
                error: MatroskaError(code, path, offset: section.position), lost: FileRange(offset: section.position, end: end)))
        section.attachment = nil
        section.position = end
        return nil
    }
}
