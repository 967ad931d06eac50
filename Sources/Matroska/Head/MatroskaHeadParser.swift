package import Bytes

/// Reads what a file says besides its Clusters: first the elements before the first Cluster, in order, then those that the
/// SeekHead names. Elements that are not wanted are passed over by their headers; attachments' data always is.
///
/// A damaged entry costs itself only and is told in `MatroskaHead.damages`; what cannot be done without is thrown. What is
/// answered is a function of the file and the parameters alone, however the bytes are cut into pieces.
///
/// This is where a reader of the module begins. Every machine here works alike: call `next(.empty)`, answer each `.need(range)` with
/// a `FilePiece` that holds the range, and more of what follows if that is cheap, and keep the same piece for the calls after any
/// other step.
///
/// A whole file in order: run this parser with small pieces; then a `ClusterWalker(at: head.firstCluster, end: head.segment.end,
/// tracks: head.trackNumbers)` with pieces of about 1 MiB. Of each `.block`, whose frames the piece holds whole or in part, take
/// `piece.slice(frame)`, and read from the file what the piece does not hold: the walker itself never asks for payloads. One
/// `FrameDecoder` per track undoes compression; where its method is `.copy` or `.prepend` the payload needs no look at all. Time is
/// `head.info.nanoseconds(block.timestamp)`; the frames of a lace follow each other by the codec's frame length.
///
/// Any place of a file: with cues, a `ClusterCheck(at: cue.clusterPosition, end:)` says whether a Cluster is there, and a walker
/// `(at: start.dataStart + cue.relativePosition, in: start, end:)`, or `(at: cue.clusterPosition, end:)` where the cue has no relative
/// position, goes on from there. Without cues, `ClusterSearch(from:end:limit:)` finds the next Cluster behind any byte. A walker made
/// anew with `position` and `cluster` of another one goes on with the same blocks.
package struct MatroskaHeadParser: Sendable {
    package enum Step: Sendable {
        /// `next` wants a piece that holds this range.
        case need(FileRange)
        case done(MatroskaHead)
    }

    /// What to read besides Info and Tracks.
    package struct Wanted: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let cues = Wanted(rawValue: 1)
        package static let tags = Wanted(rawValue: 2)
        package static let chapters = Wanted(rawValue: 4)
        package static let attachments = Wanted(rawValue: 8)
        package static let everything: Wanted = [.cues, .tags, .chapters, .attachments]
    }

    enum Stage {
        case document
        case segment(UInt64)
        case levelOne(UInt64)
        case section(HeadSection)
        case search(ClusterSearch, MatroskaError)
        case seek
        case finished
    }

    let fileSize: UInt64
    let wanted: Wanted
    let limits: MatroskaLimits
    var stage = Stage.document
    var head = MatroskaHead(
        ebml: EBMLHeader(), segment: SegmentPlace(position: 0, dataStart: 0, end: 0, hasUnknownSize: false, isTruncated: false))
    /// IDs of sections that were read, and the places where one was tried.
    var seen: Set<ElementID> = []
    var tried: Set<UInt64> = []
    /// What may still be taken up: SimpleTags, chapters and their parts, and bytes of everything but cues.
    var tagRoom: Int
    var chapterRoom: Int
    var byteRoom: UInt64
    private var nextSeek = 0
    private var jumps = 0
    private var passed = 0
    private var failure: MatroskaError?

    /// Sections that the SeekHead may make us look for: there are eight kinds, and Tags may come often. Each costs a read far away.
    private static let maximumJumps = 64

    package init(fileSize: UInt64, wanted: Wanted = .everything, limits: MatroskaLimits = MatroskaLimits()) {
        // So that no place overflows when sizes, which are below 2^56, are added.
        self.fileSize = min(fileSize, 1 << 62)
        self.wanted = wanted
        self.limits = limits
        tagRoom = limits.entries
        chapterRoom = limits.entries
        byteRoom = limits.headBytes
    }

    /// - Throws: what makes the file useless; every further call throws the same.
    package mutating func next(_ piece: FilePiece) throws(MatroskaError) -> Step {
        if let failure { throw failure }
        do {
            while true {
                if let step = try advance(piece) { return step }
            }
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func advance(_ piece: FilePiece) throws(MatroskaError) -> Step? {
        switch stage {
        case .document: return try readDocument(piece)
        case .segment(let position): return try findSegment(position, piece)
        case .levelOne(let position): return readLevelOne(position, piece)
        case .section(let section): return continueSection(section, piece)
        case .search(let search, let cause): return continueSearch(search, cause, piece)
        case .seek: return readSeekEntry(piece)
        case .finished:
            try finish()
            return .done(head)
        }
    }

    // MARK: EBML header and Segment

    private mutating func readDocument(_ piece: FilePiece) throws(MatroskaError) -> Step? {
        let header: ElementHeader
        switch piece.header(at: 0, end: fileSize) {
        case .need(let range): return .need(range)
        case .header(let found) where found.id == .ebml: header = found
        case .header, .invalid, .truncated: throw MatroskaError(.notMatroska, [.ebml], offset: 0)
        }
        guard let size = header.size, let end = header.end else { throw MatroskaError(.unknownSize, [.ebml], offset: 0) }
        guard size <= limits.headerBytes else { throw MatroskaError(.tooLarge, [.ebml], offset: 0, detail: "\(size) bytes") }
        guard end <= fileSize else { throw MatroskaError(.truncated, [.ebml], offset: 0) }
        guard let body = piece.body(of: header, path: [.ebml]) else { return .need(header.range) }
        head.ebml = try EBMLHeader(body)
        stage = .segment(end)
        return nil
    }

    private mutating func findSegment(_ position: UInt64, _ piece: FilePiece) throws(MatroskaError) -> Step? {
        let header: ElementHeader
        switch piece.header(at: position, end: fileSize) {
        case .need(let range): return .need(range)
        case .header(let found): header = found
        case .invalid(let code): throw MatroskaError(code, [.segment], offset: position)
        case .truncated: throw MatroskaError(.truncated, [.segment], offset: position)
        }
        if header.id == .segment {
            let end = header.end ?? fileSize
            head.segment = SegmentPlace(
                position: position, dataStart: header.dataStart, end: min(end, fileSize), hasUnknownSize: header.size == nil,
                isTruncated: end > fileSize)
            stage = .levelOne(header.dataStart)
            return nil
        }
        // Void, or something of a newer standard (RFC 8794 §8).
        passed += 1
        guard let end = header.end, end <= fileSize, header.id != .ebml, header.id != .cluster, passed < 100 else {
            throw MatroskaError(.missing, [.segment], offset: position, detail: "\(header.id.name) instead")
        }
        stage = .segment(end)
        return nil
    }

    // MARK: Elements of the Segment

    private mutating func readLevelOne(_ position: UInt64, _ piece: FilePiece) -> Step? {
        let end = head.segment.end
        guard position < end else {
            stage = .seek
            return nil
        }
        let header: ElementHeader
        switch piece.header(at: position, end: end) {
        case .need(let range): return .need(range)
        case .header(let found): header = found
        case .invalid(let code): return search(position, MatroskaError(code, [.segment], offset: position))
        case .truncated: return search(position, MatroskaError(.truncated, [.segment], offset: position))
        }
        if header.id == .cluster {
            head.firstCluster = position
            stage = .seek
            return nil
        }
        guard let elementEnd = header.end else {
            return search(header.dataStart, MatroskaError(.unknownSize, [.segment, header.id], offset: position))
        }
        passed += 1
        guard passed < limits.entries else {
            note(MatroskaError(.tooMany, [.segment, header.id], offset: position))
            stage = .seek
            return nil
        }
        if isWanted(header.id) {
            if elementEnd > end { note(MatroskaError(.truncated, [.segment, header.id], offset: position)) }
            begin(header, isLinear: true)
        } else if elementEnd <= end {
            stage = .levelOne(elementEnd)
        } else {
            return search(position, MatroskaError(.truncated, [.segment, header.id], offset: position))
        }
        return nil
    }

    /// Whether the element is to be read, and was not yet.
    private func isWanted(_ id: ElementID) -> Bool {
        switch id {
        case .seekHead: true
        case .info, .tracks: !seen.contains(id)
        case .cues: wanted.contains(.cues) && !seen.contains(id)
        case .chapters: wanted.contains(.chapters) && !seen.contains(id)
        case .attachments: wanted.contains(.attachments) && !seen.contains(id)
        case .tags: wanted.contains(.tags)
        default: false
        }
    }

    private mutating func begin(_ header: ElementHeader, isLinear: Bool) {
        seen.insert(header.id)
        tried.insert(header.position)
        if header.id == .cues { head.cues = [] }
        stage = .section(HeadSection(header: header, segmentEnd: head.segment.end, isLinear: isLinear))
    }

    mutating func leave(_ section: HeadSection) {
        stage = section.isLinear ? .levelOne(section.end) : .seek
    }

    private mutating func search(_ position: UInt64, _ cause: MatroskaError) -> Step? {
        stage = .search(ClusterSearch(from: position, end: head.segment.end, limit: limits.searchBytes), cause)
        return nil
    }

    private mutating func continueSearch(_ before: ClusterSearch, _ cause: MatroskaError, _ piece: FilePiece) -> Step? {
        var search = before
        var found = head.segment.end
        switch search.next(piece) {
        case .need(let range):
            stage = .search(search, cause)
            return .need(range)
        case .found(let cluster):
            head.firstCluster = cluster.position
            found = cluster.position
        case .none: break
        }
        note(MatroskaDamage(error: cause, lost: FileRange(offset: min(cause.offset, found), end: found)))
        stage = .seek
        return nil
    }

    // MARK: Elements that the SeekHead names

    private mutating func readSeekEntry(_ piece: FilePiece) -> Step? {
        guard nextSeek < head.seekEntries.count, jumps < MatroskaHeadParser.maximumJumps else {
            stage = .finished
            return nil
        }
        let entry = head.seekEntries[nextSeek]
        guard isWanted(entry.id), !tried.contains(entry.position) else {
            nextSeek += 1
            return nil
        }
        let path: [ElementID] = [.segment, .seekHead, .seek]
        let end = head.segment.end
        switch piece.header(at: entry.position, end: end) {
        case .need(let range): return .need(range)
        case .header(let header) where header.id == entry.id && header.size != nil:
            if header.end.map({ $0 > end }) ?? true { note(MatroskaError(.truncated, [.segment, header.id], offset: entry.position)) }
            begin(header, isLinear: false)
        case .header, .invalid, .truncated:
            note(MatroskaError(.wrongPosition, path, offset: entry.position, detail: "no \(entry.id.name) there"))
        }
        tried.insert(entry.position)
        nextSeek += 1
        jumps += 1
        return nil
    }

    private mutating func finish() throws(MatroskaError) {
        guard !head.tracks.isEmpty else {
            let cause = head.damages.first.map { "\($0.error)" } ?? "the head has none"
            throw MatroskaError(.missing, [.segment, .tracks, .trackEntry], offset: head.segment.dataStart, detail: cause)
        }
        guard !seen.contains(.info) else { return }
        seen.insert(.info)
        note(MatroskaError(.missing, [.segment, .info], offset: head.segment.dataStart))
    }

    // MARK: Damage

    mutating func note(_ damage: MatroskaDamage) {
        head.damageCount += 1
        if head.damages.count < limits.damages { head.damages.append(damage) }
    }

    mutating func note(_ error: MatroskaError) { note(MatroskaDamage(error)) }
}
