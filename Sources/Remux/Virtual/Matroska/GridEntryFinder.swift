internal import Bytes
internal import Matroska

/// The block that begins nearest to a place of a file without cues. The last Cluster in front of the place is searched, in
/// steps backwards, and its blocks are walked through by their headers.
struct GridEntryFinder: Sendable {
    /// A part of the file in which Clusters are looked for, and the last one met so far.
    private struct Search: Sendable {
        var running: ClusterSearch
        let from: UInt64
        let to: UInt64
        var best: ClusterStart?
    }

    private enum Stage: Sendable {
        case search(Search)
        case walk(ClusterWalker, last: MatroskaEntry?)
    }

    private let place: UInt64
    private let source: MatroskaSource
    private var stage: Stage

    /// What is searched first, and at most. Clusters have some 5 MB at most mostly; at 30 seconds and 30 Mbit/s it is 112 MB.
    private static let firstStep: UInt64 = 1 << 20, reach: UInt64 = 128 << 20

    init(_ place: UInt64, source: MatroskaSource) {
        self.place = place
        self.source = source
        stage = Self.search(to: place, step: Self.firstStep, source)
    }

    private static func search(to: UInt64, step: UInt64, _ source: MatroskaSource) -> Stage {
        let from = min(max(source.firstCluster, to > step ? to - step : 0), to)
        return .search(Search(running: ClusterSearch(from: from, end: source.segmentEnd, limit: to - from), from: from, to: to))
    }

    mutating func next(_ piece: FilePiece) -> MatroskaEntryFinder.Step {
        while true {
            switch stage {
            case .search(var search):
                switch search.running.next(piece) {
                case .need(let range):
                    stage = .search(search)
                    return .need(range)
                case .found(let start):
                    let behind = start.position + 4
                    search.best = start
                    search.running = ClusterSearch(from: behind, end: source.segmentEnd, limit: search.to > behind ? search.to - behind : 0)
                    stage = .search(search)
                case .none: turn(search)
                }
            case .walk(var walker, let last):
                let step = walker.next(piece)
                stage = .walk(walker, last: last)
                switch step {
                case .need(let range): return .need(range)
                case .cluster, .damage: continue
                case .block(let block):
                    let here = MatroskaEntry(boundary: block.element.offset, cluster: walker.cluster)
                    guard here.boundary >= place else {
                        stage = .walk(walker, last: here)
                        continue
                    }
                    if let last, place - last.boundary <= here.boundary - place { return .done(last) }
                    return .done(here)
                case .end: return .done(MatroskaEntry(boundary: max(place, walker.position), cluster: nil, isEmpty: true))
                }
            }
        }
    }

    private mutating func turn(_ search: Search) {
        if let best = search.best {
            stage = .walk(ClusterWalker(at: best.position, end: source.segmentEnd, tracks: source.trackNumbers), last: nil)
        } else if search.from <= source.firstCluster || place - search.from >= Self.reach {
            stage = .walk(
                ClusterWalker(at: max(search.from, source.firstCluster), end: source.segmentEnd, tracks: source.trackNumbers), last: nil)
        } else {
            stage = Self.search(to: search.from, step: place - search.from, source)
        }
    }
}
