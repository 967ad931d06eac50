internal import Bytes
internal import Codecs
internal import Matroska

/// What a Matroska file's blocks need to become samples.
struct MatroskaSource: Sendable {
    let firstCluster: UInt64
    let segmentEnd: UInt64
    let info: SegmentInfo
    /// Of all tracks: blocks of others prove nothing.
    let trackNumbers: Set<UInt64>
    private(set) var tracks: [VirtualTrack]
    private let decoders: [FrameDecoder]
    private let scales: [Double]
    /// Nanoseconds that stand in the file's times and are not heard.
    private let delays: [Int64]
    private let places: [UInt64: Int]

    /// The first picture of a region counts as a keyframe even where it is none: players would look for one elsewhere.
    let marksEntries: Bool

    /// The main track's place in `tracks`.
    static let main = 0

    /// Frames above this are passed over.
    private static let frameBytes: UInt64 = 48 << 20
    /// What of a frame says how long it is, or whether it has start codes.
    private static let frameHead: UInt64 = 32

    init(_ head: MatroskaHead, tracks: [VirtualTrack], marksEntries: Bool) {
        self.marksEntries = marksEntries
        firstCluster = head.firstCluster ?? head.segment.end
        segmentEnd = head.segment.end
        info = head.info
        trackNumbers = head.trackNumbers
        self.tracks = tracks
        let sources = tracks.map { track in head.track(track.identifier) }
        decoders = sources.compactMap { $0.map { FrameDecoder($0) } }
        scales = sources.map { $0?.timestampScale ?? 1 }
        delays = sources.map { $0.map { $0.codecDelay <= 10_000_000_000 ? Int64($0.codecDelay) : 0 } ?? 0 }
        places = Dictionary(tracks.enumerated().map { ($1.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The place in `tracks` of a block's track.
    func place(_ block: MatroskaBlock) -> Int? { places[block.track] }

    /// When a block is shown, on its track's media time.
    func time(_ block: MatroskaBlock, _ place: Int) -> Int64 {
        let limit = Int64(1) << 57
        let nanoseconds = min(max(info.nanoseconds(block.timestamp(trackScale: scales[place])), -limit), limit)
        return tracks[place].clock.ticks(nanoseconds: nanoseconds - delays[place]) + tracks[place].shift
    }

    enum Taken: Sendable {
        case need(FileRange)
        case samples([VirtualSample])
        /// Frames that cannot be restored were left out.
        case damaged([VirtualSample], MatroskaDamage)
    }

    /// The samples of a block. Only what of its frames says how they are to be changed is needed; all of a frame where that
    /// has to be changed, or where there are several.
    func samples(_ block: MatroskaBlock, _ place: Int, _ piece: FilePiece) -> Taken {
        var result: [VirtualSample] = []
        var damage: MatroskaDamage?
        for (index, range) in block.frames.enumerated() {
            guard range.count <= Self.frameBytes else {
                damage = lost(range, .tooLarge, "a frame of \(range.count) bytes")
                continue
            }
            switch content(range, place, piece) {
            case .need(let needed):
                return .need(block.frames.count > 1 ? FileRange(offset: range.offset, end: block.element.end) : needed)
            case .lost(let code): damage = lost(range, code, "\(range.count) bytes")
            case .empty: continue
            case .found(let content, let head):
                var sample = VirtualSample(content: content, isSync: block.isKeyframe)
                if index == 0 { sample.time = time(block, place) }
                sample.duration = duration(block, place, head)
                result.append(sample)
            }
        }
        if let damage { return .damaged(result, damage) }
        return .samples(result)
    }

    private func lost(_ range: FileRange, _ code: MatroskaError.Code, _ detail: String) -> MatroskaDamage {
        MatroskaDamage(error: MatroskaError(code, path: "Segment.Cluster.Block", offset: range.offset, detail: detail), lost: range)
    }

    private enum Content {
        case need(FileRange)
        case found(VirtualSample.Content, head: [UInt8])
        /// It makes no sample.
        case empty
        case lost(MatroskaError.Code)
    }

    private func content(_ range: FileRange, _ place: Int, _ piece: FilePiece) -> Content {
        let track = tracks[place], decoder = decoders[place]
        var prefix: [UInt8] = []
        switch decoder.method {
        case .unsupported: return .lost(.unsupportedEncoding)
        case .inflate: return whole(range, place, piece)
        case .prepend(let bytes): prefix = bytes
        case .copy: break
        }
        if track.role == .text { return whole(range, place, piece) }
        var head: [UInt8] = []
        if needsHead(track) {
            let part = FileRange(offset: range.offset, count: Self.frameHead, fileSize: range.end)
            guard let bytes = piece.slice(part) else { return .need(part) }
            head = prefix + bytes
            if track.role == .video, track.setup.framing.mayChange(head.prefix(4)) { return whole(range, place, piece) }
        }
        return .found(prefix.isEmpty ? .source(range) : .prefixed(prefix, range), head: head)
    }

    /// Whether the first bytes of each frame must be seen.
    private func needsHead(_ track: VirtualTrack) -> Bool {
        if let audio = track.setup.audio {
            if case .fixed = audio.frameSamples { return false }
            return true
        }
        return track.setup.framing != .asIs
    }

    private func whole(_ range: FileRange, _ place: Int, _ piece: FilePiece) -> Content {
        guard let stored = piece.slice(range) else { return .need(range) }
        let decoded: ArraySlice<UInt8>
        do { decoded = try decoders[place].frame(stored, at: range.offset) } catch { return .lost(error.code) }
        let track = tracks[place], bytes = Array(decoded)
        switch track.role {
        case .text:
            let text = track.codec.plainText(bytes)
            return text.isEmpty ? .empty : .found(.bytes(TimedTextSample.payload(text)), head: [])
        case .audio: return .found(.bytes(bytes), head: bytes)
        case .video:
            guard let sample = track.setup.framing.sample(bytes) else { return .empty }
            if sample == bytes, decoders[place].method == .copy { return .found(.source(range), head: []) }
            return .found(.bytes(sample), head: [])
        }
    }

    /// Ticks of the track; `nil`: its usual.
    private func duration(_ block: MatroskaBlock, _ place: Int, _ head: [UInt8]) -> Int64? {
        let track = tracks[place]
        switch track.role {
        case .video: return nil
        case .audio: return head.isEmpty ? nil : track.setup.audio?.frameSamples.count(head).map(Int64.init)
        case .text:
            return block.duration.map { track.clock.ticks(nanoseconds: min(info.nanoseconds(Int64(clamping: $0)), 1 << 57)) }
        }
    }
}
