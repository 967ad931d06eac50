internal import Bytes
internal import Matroska

/// The block that a cue leads to. Where it leads to something else, the block nearest to where it should be, as if there were no
/// cue: then no block is lost between the intervals.
struct CueEntryFinder: Sendable {
    private enum Stage: Sendable {
        case check(ClusterCheck)
        case block(ClusterStart, UInt64)
        case grid(GridEntryFinder)
    }

    private let relative: UInt64?
    private let nominal: UInt64
    private let source: MatroskaSource
    private var stage: Stage

    init(cluster: UInt64, relative: UInt64?, source: MatroskaSource) {
        self.relative = relative
        self.source = source
        nominal = RegionEntryPoint.cue(cluster: cluster, relative: relative).nominal
        stage = .check(ClusterCheck(at: cluster, end: source.segmentEnd))
    }

    mutating func next(_ piece: FilePiece) -> MatroskaEntryFinder.Step {
        while true {
            switch stage {
            case .check(var check):
                switch check.next(piece) {
                case .need(let range):
                    stage = .check(check)
                    return .need(range)
                case .valid(let start):
                    guard let relative else { return .done(MatroskaEntry(boundary: start.position, cluster: nil)) }
                    let (place, overflow) = start.dataStart.addingReportingOverflow(relative)
                    if overflow || place >= min(start.end ?? source.segmentEnd, source.segmentEnd) { giveUp() } else { stage = .block(start, place) }
                case .invalid: giveUp()
                }
            case .block(let start, let place):
                // That a block begins here is seen by the walk's own means: it must tell one, and begin with it.
                var walker = ClusterWalker(at: place, in: start, end: source.segmentEnd)
                let step = walker.next(piece)
                if case .need(let range) = step { return .need(range) }
                if case .block(let block) = step, block.element.offset == place {
                    return .done(MatroskaEntry(boundary: place, cluster: start))
                }
                giveUp()
            case .grid(var finder):
                let step = finder.next(piece)
                stage = .grid(finder)
                return step
            }
        }
    }

    private mutating func giveUp() { stage = .grid(GridEntryFinder(nominal, source: source)) }
}
