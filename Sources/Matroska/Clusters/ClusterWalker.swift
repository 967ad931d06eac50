package import Bytes

/// Walks the Clusters of a Segment by element headers alone and tells each block: where its frames are, when they play. Payloads
/// are never asked for, except for the first bytes of a block.
///
/// The walk is flat: Clusters are stepped into whatever their size, so open sizes and live files need nothing of their own. A
/// Cluster's known size only shows a child that ends behind it. Elements that are not Clusters are passed over by their size.
/// Where no element can be, or one that cannot fit, the walk goes on at the next Cluster that `ClusterCheck` accepts, searched
/// from the end of the last element that proved itself; what lies between is told as damage.
///
/// What is told is a function of the file and the start alone, however the bytes are cut into pieces. CRC-32 of Clusters are not
/// compared: that would take the payloads.
package struct ClusterWalker: Sendable {
    package enum Step: Hashable, Sendable {
        /// `next` wants a piece that holds this range.
        case need(FileRange)
        case cluster(ClusterStart)
        case block(MatroskaBlock)
        /// Something was lost; the walk goes on.
        case damage(MatroskaDamage)
        /// Every further call tells the same.
        case end(End)
    }

    package enum End: Hashable, Sendable {
        /// The Segment's last byte was passed.
        case segmentEnd
        /// Another document begins at `position`: files were joined.
        case nextDocument
        /// After damage, told before, no Cluster was found.
        case noCluster
    }

    /// Where the next element is looked for. Every block that begins before it has been told; a walker that is made anew with
    /// `position` and `cluster` goes on with the same blocks.
    package internal(set) var position: UInt64
    package internal(set) var cluster: ClusterStart?

    let end: UInt64
    let limits: MatroskaLimits
    let tracks: Set<UInt64>?
    /// The header of a Cluster whose Timestamp has not come yet.
    var opened: ElementHeader?
    var group: BlockGroupWalk?
    private var search: (running: ClusterSearch, cause: MatroskaError)?
    /// Up to here the structure proved itself; a search begins here.
    var trusted: UInt64
    /// Elements passed since a chain of them was trusted. A long one is no accident even when none of it proves anything, and a search
    /// must not go back over much: each Cluster that it finds there may lead along the same way again.
    private var unproven = 0
    private static let provingChain = 64
    private var ended: End?

    private static let timestampPath: [ElementID] = [.segment, .cluster, .timestamp]

    /// - Parameters:
    ///   - position: of an element: a Cluster, or a block inside of `cluster`.
    ///   - cluster: the Cluster that `position` is in, if it is inside of one.
    ///   - end: the Segment's end inside the file.
    ///   - tracks: the numbers of the file's tracks, if known. Blocks of others are passed over and prove nothing.
    package init(
        at position: UInt64, in cluster: ClusterStart? = nil, end: UInt64, tracks: Set<UInt64>? = nil, limits: MatroskaLimits = MatroskaLimits()
    ) {
        // So that no place overflows when sizes, which are below 2^56, are added.
        self.end = min(end, 1 << 62)
        self.position = position
        self.cluster = cluster
        self.tracks = tracks
        self.limits = limits
        trusted = position
    }

    package mutating func next(_ piece: FilePiece) -> Step {
        while true {
            if let ended { return .end(ended) }
            if search != nil {
                if let step = continueSearch(piece) { return step }
            } else if group != nil {
                if let step = continueGroup(piece) { return step }
            } else if let step = takeElement(piece) {
                return step
            }
        }
    }

    // MARK: Elements of the Segment and of Clusters

    private mutating func takeElement(_ piece: FilePiece) -> Step? {
        guard position < end else {
            ended = .segmentEnd
            return nil
        }
        let header: ElementHeader
        switch piece.header(at: position, end: end) {
        case .need(let range): return .need(range)
        case .invalid(let code): return fail(code, path())
        case .truncated: return fail(.truncated, path())
        case .header(let found): header = found
        }
        guard isPlausible(header) else { return fail(.wrongPosition, path(header.id)) }
        switch header.id {
        case .cluster:
            // The search's own find must not be searched again: `trusted` may already be behind its ID.
            trusted = max(trusted, header.position)
            opened = header
            cluster = nil
            pass(to: header.dataStart)
            return nil
        case .ebml, .segment:
            ended = .nextDocument
            return nil
        default: break
        }
        guard let elementEnd = header.end else { return fail(.unknownSize, path(header.id)) }
        guard elementEnd <= end else { return fail(.truncated, path(header.id)) }
        let clusterEnd = opened?.end ?? cluster?.end ?? .max
        if header.position < clusterEnd, elementEnd > clusterEnd { return fail(.overrun, path(header.id)) }
        switch header.id {
        case .timestamp: return takeTimestamp(header, piece)
        case .simpleBlock: return takeSimpleBlock(header, piece)
        case .blockGroup:
            group = BlockGroupWalk(header: header)
            return nil
        case .seekHead, .info, .tracks, .cues, .attachments, .chapters, .tags:
            // Four bytes that are a known ID are no accident: what led here was right.
            trusted = max(trusted, header.position)
            opened = nil
            cluster = nil
        default: break
        }
        pass(to: elementEnd)
        return nil
    }

    /// Leaves an element behind, once for each.
    mutating func pass(to place: UInt64) {
        unproven += 1
        if unproven == ClusterWalker.provingChain {
            trusted = max(trusted, position)
            unproven = 0
        }
        position = place
    }

    /// Whether an element may stand here. All elements directly in the Segment have IDs of four bytes but Void and CRC-32, and no
    /// element that is known for another level may stand in a Cluster: without this a walk that lost its way would believe what it
    /// finds by accident, and be led farther astray by its size.
    private func isPlausible(_ header: ElementHeader) -> Bool {
        switch header.id {
        case .void, .crc32, .simpleBlock, .blockGroup, .timestamp, .position, .prevSize, .silentTracks, .encryptedBlock:
            return isInCluster(header.position) || header.id == .void || header.id == .crc32
        case _ where header.id.rawValue >= 1 << 28:
            return ElementDefinition.of(header.id).map { ($0.level ?? 1) <= 1 } ?? true
        default:
            return isInCluster(header.position) && ElementDefinition.of(header.id) == nil
        }
    }

    private func isInCluster(_ position: UInt64) -> Bool {
        if let opened { return position < opened.end ?? .max }
        if let cluster { return position < cluster.end ?? .max }
        return false
    }

    private mutating func takeTimestamp(_ header: ElementHeader, _ piece: FilePiece) -> Step? {
        let path = ClusterWalker.timestampPath
        guard let size = header.size, size <= 8 else { return fail(.badValue, path) }
        guard let body = piece.body(of: header, path: path) else { return .need(header.range) }
        guard let value = try? body.unsigned(), let timestamp = Int64(exactly: value) else { return fail(.badValue, path) }
        pass(to: sum(header.dataStart, size))
        // A second one in the same Cluster means nothing.
        guard let opened else { return nil }
        let start = ClusterStart(position: opened.position, dataStart: opened.dataStart, end: opened.end, timestamp: timestamp)
        self.opened = nil
        cluster = start
        trusted = max(trusted, position)
        return .cluster(start)
    }

    private mutating func takeSimpleBlock(_ header: ElementHeader, _ piece: FilePiece) -> Step? {
        guard let size = header.size, size <= limits.blockBytes else { return fail(.tooLarge, path(.simpleBlock)) }
        let parsed = BlockPayload.parse(
            FileRange(offset: header.dataStart, end: sum(header.dataStart, size)), element: header.position, in: piece, limits: limits)
        if case .need(let range) = parsed { return .need(range) }
        pass(to: sum(header.dataStart, size))
        switch parsed {
        case .need(let range): return .need(range)
        case .bad(let code, let detail): return spoiled(header, code, detail)
        case .payload(let payload):
            return tell(
                payload, header: header,
                isKeyframe: payload.flags & 0x80 != 0, isDiscardable: payload.flags & 0x01 != 0)
        }
    }

    /// Makes a block of what was read; `position` is behind its element already.
    func block(_ payload: BlockPayload, header: ElementHeader, in cluster: ClusterStart) -> MatroskaBlock {
        MatroskaBlock(
            element: header.range, cluster: cluster.position, track: payload.track, clusterTimestamp: cluster.timestamp,
            relativeTimestamp: payload.relativeTimestamp, isKeyframe: false, isInvisible: payload.flags & 0x08 != 0, isDiscardable: false,
            frames: payload.frames)
    }

    private mutating func tell(_ payload: BlockPayload, header: ElementHeader, isKeyframe: Bool, isDiscardable: Bool) -> Step? {
        guard let cluster else { return spoiled(header, .missing, "Timestamp of the Cluster") }
        guard tracks?.contains(payload.track) ?? true else { return nil }
        trusted = max(trusted, position)
        var result = block(payload, header: header, in: cluster)
        result.isKeyframe = isKeyframe
        result.isDiscardable = isDiscardable
        return .block(result)
    }

    // MARK: Damage

    /// One element is lost; its size is believed, so the walk goes on behind it.
    func spoiled(_ header: ElementHeader, _ code: MatroskaError.Code, _ detail: String) -> Step {
        .damage(
            MatroskaDamage(error: MatroskaError(code, path(header.id), offset: header.position, detail: detail), lost: header.range))
    }

    /// The structure is lost: begins a search.
    mutating func fail(_ code: MatroskaError.Code, _ path: [ElementID]) -> Step? {
        let cause = MatroskaError(code, path, offset: group?.position ?? position)
        search = (ClusterSearch(from: trusted, end: end, limit: limits.searchBytes), cause)
        group = nil
        unproven = 0
        return nil
    }

    private mutating func continueSearch(_ piece: FilePiece) -> Step? {
        guard let (before, cause) = search else { return nil }
        var running = before
        let outcome = running.next(piece)
        if case .need(let range) = outcome {
            search = (running, cause)
            return .need(range)
        }
        search = nil
        opened = nil
        cluster = nil
        let lostFrom = trusted
        if case .found(let start) = outcome {
            position = start.position
            // Behind the ID: should the walk not come through this Cluster, it searches for the one after it.
            trusted = start.position + 4
            return .damage(MatroskaDamage(error: cause, lost: FileRange(offset: min(lostFrom, start.position), end: start.position)))
        }
        position = max(position, end)
        ended = .noCluster
        return .damage(MatroskaDamage(error: cause, lost: FileRange(offset: min(lostFrom, end), end: end)))
    }

    private func path(_ id: ElementID? = nil) -> [ElementID] {
        var path: [ElementID] = [.segment]
        if opened != nil || cluster != nil { path.append(.cluster) }
        if let id { path.append(id) }
        return path
    }
}
