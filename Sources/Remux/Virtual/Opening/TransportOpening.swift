internal import Bytes
internal import MPEGTransport
internal import Matroska

/// Opens a transport stream: its head, its end for the length, and places in between for when they play.
struct TransportOpening: Sendable {
    private enum Stage: Sendable {
        case head(TransportHeadParser)
        case frames(TransportHead, TransportWalker)
        case tail(UInt64)
        case probes([FileRange])
    }

    /// What the first units said of a track.
    private struct First: Sendable {
        var frame: [UInt8]?
        var dts: Int64?
        var times: [Int64] = []
        var bytes: UInt64 = 0
    }

    private let size: VirtualSize
    private var stage: Stage
    /// The file's first bytes: they are gone through more than once.
    private var start: [UInt8] = []
    private var firsts: [First] = []
    private var head: TransportHead?
    private var tracks: [VirtualTrack] = []
    private var plan: RemuxPlan?
    private var base: Int64 = 0
    private var end: UInt64 = 0
    private var window: UInt64 = 1
    private var places: [UInt64] = []
    /// Bytes from the start that were gone through.
    private var headEnd: UInt64 = 0

    private static let chunk: UInt64 = 64 << 10
    /// Bytes from the start in which first frames are looked for: some seconds of a broadcast.
    private static let headBytes: UInt64 = 16 << 20
    private static let tailBytes: [UInt64] = [256 << 10, 1 << 20]
    private static let probes = 24, leastProbes = 4
    /// All that opening reads, unless the head alone takes more.
    private static let bytes: UInt64 = 5 << 19
    private static let keptBytes = 64 << 10

    init(_ size: VirtualSize) {
        self.size = size
        var limits = TransportLimits()
        limits.headBytes = Self.headBytes
        limits.tableBytes = Self.headBytes
        stage = .head(TransportHeadParser(limits: limits))
    }

    mutating func next(_ pieces: [FilePiece]) -> VirtualOpening.Step {
        if let piece = pieces.first, case .head = stage { keep(piece) }
        if let piece = pieces.first, case .frames = stage { keep(piece) }
        while true {
            switch stage {
            case .head(var parser):
                let wanted = FileRange(offset: parser.position, count: Self.chunk, fileSize: size.source)
                guard UInt64(start.count) >= wanted.end else { return .need([FileRange(offset: UInt64(start.count), end: wanted.end)]) }
                let step = wanted.isEmpty ? parser.finish() : parser.feed(Array(start[Int(wanted.offset)..<Int(wanted.end)]))
                stage = .head(parser)
                switch step {
                case .more: continue
                case .failed(let error): return .refused(Self.refusal(error))
                case .done(let head):
                    firsts = Array(repeating: First(), count: head.tracks.count)
                    stage = .frames(head, TransportWalker(head))
                }
            case .frames(let head, let walker):
                if let step = findFrames(head, walker) { return step }
            case .tail(let count):
                let range = FileRange(offset: size.source - min(count, size.source), end: size.source)
                guard let piece = pieces.first(where: { $0.slice(range) != nil }) else { return .need([range]) }
                measure(piece, range)
            case .probes(let ranges):
                if ranges.isEmpty || pieces.count == ranges.count && zip(pieces, ranges).allSatisfy({ $0.slice($1) != nil }) {
                    return finish(zip(pieces, ranges).map { (piece, range) in (range, Array(piece.slice(range) ?? [])) })
                }
                return .need(ranges)
            }
        }
    }

    /// Appends what a piece has of the file behind `start`, by whole chunks: more would not be asked for.
    private mutating func keep(_ piece: FilePiece) {
        let place = UInt64(start.count)
        guard piece.offset <= place, piece.offset + UInt64(piece.bytes.count) > place, place < Self.headBytes + Self.chunk else { return }
        start += piece.bytes.dropFirst(Int(place - piece.offset)).prefix(Int(Self.headBytes + Self.chunk - place))
    }

    private static func refusal(_ error: TransportError) -> VirtualRefusal {
        switch error.code {
        case .notTransportStream: .unreadable("neither Matroska, WebM nor an MPEG transport stream")
        case .noProgram: .unplayable(.nothingPlayable)
        case .scrambled: .unplayable(.encrypted("scrambled packets"))
        }
    }

    // MARK: First frames

    private mutating func findFrames(_ head: TransportHead, _ before: TransportWalker) -> VirtualOpening.Step? {
        var walker = before
        let wanted = FileRange(offset: walker.position, count: Self.chunk, fileSize: min(size.source, Self.headBytes))
        if !wanted.isEmpty, UInt64(start.count) < wanted.end { return .need([FileRange(offset: UInt64(start.count), end: wanted.end)]) }
        let events = wanted.isEmpty ? walker.finish() : walker.feed(Array(start[Int(wanted.offset)..<Int(wanted.end)]))
        for case .unit(let unit) in events where firsts.indices.contains(unit.track) {
            if firsts[unit.track].frame == nil {
                firsts[unit.track].frame = Array(unit.bytes.prefix(Self.keptBytes))
                firsts[unit.track].dts = unit.dts
            }
            if firsts[unit.track].times.count < 8 { firsts[unit.track].times.append(unit.pts) }
            firsts[unit.track].bytes = max(firsts[unit.track].bytes, UInt64(unit.bytes.count))
        }
        stage = .frames(head, walker)
        headEnd = max(headEnd, wanted.end)
        let isComplete = head.tracks.indices.allSatisfy { head.tracks[$0].configuration == nil || firsts[$0].frame != nil }
        guard wanted.isEmpty || isComplete else { return nil }
        return turn(head, searched: wanted.end >= size.source ? nil : wanted.end)
    }

