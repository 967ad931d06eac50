internal import Bytes
internal import Matroska
internal import Remux

/// Reads a Matroska or WebM file.
final class MatroskaReader: FilmReader {
    let tracks: [SourceTrack]
    let details: FilmDetails
    let clock: FilmClock
    private(set) var damages: [FilmDamage]
    private(set) var damageCount: Int
    var jumps: (count: Int, first: UInt64?) { (0, nil) }

    private let file: InputFile
    private let head: MatroskaHead
    private var walker: ClusterWalker
    private var piece = FilePiece.empty
    private var clusterTimes: ClusterTimes
    private let decoders: [FrameDecoder]
    private let indices: [UInt64: Int]
    private let scales: [Double]
    /// Nanoseconds that stand in the file's times and are not heard.
    private let delays: [Int64]
    /// The block whose frames are being given out.
    private var hasEnded = false
    private var block: (block: MatroskaBlock, track: Int, next: Int)?

    /// What is read at once.
    private static let pieceBytes: UInt64 = 2 << 20
    /// A frame above this is passed over as damage.
    private static let frameBytes: UInt64 = 48 << 20

    init(_ file: InputFile) throws(MediaFileError) {
        self.file = file
        head = try Self.readHead(file)
        clock = .nanoseconds(resolution: head.info.timestampScale)
        var found: [SourceTrack] = [], indices: [UInt64: Int] = [:]
        let decoders = head.tracks.map { FrameDecoder($0) }
        var damages = head.damages.map { FilmDamage($0) }
        for (index, track) in head.tracks.enumerated() {
            var privateData: [UInt8]?
            do {
                privateData = try decoders[index].codecPrivate()
            } catch {
                damages.append(FilmDamage(offset: error.offset, lost: 0, detail: error.words))
            }
            found.append(SourceTrack(track, privateData: privateData))
            indices[track.number] = index
        }
        tracks = found
        self.indices = indices
        self.decoders = decoders
        self.damages = damages
        damageCount = head.damageCount + damages.count - head.damages.count
        scales = head.tracks.map(\.timestampScale)
        delays = found.map { Int64($0.codecDelay) }
        details = try Self.details(head, file)
        clusterTimes = ClusterTimes(scale: head.info.timestampScale, duration: head.info.durationNanoseconds)
        walker = ClusterWalker(at: head.firstCluster ?? head.segment.end, end: head.segment.end, tracks: head.trackNumbers)
    }

    private static func details(_ head: MatroskaHead, _ file: InputFile) throws(MediaFileError) -> FilmDetails {
        var details = FilmDetails(head)
        if let cover = details.cover, !FilmCover.isImage(try file.read(FileRange(offset: cover.offset, count: 4, fileSize: file.size))) {
            details.cover = nil
            details.notes.append("the cover is left out: it is neither JPEG nor PNG")
        }
        return details
    }

    private static func readHead(_ file: InputFile) throws(MediaFileError) -> MatroskaHead {
        var parser = MatroskaHeadParser(fileSize: file.size)
        var piece = FilePiece.empty
        while true {
            let step: MatroskaHeadParser.Step
            do {
                step = try parser.next(piece)
            } catch {
                throw MediaFileError(error.code == .notMatroska ? .notMedia : .damaged, path: file.path, error.words)
            }
            switch step {
            case .done(let head): return head
            case .need(let range): piece = try Self.piece(file, range, atLeast: 64 << 10)
            }
        }
    }

    private static func piece(_ file: InputFile, _ range: FileRange, atLeast count: UInt64) throws(MediaFileError) -> FilePiece {
        let wanted = FileRange(offset: range.offset, count: max(range.count, count), fileSize: file.size)
        return FilePiece(offset: range.offset, bytes: try file.read(wanted))
    }

    var position: UInt64 { walker.position }

    func next() throws(MediaFileError) -> MediaFrame? {
        while true {
            if block != nil {
                if let frame = try nextOfBlock() { return frame }
                continue
            }
            switch walker.next(piece) {
            case .need(let range): piece = try Self.piece(file, range, atLeast: Self.pieceBytes)
            case .cluster(let cluster): try take(cluster)
            case .block(let found):
                if let track = indices[found.track] { block = (found, track, 0) }
            case .damage(let damage): note(FilmDamage(damage))
            case .end(let end):
                tellRest(end)
                return nil
            }
        }
    }

