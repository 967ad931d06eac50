internal import Bytes
internal import Matroska

/// Opens a Matroska file: its head with the Cues, then a look at the first frames, then at three of the Clusters that the Cues
/// lead to. Where they do not hold what they promise, or there are none, the file is laid out by size.
struct MatroskaOpening: Sendable {
    /// What the head and the first frames said.
    private struct Found: Sendable {
        var head: MatroskaHead
        var plan: RemuxPlan
        var tracks: [VirtualTrack]
        var probe: MatroskaProbe
    }

    private enum Stage: Sendable {
        case head(MatroskaHeadParser)
        case probe(MatroskaHead, [SourceTrack], MatroskaProbe)
        case cues(Found, [ClusterCheck], CuePlan)
        case grid(Found, MatroskaGridOpening)
    }

    private let size: VirtualSize
    private var stage: Stage

    init(_ size: VirtualSize) {
        self.size = size
        stage = .head(MatroskaHeadParser(fileSize: size.source, wanted: [.cues, .chapters]))
    }

    mutating func next(_ pieces: [FilePiece]) -> VirtualOpening.Step {
        while true {
            switch stage {
            case .head(var parser):
                let step: MatroskaHeadParser.Step
                do { step = try parser.next(pieces.first ?? .empty) } catch { return .refused(.unreadable("\(error)")) }
                stage = .head(parser)
                switch step {
                case .need(let range): return .need([range])
                case .done(let head):
                    let tracks = head.tracks.map { SourceTrack($0, privateData: try? FrameDecoder($0).codecPrivate()) }
                    stage = .probe(head, tracks, MatroskaProbe(head, tracks: tracks))
                }
            case .probe(let head, let tracks, var probe):
                let range = probe.next(pieces.first ?? .empty)
                stage = .probe(head, tracks, probe)
                if let range { return .need([range]) }
                if let refusal = turn(head, tracks, probe) { return .refused(refusal) }
            case .cues(let found, let checks, let plan):
                if let step = check(found, checks, plan, pieces) { return step }
            case .grid(let found, var opening):
                let step = opening.next(pieces)
                stage = .grid(found, opening)
                switch step {
                case .need(let ranges): return .need(ranges)
                case .done(let plan): return finish(found, plan.table, video: plan.starts, other: plan.otherStarts, .grid, plan.end)
                }
            }
        }
    }

    /// From the first frames to the Cues.
    private mutating func turn(_ head: MatroskaHead, _ tracks: [SourceTrack], _ probe: MatroskaProbe) -> VirtualRefusal? {
        let plan = RemuxPlan(tracks, firstFrames: probe.firstFrames, searched: probe.searched)
        if let refusal = plan.refusal { return .unplayable(refusal) }
        let all = VirtualTrack.tracks(
            of: plan, clock: .video(resolution: head.info.timestampScale), first: probe.times.map(\.first),
            step: tracks.indices.map { probe.step($0) }, statesDecoding: false)
        guard let header = VirtualHeader(all, description: description(head), duration: 0) else { return .tooManyTracks }
        guard !header.tracks.isEmpty, head.firstCluster != nil else { return .unplayable(.nothingPlayable) }
        let found = Found(head: head, plan: plan, tracks: header.tracks, probe: probe)
        guard let cues = head.cues, let cuePlan = self.plan(found, cues) else {
            stage = .grid(found, gridOpening(found))
            return nil
        }
        let places = cuePlan.syncs.compactMap(\.cluster)
        let checked = Set([places.first, places.last, places.isEmpty ? nil : places[places.count / 2]].compactMap { $0 })
        stage = .cues(found, checked.sorted().map { ClusterCheck(at: $0, end: head.segment.end) }, cuePlan)
        return nil
    }

    private func plan(_ found: Found, _ cues: [Cue]) -> CuePlan? {
        let main = found.tracks[MatroskaSource.main]
        guard cues.contains(where: { $0.track == main.identifier }) else { return nil }
        let frame = main.clock.nanoseconds(main.frame)
        return CuePlan(
            size: size, cues: cues, info: found.head.info, main: main.identifier, first: (found.head.firstCluster ?? 0, firstTime(found)),
            segmentEnd: found.head.segment.end, duration: found.head.info.durationNanoseconds, frame: frame, tracks: found.tracks.count)
    }

    private func firstTime(_ found: Found) -> Int64 {
        let main = found.tracks[MatroskaSource.main]
        guard let index = found.head.tracks.firstIndex(where: { $0.number == main.identifier }) else { return 0 }
        return max(0, found.probe.times[index].min() ?? 0)
    }

    private mutating func check(_ found: Found, _ before: [ClusterCheck], _ plan: CuePlan, _ pieces: [FilePiece]) -> VirtualOpening.Step? {
        var checks = before, needs: [FileRange] = [], open: [ClusterCheck] = []
        for place in checks.indices {
            switch checks[place].next(place < pieces.count ? pieces[place] : .empty) {
            case .need(let range):
                needs.append(range)
                open.append(checks[place])
            case .valid: continue
            case .invalid:
                stage = .grid(found, gridOpening(found))
                return nil
            }
        }
        guard needs.isEmpty else {
            stage = .cues(found, open, plan)
            return .need(needs)
        }
        return finish(
            found, plan.table, video: plan.videoStarts, other: plan.otherStarts, .cues, UInt64(max(0, plan.videoStarts.last ?? 0)))
    }

    private func gridOpening(_ found: Found) -> MatroskaGridOpening {
        let main = found.tracks[MatroskaSource.main]
        return MatroskaGridOpening(
            size: size, head: found.head, first: firstTime(found), frame: main.clock.nanoseconds(main.frame),
            largestPicture: found.probe.largestPicture, tracks: found.tracks.count)
    }

    private func description(_ head: MatroskaHead) -> MovieDescription {
        let title = head.info.title.flatMap { $0.isEmpty ? nil : $0 }
        return MovieDescription(
            clock: Clock(rate: 1000), created: head.info.creationTime?.seconds, title: title, chapters: Self.chapters(head.editions), cover: nil)
    }

    /// Of the edition that players show by default. An ordered one is a play list: its chapters are no marks in the film.
    private static func chapters(_ editions: [Edition]) -> [(start: UInt64, title: String)] {
        guard let edition = editions.first(where: { $0.isDefault && !$0.isHidden }) ?? editions.first(where: { !$0.isHidden }), !edition.isOrdered
        else { return [] }
        return edition.chapters.filter { !$0.isHidden && $0.isEnabled }.map { ($0.start, $0.displays.first?.text ?? "") }.sorted { $0.0 < $1.0 }
    }

    private func finish(
        _ found: Found, _ table: RegionTable, video: [Int64], other: [Int64], _ mode: VirtualMovie.Mode, _ duration: UInt64
    ) -> VirtualOpening.Step {
        guard let header = VirtualHeader(found.tracks, description: description(found.head), duration: duration),
            let layout = try? header.layout(
                table, starts: header.tracks.map { $0.role == .video ? video : other },
                isAccess: { index, track in
                    mode == .cues && (track.role == .audio || track.role == .video && table.regions[index].part == 0)
                })
        else { return .refused(.tooManyTracks) }
        let source = MatroskaSource(found.head, tracks: header.tracks, marksEntries: mode == .grid)
        return .done(
            VirtualMovie(
                regions: table, header: layout, mode: mode, duration: duration, plan: found.plan, source: .matroska(source),
                writer: RegionWriter(tracks: header.tracks, resolution: Int64(clamping: found.head.info.timestampScale))))
    }
}