    /// From the first frames to the tracks.
    private mutating func turn(_ head: TransportHead, searched: UInt64?) -> VirtualOpening.Step? {
        let found = head.tracks.map { track in
            var source = SourceTrack(track)
            source.identifier = UInt64(track.number)
            return source
        }
        let plan = RemuxPlan(found + head.omitted.map { SourceTrack($0) }, firstFrames: firsts.map(\.frame), searched: searched)
        if let refusal = plan.refusal { return .refused(.unplayable(refusal)) }
        let none = [Int64?](repeating: nil, count: plan.entries.count)
        let steps = plan.entries.indices.map { $0 < firsts.count ? Self.step(firsts[$0].times) : nil }
        let all = VirtualTrack.tracks(of: plan, clock: TransportSource.clock, first: none, step: steps, statesDecoding: true)
        guard let header = VirtualHeader(all, description: nil, duration: 0), !header.tracks.isEmpty else { return .refused(.tooManyTracks) }
        self.head = head
        self.plan = plan
        tracks = header.tracks
        base = tracks.compactMap { firsts[Int($0.identifier)].dts }.min() ?? head.firstTime ?? 0
        stage = .tail(Self.tailBytes[0])
        return nil
    }

    /// Nanoseconds between pictures, mostly.
    private static func step(_ times: [Int64]) -> Int64? {
        let sorted = times.sorted()
        let steps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }.filter { $0 > 0 }.sorted()
        return steps.isEmpty ? nil : TransportSource.clock.nanoseconds(steps[steps.count / 2])
    }

    // MARK: Length and times

    private mutating func measure(_ piece: FilePiece, _ range: FileRange) {
        guard let head, let main = tracks.first, let bytes = piece.slice(range) else { return }
        var walker = TransportWalker(head, at: range.offset)
        let events = walker.feed(Array(bytes)) + walker.finish()
        let last = events.reduce(Int64.min) { last, event in
            if case .unit(let unit) = event, tracks.contains(where: { Int($0.identifier) == unit.track }) { max(last, unit.pts) } else { last }
        }
        if last == .min, range.offset > 0, range.count < Self.tailBytes[1] {
            stage = .tail(Self.tailBytes[1])
            return
        }
        let frame = main.role == .video ? main.clock.nanoseconds(main.frame) : 40_000_000
        end = UInt64(max(0, TransportSource.clock.nanoseconds(max(last, base) - base)) + frame)
        let pictures = max(1, end / UInt64(max(1, frame)))
        let largest = firsts[Int(main.identifier)].bytes
        let plain = GridPlan.window(
            size: size, first: 0, frameBytes: size.source / pictures, frames: 96, largestPicture: main.role == .video ? largest : 0,
            tracks: tracks.count)
        window = plain - plain % UInt64(head.stride)
        places = GridPlan.places(size: size, first: 0, window: window)
        // By what was asked for, not by what pieces hold beyond.
        let spent = headEnd + range.count
        let affordable = Int((Self.bytes > spent ? Self.bytes - spent : 0) / Self.chunk)
        let count = min(max(Self.leastProbes, min(Self.probes, affordable)), places.count - 1)
        stage = .probes(
            (0..<count).map { FileRange(offset: places[($0 + 1) * places.count / (count + 1)], count: Self.chunk, fileSize: size.source) })
    }

    private func finish(_ probes: [(FileRange, [UInt8])]) -> VirtualOpening.Step {
        guard let head, let plan, let main = tracks.first else { return .refused(.unplayable(.nothingPlayable)) }
        var points = [GridPlan.Point(offset: 0, time: 0)]
        for (range, bytes) in probes {
            guard let (offset, time) = head.statedTime(of: Int(main.identifier), in: bytes, at: range.offset) else { continue }
            points.append(GridPlan.Point(offset: offset, time: TransportSource.clock.nanoseconds(time - base)))
        }
        let grid = GridPlan(size: size, places: places, window: window, points: points, end: end)
        guard let header = VirtualHeader(tracks, description: nil, duration: end),
            let layout = try? header.layout(
                grid.table, starts: tracks.map { $0.role == .video ? grid.starts : grid.otherStarts }, isAccess: { _, _ in false })
        else { return .refused(.tooManyTracks) }
        return .done(
            VirtualMovie(
                regions: grid.table, header: layout, mode: .grid, duration: end, plan: plan,
                source: .transport(TransportSource(head, tracks: tracks, base: base)),
                writer: RegionWriter(tracks: tracks, resolution: 2_000_000)))
    }
}
