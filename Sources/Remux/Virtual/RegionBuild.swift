package import Bytes
package import Matroska

/// Makes the bytes of a region. Works as the parsers do: call `next(.empty)`, answer each `.need(range)` with a piece that holds
/// the range, and more of what follows if that is cheap. What comes out is a function of the source and the region alone.
package struct RegionBuild: Sendable {
    package enum Step: Sendable {
        case need(FileRange)
        case done(VirtualRegion)
    }

    /// The state behind a region: the next one begins there without a walk through its interval. It changes nothing else.
    package struct Checkpoint: Sendable {
        enum Kind: Sendable {
            case matroska(MatroskaRegion.Checkpoint)
        }

        let kind: Kind
    }

    private enum Kind: Sendable {
        case matroska(MatroskaRegion)
        case transport(TransportRegion)
    }

    private let index: Int
    private let capacity: UInt64
    private let writer: RegionWriter
    private var kind: Kind

    init(_ index: Int, movie: VirtualMovie, from checkpoint: Checkpoint?) {
        self.index = index
        let place = movie.regions.place(index)
        capacity = place.upperBound - place.lowerBound
        writer = movie.writer
        switch movie.source {
        case .matroska(let source):
            var own: MatroskaRegion.Checkpoint?
            if case .matroska(let checkpoint) = checkpoint?.kind { own = checkpoint }
            kind = .matroska(MatroskaRegion(index, source: source, table: movie.regions, from: own))
        case .transport(let source): kind = .transport(TransportRegion(index, source: source, table: movie.regions))
        }
    }

    package mutating func next(_ piece: FilePiece) -> Step {
        switch kind {
        case .matroska(var region):
            let step = region.next(piece)
            kind = .matroska(region)
            switch step {
            case .need(let range): return .need(range)
            case .done(let samples, let checkpoint):
                let (layout, fallback) = writer.layout(samples, index: index, capacity: capacity)
                return .done(
                    VirtualRegion(
                        index: index, layout: layout, fallback: fallback, damages: region.damages.map { "\($0.error)" },
                        next: checkpoint.map { Checkpoint(kind: .matroska($0)) }))
            }
        case .transport(var region):
            let step = region.next(piece)
            kind = .transport(region)
            switch step {
            case .need(let range): return .need(range)
            case .done(let samples):
                let (layout, fallback) = writer.layout(samples, index: index, capacity: capacity)
                return .done(VirtualRegion(index: index, layout: layout, fallback: fallback, damages: region.damages, next: nil))
            }
        }
    }
}

/// A region, laid out.
package struct VirtualRegion: Sendable {
    package let index: Int
    /// As long as the region is; its source pieces are what is still to be read.
    package let layout: VirtualLayout
    package let fallback: RegionFallback
    /// What of the source could not be understood, for people.
    package let damages: [String]
    /// For the next region, where that is of the same interval.
    package let next: RegionBuild.Checkpoint?
}
