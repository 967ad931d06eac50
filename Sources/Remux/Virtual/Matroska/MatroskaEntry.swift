internal import Bytes
internal import Matroska

/// Where an interval of a Matroska file begins: the interval before it has the blocks in front of `boundary`.
struct MatroskaEntry: Hashable, Sendable {
    let boundary: UInt64
    /// The Cluster that `boundary` is in, if it is inside of one.
    let cluster: ClusterStart?
    /// Nothing can be entered here: the interval is empty.
    var isEmpty = false

    func walker(_ source: MatroskaSource) -> ClusterWalker {
        ClusterWalker(at: boundary, in: cluster, end: source.segmentEnd, tracks: source.trackNumbers)
    }
}

/// Finds a `MatroskaEntry`: a function of the file and the point alone.
enum MatroskaEntryFinder: Sendable {
    case found(MatroskaEntry)
    case cue(CueEntryFinder)
    case grid(GridEntryFinder)

    enum Step: Sendable {
        case need(FileRange)
        case done(MatroskaEntry)
    }

    init(_ point: RegionEntryPoint, source: MatroskaSource) {
        switch point {
        case .start(let offset): self = .found(MatroskaEntry(boundary: offset, cluster: nil))
        case .cue(let cluster, let relative):
            self = .cue(CueEntryFinder(cluster: cluster, relative: relative, source: source))
        case .grid(let offset): self = .grid(GridEntryFinder(offset, source: source))
        }
    }

    mutating func next(_ piece: FilePiece) -> Step {
        let step: Step
        switch self {
        case .found(let entry): return .done(entry)
        case .cue(var finder):
            step = finder.next(piece)
            self = .cue(finder)
        case .grid(var finder):
            step = finder.next(piece)
            self = .grid(finder)
        }
        if case .done(let entry) = step { self = .found(entry) }
        return step
    }
}
