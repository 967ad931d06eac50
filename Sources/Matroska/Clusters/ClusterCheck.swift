package import Bytes

/// A Cluster whose header and Timestamp were read (RFC 9559 §5.1.3).
package struct ClusterStart: Hashable, Sendable {
    package let position: UInt64
    /// CueRelativePosition counts from here.
    package let dataStart: UInt64
    /// As the Cluster says, which may be behind the file's end; `nil` when its size is unknown.
    package let end: UInt64?
    /// Segment Ticks.
    package let timestamp: Int64
}

/// Tells whether a Cluster really begins at a place that a cue names or a search found: its ID, a size, a Timestamp after at
/// most four small elements, and behind it an element that a Cluster may hold and that fits. Reads within 4 KiB of the place.
package struct ClusterCheck: Sendable {
    package enum Step: Sendable {
        case need(FileRange)
        case valid(ClusterStart)
        case invalid(MatroskaError)
    }

    private enum Stage { case cluster, children(Int), after(ClusterStart) }

    private let position: UInt64
    private let end: UInt64
    private var cursor: UInt64
    private var stage = Stage.cluster
    private var cluster: ElementHeader?

    /// What may stand in front of the Timestamp takes a few bytes, a Void some hundred. Small, so that a search among
    /// things that look like Clusters stays inside the pieces that it asks for.
    private static let reach: UInt64 = 4 << 10

    /// - Parameter end: the Segment's end inside the file.
    package init(at position: UInt64, end: UInt64) {
        self.position = position
        self.end = end
        cursor = position
    }

    /// The end of what the Cluster may hold.
    private var bound: UInt64 { min(end, cluster?.end ?? end) }

    package mutating func next(_ piece: FilePiece) -> Step {
        while true {
            if case .after(let start) = stage, cursor >= bound { return .valid(start) }
            let header: ElementHeader
            switch piece.header(at: cursor, end: bound) {
            case .need(let range): return .need(range)
            case .invalid(let code): return invalid(code)
            case .truncated: return invalid(.truncated)
            case .header(let found): header = found
            }
            switch stage {
            case .cluster:
                guard header.id == .cluster else { return invalid(.wrongPosition, header.id.name) }
                cluster = header
                cursor = header.dataStart
                stage = .children(0)
            case .children(let count):
                if let step = takeChild(header, count, piece) { return step }
            case .after(let start):
                return fits(header) ? .valid(start) : invalid(.overrun, header.id.name)
            }
        }
    }

    private mutating func takeChild(_ header: ElementHeader, _ count: Int, _ piece: FilePiece) -> Step? {
        guard let size = header.size, let childEnd = header.end, childEnd <= bound else { return invalid(.overrun, header.id.name) }
        switch header.id {
        case .timestamp:
            guard size >= 1, size <= 8 else { return invalid(.badValue, "a Timestamp of \(size) bytes") }
            guard let body = piece.body(of: header, path: [.segment, .cluster, .timestamp]) else { return .need(header.range) }
            guard let value = try? body.unsigned(), let timestamp = Int64(exactly: value) else { return invalid(.badValue, "Timestamp") }
            stage = .after(
                ClusterStart(position: position, dataStart: cluster?.dataStart ?? position, end: cluster?.end, timestamp: timestamp))
        case .crc32, .void, .position, .prevSize:
            guard count < 4, childEnd - position <= ClusterCheck.reach else { return invalid(.missing, "Timestamp") }
            stage = .children(count + 1)
        default: return invalid(.missing, "Timestamp")
        }
        cursor = childEnd
        return nil
    }

    /// Whether an element may follow the Timestamp: a child of the Cluster that ends inside it, or, behind a Cluster of unknown
    /// size, what begins at the level above.
    private func fits(_ header: ElementHeader) -> Bool {
        switch header.id {
        case .simpleBlock, .blockGroup, .encryptedBlock, .position, .prevSize, .silentTracks, .void, .crc32:
            header.end.map { $0 <= bound } ?? false
        case .cluster: cluster?.size == nil
        case .cues, .tags, .chapters, .attachments, .info, .tracks, .seekHead:
            cluster?.size == nil && (header.end.map { $0 <= end } ?? false)
        default: false
        }
    }

    private func invalid(_ code: MatroskaError.Code, _ detail: String = "") -> Step {
        .invalid(MatroskaError(code, [.segment, .cluster], offset: cursor, detail: detail))
    }
}