    private func take(_ cluster: ClusterStart) throws(MediaFileError) {
        let isMoved = try clusterTimes.begin(cluster.timestamp) { () throws(MediaFileError) in try timestamp(behind: cluster) }
        if isMoved {
            note(FilmDamage(offset: cluster.position, lost: 0, detail: "a wrong time; what it holds is shown behind what comes before it"))
        }
    }

    /// Of the next Cluster, if that directly follows.
    private func timestamp(behind cluster: ClusterStart) throws(MediaFileError) -> Int64? {
        guard let place = cluster.end, place < head.segment.end else { return nil }
        var check = ClusterCheck(at: place, end: head.segment.end)
        var piece = FilePiece.empty
        while true {
            switch check.next(piece) {
            case .need(let range): piece = try Self.piece(file, range, atLeast: 256)
            case .valid(let next): return next.timestamp
            case .invalid: return nil
            }
        }
    }

    private func nextOfBlock() throws(MediaFileError) -> MediaFrame? {
        guard let (found, track, index) = block, index < found.frames.count else {
            block = nil
            return nil
        }
        block?.next = index + 1
        let range = found.frames[index]
        guard range.count <= Self.frameBytes else {
            note(FilmDamage(offset: range.offset, lost: range.count, detail: "a frame of \(range.count) bytes"))
            return nil
        }
        var bytes = try self.bytes(range)
        do {
            if decoders[track].method != .copy { bytes = try decoders[track].frame(bytes, at: range.offset) }
        } catch {
            // Frames of tracks that cannot be decoded are not asked for: this one is damaged.
            if error.code != .unsupportedEncoding { note(FilmDamage(offset: range.offset, lost: range.count, detail: error.words)) }
            return nil
        }
        let resolution = Int64(clamping: head.info.timestampScale)
        var time: Int64?
        if index == 0 {
            let ticks = found.timestamp(trackScale: scales[track]).addingReportingOverflow(clusterTimes.shift).partialValue
            clusterTimes.see(ticks)
            time = Self.product(ticks, resolution) - delays[track]
        }
        let duration = found.frames.count == 1 ? found.duration.map { Self.product(Int64(clamping: $0), resolution) } : nil
        var frame = MediaFrame(track: track, time: time, duration: duration, isKeyframe: found.isKeyframe, bytes: bytes)
        if index == found.frames.count - 1, let padding = found.discardPadding { frame.padding = padding }
        return frame
    }

    /// The bytes of a frame, out of the piece at hand or the next one.
    private func bytes(_ range: FileRange) throws(MediaFileError) -> ArraySlice<UInt8> {
        if range.offset < piece.offset || range.end > piece.offset + UInt64(piece.bytes.count) {
            piece = try Self.piece(file, range, atLeast: Self.pieceBytes)
        }
        let start = Int(range.offset - piece.offset)
        return piece.bytes[start..<min(start + Int(range.count), piece.bytes.count)]
    }

    /// What of the file was not read.
    private func tellRest(_ end: ClusterWalker.End) {
        guard !hasEnded else { return }
        hasEnded = true
        let position = walker.position
        let rest = file.size - min(position, file.size)
        switch end {
        case .nextDocument: note(FilmDamage(offset: position, lost: rest, detail: "another film follows in the same file; it is left out"))
        case .noCluster where rest > 0: note(FilmDamage(offset: position, lost: rest, detail: "nothing was found to go on with"))
        case .segmentEnd where rest > 0:
            note(FilmDamage(offset: position, lost: rest, detail: "bytes behind the film; another film among them is left out"))
        case .segmentEnd, .noCluster: break
        }
        if head.segment.isTruncated { note(FilmDamage(offset: file.size, lost: 0, detail: "the file is cut short: it says to be longer")) }
    }

    private func note(_ damage: FilmDamage) {
        damageCount += 1
        if damages.count < 1000 { damages.append(damage) }
    }

    /// Held at ±2^57, four years: whatever is added, and whatever clock it is brought to, it fits 64 bits.
    private static func product(_ left: Int64, _ right: Int64) -> Int64 {
        let (value, overflow) = left.multipliedReportingOverflow(by: right)
        let limit = Int64(1) << 57
        return overflow ? ((left < 0) != (right < 0) ? -limit : limit) : min(max(value, -limit), limit)
    }
}

extension FilmDamage {
    init(_ damage: MatroskaDamage) {
        self.init(offset: damage.lost.isEmpty ? damage.error.offset : damage.lost.offset, lost: damage.lost.count, detail: damage.error.words)
    }
}
