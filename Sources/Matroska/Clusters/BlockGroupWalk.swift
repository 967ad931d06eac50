import Bytes

/// What was read of a BlockGroup so far (RFC 9559 §5.1.3.5). Its children may stand in any order.
struct BlockGroupWalk: Sendable {
    let header: ElementHeader
    /// Where the next child is looked for, in the group or in its BlockAdditions and BlockMore, which are stepped into.
    var position: UInt64
    /// The end of the master that `position` is in; the ones around it are below.
    var ends: [UInt64]
    var payload: BlockPayload?
    var duration: UInt64?
    var discardPadding: Int64?
    var references: [Int64] = []
    /// A reference that is no number still is one.
    var isKeyframe = true
    /// BlockAddID is 1 unless it is told.
    var additionID: UInt64 = 1
    var additionData: FileRange?
    var additions: [BlockAddition] = []

    init(header: ElementHeader) {
        self.header = header
        position = header.dataStart
        ends = [header.end ?? header.dataStart]
    }

    /// Leaves the masters that end here; `false` when the group itself does.
    mutating func leave(limit: Int) -> Bool {
        while let end = ends.last, position >= end {
            // Three deep is a BlockMore.
            if ends.count == 3, let data = additionData {
                if additions.count < limit { additions.append(BlockAddition(id: additionID, data: data)) }
                additionData = nil
            }
            ends.removeLast()
        }
        return !ends.isEmpty
    }
}

extension ClusterWalker {
    private static let groupPath: [ElementID] = [.segment, .cluster, .blockGroup]

    mutating func continueGroup(_ piece: FilePiece) -> Step? {
        guard var walk = group else { return nil }
        guard walk.leave(limit: limits.groupEntries), let bound = walk.ends.last else { return finish(walk) }
        let path = ClusterWalker.groupPath
        let child: ElementHeader
        switch piece.header(at: walk.position, end: bound) {
        case .need(let range): return .need(range)
        case .invalid(let code): return fail(code, path)
        case .truncated: return fail(.overrun, path)
        case .header(let found): child = found
        }
        guard let size = child.size, let childEnd = child.end else { return fail(.unknownSize, path + [child.id]) }
        guard childEnd <= bound else { return fail(.overrun, path + [child.id]) }
        if let step = take(child, size, &walk, path, piece) { return step }
        // Unless a failure took the group away.
        if group != nil { group = walk }
        return nil
    }

    private mutating func take(
        _ child: ElementHeader, _ size: UInt64, _ walk: inout BlockGroupWalk, _ path: [ElementID], _ piece: FilePiece
    ) -> Step? {
        switch (child.id, walk.ends.count) {
        case (.block, 1):
            guard size <= limits.blockBytes else { return fail(.tooLarge, path + [child.id]) }
            switch BlockPayload.parse(
                FileRange(offset: child.dataStart, end: sum(child.dataStart, size)), element: child.position, in: piece, limits: limits)
            {
            case .need(let range): return .need(range)
            case .payload(let payload): walk.payload = payload
            case .bad(let code, let detail):
                group = nil
                pass(to: walk.header.end ?? position)
                return spoiled(walk.header, code, detail)
            }
        case (.blockAdditions, 1):
            walk.ends.append(sum(child.dataStart, size))
            walk.position = child.dataStart
            return nil
        case (.blockMore, 2):
            walk.ends.append(sum(child.dataStart, size))
            walk.additionID = 1
            walk.additionData = nil
            walk.position = child.dataStart
            return nil
        case (.blockAdditional, 3): walk.additionData = FileRange(offset: child.dataStart, end: sum(child.dataStart, size))
        case (.blockDuration, 1), (.discardPadding, 1), (.referenceBlock, 1), (.blockAddID, 3):
            guard size <= 8 else { return fail(.badValue, path + [child.id]) }
            guard let body = piece.body(of: child, path: path + [child.id]) else { return .need(child.range) }
            if child.id == .blockDuration { walk.duration = try? body.unsigned() }
            if child.id == .discardPadding { walk.discardPadding = try? body.signed() }
            if child.id == .referenceBlock {
                walk.isKeyframe = false
                if walk.references.count < limits.groupEntries, let value = try? body.signed() { walk.references.append(value) }
            }
            if child.id == .blockAddID { walk.additionID = (try? body.unsigned(1)) ?? 1 }
        default: break
        }
        walk.position = sum(child.dataStart, size)
        return nil
    }

    private mutating func finish(_ walk: BlockGroupWalk) -> Step? {
        group = nil
        pass(to: walk.header.end ?? position)
        guard let payload = walk.payload else { return spoiled(walk.header, .missing, "Block") }
        guard let cluster else { return spoiled(walk.header, .missing, "Timestamp of the Cluster") }
        guard tracks?.contains(payload.track) ?? true else { return nil }
        trusted = max(trusted, position)
        var result = block(payload, header: walk.header, in: cluster)
        result.isKeyframe = walk.isKeyframe
        result.references = walk.references
        result.duration = walk.duration
        result.discardPadding = walk.discardPadding
        result.additions = walk.additions
        return .block(result)
    }
}
