internal import Bytes
internal import Matroska

/// Learns of a Matroska file without usable Cues when its parts play: from its last blocks, if its length is not stated, and
/// from Clusters at up to eight places in between.
struct MatroskaGridOpening: Sendable {
    enum Step: Sendable {
        case need([FileRange])
        case done(GridPlan)
    }

    private struct Probe: Sendable {
        var search: ClusterSearch
        let start: UInt64
        var found: ClusterStart?
        var isDone = false
    }

    private enum Stage: Sendable {
        case begin
        case tail(MatroskaTail)
        case probes([Probe])
    }

    private static let probes = 8
    private static let probeBytes: UInt64 = 1 << 20, firstBytes: UInt64 = 64 << 10

    private let size: VirtualSize
    private let head: MatroskaHead
    private let first: GridPlan.Point
    private let frame: Int64
    private let largestPicture: UInt64
    private let tracks: Int
    private var end: UInt64 = 0
    private var window: UInt64 = 1
    private var places: [UInt64] = []
    private var stage = Stage.begin

    /// - Parameters:
    ///   - first: nanoseconds at which the main track begins.
    ///   - frame: nanoseconds of a picture.
    init(size: VirtualSize, head: MatroskaHead, first: Int64, frame: Int64, largestPicture: UInt64, tracks: Int) {
        self.size = size
        self.head = head
        self.first = GridPlan.Point(offset: head.firstCluster ?? 0, time: first)
        self.frame = max(1, frame)
        self.largestPicture = largestPicture
        self.tracks = tracks
    }

    mutating func next(_ pieces: [FilePiece]) -> Step {
        while true {
            switch stage {
            case .begin:
                if let stated = head.info.durationNanoseconds, stated > 0 {
                    lay(stated)
                } else {
                    stage = .tail(MatroskaTail(head))
                }
            case .tail(var tail):
                let range = tail.next(pieces.first ?? .empty)
                stage = .tail(tail)
                if let range { return .need([range]) }
                lay(UInt64(max(0, (tail.last ?? first.time) + frame)))
            case .probes(let before):
                let (probes, needs) = advance(before, pieces)
                guard needs.isEmpty else {
                    stage = .probes(probes)
                    return .need(needs)
                }
                let points = probes.compactMap(\.found).map { GridPlan.Point(offset: $0.position, time: head.info.nanoseconds($0.timestamp)) }
                return .done(GridPlan(size: size, places: places, window: window, points: [first] + points, end: end))
            }
        }
    }

    private mutating func lay(_ duration: UInt64) {
        end = duration
        let frames = max(1, duration / UInt64(frame))
        window = GridPlan.window(
            size: size, first: first.offset, frameBytes: size.source / frames, frames: 128, largestPicture: largestPicture, tracks: tracks)
        places = GridPlan.places(size: size, first: first.offset, window: window)
        let count = min(Self.probes, places.count - 1)
        stage = .probes(
            (0..<count).map { index in
                let place = places[(index + 1) * places.count / (count + 1)]
                return Probe(search: ClusterSearch(from: place, end: head.segment.end, limit: Self.probeBytes), start: place)
            })
    }

    private func advance(_ probes: [Probe], _ pieces: [FilePiece]) -> ([Probe], [FileRange]) {
        var result = probes, needs: [FileRange] = [], answered = 0
        for index in result.indices where !result[index].isDone {
            // Pieces stand for those that asked, in order.
            let piece = answered < pieces.count ? pieces[answered] : .empty
            answered += 1
            switch result[index].search.next(piece) {
            case .need(let range):
                // Twice as much each time: few requests, and little too much.
                let count = max(range.count, max(Self.firstBytes, range.offset - min(range.offset, result[index].start)))
                let limit = max(range.end, result[index].start + Self.probeBytes)
                needs.append(FileRange(offset: range.offset, end: min(range.offset + count, limit, max(range.end, head.segment.end))))
            case .found(let start):
                result[index].found = start
                result[index].isDone = true
            case .none: result[index].isDone = true
            }
        }
        return (result, needs)
    }
}

/// When the last block of a Matroska file is shown: of those behind the last Cluster in the file's last 8 MiB.
struct MatroskaTail: Sendable {
    /// Nanoseconds.
    private(set) var last: Int64?
    private let head: MatroskaHead
    private let end: UInt64
    private var search: ClusterSearch
    private var from: UInt64
    private var to: UInt64
    private var best: ClusterStart?
    private var walker: ClusterWalker?

    private static let reach: UInt64 = 8 << 20, firstStep: UInt64 = 1 << 20

    init(_ head: MatroskaHead) {
        self.head = head
        end = head.segment.end
        to = end
        from = max(head.firstCluster ?? 0, end > Self.firstStep ? end - Self.firstStep : 0)
        search = ClusterSearch(from: from, end: end, limit: end - min(end, from))
    }

    /// - Returns: what is needed; `nil` at the end.
    mutating func next(_ piece: FilePiece) -> FileRange? {
        while true {
            if var walker {
                let step = walker.next(piece)
                self.walker = walker
                switch step {
                case .need(let range): return range
                case .cluster, .damage: continue
                case .block(let block):
                    let scale = head.track(block.track)?.timestampScale ?? 1
                    last = max(last ?? .min, min(max(head.info.nanoseconds(block.timestamp(trackScale: scale)), 0), 1 << 57))
                    continue
                case .end: return nil
                }
            }
            switch search.next(piece) {
            case .need(let range): return whole(range)
            case .found(let start):
                best = start
                let behind = start.position + 4
                search = ClusterSearch(from: behind, end: end, limit: to > behind ? to - behind : 0)
            case .none:
                if let best {
                    walker = ClusterWalker(at: best.position, end: end, tracks: head.trackNumbers)
                } else if from <= head.firstCluster ?? 0 || end - from >= Self.reach {
                    return nil
                } else {
                    to = from
                    from = max(head.firstCluster ?? 0, end > 2 * (end - from) ? end - 2 * (end - from) : 0)
                    search = ClusterSearch(from: from, end: end, limit: to - from)
                }
            }
        }
    }

    /// All that will be searched at once.
    private func whole(_ range: FileRange) -> FileRange {
        range.offset < to ? FileRange(offset: range.offset, end: max(range.end, to)) : range
    }
}
