internal import Bytes
internal import MPEGTransport
internal import Matroska

/// Finds the samples of a region of a transport stream: those whose PES begin in it. A walk begins at the region's start and goes
/// on behind its end until every track told a later unit, since PES end where they like.
struct TransportRegion: Sendable {
    enum Step: Sendable {
        case need(FileRange)
        case done(RegionSamples)
    }

    private let source: TransportSource
    private let range: FileRange
    private let fileSize: UInt64
    private var walker: TransportWalker
    private var samples: RegionSamples
    /// Tracks that told a unit behind the region.
    private var passed: Set<Int> = []
    private var isDone = false

    /// What is fed at once, counted from the region's start: so where a walk ends does not depend on how bytes are cut.
    private static let chunk: UInt64 = 64 << 10
    /// Behind the region pictures are waited for this long; for sound alone, which may be silent, this long.
    private static let pictureReach: UInt64 = 16 << 20, soundReach: UInt64 = 1 << 20

    init(_ index: Int, source: TransportSource, table: RegionTable) {
        self.source = source
        range = FileRange(offset: table.regions[index].nominal, end: table.nominalEnd(index))
        fileSize = table.size.source
        walker = TransportWalker(source.head, at: range.offset)
        samples = RegionSamples(count: source.tracks.count)
    }

    /// Faults that were met, for people.
    var damages: [String] { walker.damages.first.filter { range.contains($0.offset) }.map { "\($0)" } }

    mutating func next(_ piece: FilePiece) -> Step {
        while !isDone {
            let wanted = FileRange(offset: walker.position, count: Self.chunk, fileSize: fileSize)
            guard !wanted.isEmpty else {
                take(walker.finish())
                isDone = true
                continue
            }
            guard let bytes = piece.slice(wanted) else { return .need(wanted) }
            take(bytes.withUnsafeBytes { walker.feed($0) })
            let isPictureThere = source.tracks.first?.role != .video || passed.contains(TransportSource.main)
            let reach = isPictureThere ? Self.soundReach : Self.pictureReach
            if passed.count == source.tracks.count {
                isDone = true
            } else if walker.position >= range.end.addingReportingOverflow(reach).partialValue {
                take(walker.finish())
                isDone = true
            }
        }
        let main = TransportSource.main
        // Players would look for a keyframe elsewhere.
        if source.tracks.first?.role == .video, !samples.tracks[main].isEmpty { samples.tracks[main][0].isSync = true }
        return .done(samples)
    }

    private mutating func take(_ events: [TransportEvent]) {
        for case .unit(let unit) in events {
            guard let place = source.place(unit) else { continue }
            if unit.pesOffset >= range.end {
                if passed.insert(place).inserted { samples.next[place] = source.time(unit.dts, source.tracks[place]) }
            } else if unit.pesOffset >= range.offset, let sample = source.sample(unit, place) {
                samples.tracks[place].append(sample)
            }
        }
    }
}
