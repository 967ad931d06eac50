internal import Bytes
internal import Matroska

/// Finds the samples of a region of a Matroska file.
///
/// Walks from the entry of the region's interval by block headers. Where an interval has several regions, each takes blocks up
/// to the nominal start of the next one, as long as they are sure to fit; what does not goes into the next one, and so does all
/// behind it.
struct MatroskaRegion: Sendable {
    /// The state in which a region of an interval begins: saves the next one the walk.
    struct Checkpoint: Sendable {
        let index: Int
        fileprivate let walker: ClusterWalker
        fileprivate let end: MatroskaEntry
    }

    enum Step: Sendable {
        case need(FileRange)
        case done(RegionSamples, Checkpoint?)
    }

    private enum Stage: Sendable {
        case begin(MatroskaEntryFinder)
        case end(MatroskaEntry, MatroskaEntryFinder)
        case walk(ClusterWalker, MatroskaEntry)
        /// `before`: the walker in front of the block.
        case block(MatroskaBlock, Int, before: ClusterWalker, after: ClusterWalker, MatroskaEntry)
        case ahead(ClusterWalker, MatroskaEntry)
        case done
    }

    private let source: MatroskaSource
    private let table: RegionTable
    private let index: Int
    /// The region that blocks go to now; those before `index` are only counted.
    private var current: Int
    private var room: UInt64
    private var stage: Stage
    private var samples: RegionSamples
    private var checkpoint: Checkpoint?
    private(set) var damages: [MatroskaDamage] = []

    /// Behind a region pictures are looked for this far.
    private static let aheadBytes: UInt64 = 16 << 20

    init(_ index: Int, source: MatroskaSource, table: RegionTable, from checkpoint: Checkpoint?) {
        self.source = source
        self.table = table
        self.index = index
        samples = RegionSamples(count: source.tracks.count)
        room = 0
        if let checkpoint, checkpoint.index == index {
            current = index
            stage = .walk(checkpoint.walker, checkpoint.end)
        } else {
            current = index - table.regions[index].part
            stage = .begin(Self.finder(table.regions[index].interval, source: source, table: table))
        }
        room = capacity(current)
    }

    private static func finder(_ interval: Int, source: MatroskaSource, table: RegionTable) -> MatroskaEntryFinder {
        guard interval < table.entries.count else {
            return .found(MatroskaEntry(boundary: source.segmentEnd, cluster: nil, isEmpty: true))
        }
        return MatroskaEntryFinder(table.entries[interval], source: source)
    }

    private func capacity(_ region: Int) -> UInt64 {
        let place = table.place(region), base = RegionWriter.baseCost(tracks: source.tracks.count)
        let count = place.upperBound - place.lowerBound
        return count > base ? count - base : 0
    }

    mutating func next(_ piece: FilePiece) -> Step {
        while true {
            switch stage {
            case .begin(var finder):
                let step = finder.next(piece)
                stage = .begin(finder)
                switch step {
                case .need(let range): return .need(range)
                case .done(let entry):
                    stage = .end(entry, Self.finder(table.regions[index].interval + 1, source: source, table: table))
                }
            case .end(let entry, var finder):
                let step = finder.next(piece)
                stage = .end(entry, finder)
                switch step {
                case .need(let range): return .need(range)
                case .done(let end): stage = entry.isEmpty || entry.boundary >= end.boundary ? .done : .walk(entry.walker(source), end)
                }
            case .walk(let walker, let end):
                if let range = walk(walker, end, piece) { return .need(range) }
            case .block(let block, let place, let before, let after, let end):
                switch source.samples(block, place, piece) {
                case .need(let range): return .need(range)
                case .damaged(let found, let damage):
                    if current == index, damages.count < 100 { damages.append(damage) }
                    take(found, block, place, before, after, end)
                case .samples(let found): take(found, block, place, before, after, end)
                }
            case .ahead(let walker, let end):
                if let range = lookAhead(walker, end, piece) { return .need(range) }
            case .done:
                let main = MatroskaSource.main
                if source.marksEntries, source.tracks[main].role == .video, !samples.tracks[main].isEmpty { samples.tracks[main][0].isSync = true }
                return .done(samples, checkpoint)
            }
        }
    }

    private mutating func walk(_ before: ClusterWalker, _ end: MatroskaEntry, _ piece: FilePiece) -> FileRange? {
        var walker = before
        let step = walker.next(piece)
        stage = .walk(walker, end)
        switch step {
        case .need(let range): return range
        case .cluster: break
        case .damage(let damage): if current == index, damages.count < 100 { damages.append(damage) }
        case .end: stage = .done
        case .block(let block):
            if block.element.offset >= end.boundary {
                stage = end.isEmpty ? .done : .ahead(end.walker(source), MatroskaEntry(boundary: .max, cluster: nil))
            } else if let place = source.place(block) {
                stage = .block(block, place, before: before, after: walker, end)
            }
        }
        return nil
    }

    private mutating func take(
        _ found: [VirtualSample], _ block: MatroskaBlock, _ place: Int, _ before: ClusterWalker, _ after: ClusterWalker, _ end: MatroskaEntry
    ) {
        let cost = found.reduce(0) { $0 + RegionWriter.cost($1.size) }
        while !table.isLastPart(current), block.element.offset >= table.nominalEnd(current) || cost > room {
            if current == index {
                checkpoint = Checkpoint(index: index + 1, walker: before, end: end)
                stage = .ahead(before, end)
                return
            }
            current += 1
            room = capacity(current)
        }
        room -= min(room, cost)
        if current == index { samples.tracks[place] += found }
        stage = .walk(after, end)
    }

    /// Presentation times of the main video's next pictures.
    private mutating func lookAhead(_ before: ClusterWalker, _ end: MatroskaEntry, _ piece: FilePiece) -> FileRange? {
        let main = source.tracks[MatroskaSource.main]
        guard main.role == .video, samples.ahead.count <= main.reorder, !samples.tracks[MatroskaSource.main].isEmpty else {
            stage = .done
            return nil
        }
        var walker = before
        let step = walker.next(piece)
        stage = .ahead(walker, end)
        switch step {
        case .need(let range): return range
        case .cluster, .damage: break
        case .end: stage = .done
        case .block(let block):
            if block.element.offset >= end.boundary {
                // The next interval begins here; what its region begins with is what is looked for.
                stage = end.isEmpty ? .done : .ahead(end.walker(source), MatroskaEntry(boundary: .max, cluster: nil))
            } else if block.element.offset >= table.nominalEnd(index).addingReportingOverflow(Self.aheadBytes).partialValue {
                stage = .done
            } else if source.place(block) == MatroskaSource.main {
                samples.ahead.append(source.time(block, MatroskaSource.main))
            }
        }
        return nil
    }
}
