internal import Bytes
internal import MPEGTransport
internal import Remux

/// Reads one program of an MPEG transport stream.
final class TransportReader: FilmReader {
    let tracks: [SourceTrack]
    let details: FilmDetails
    let clock = FilmClock.rate(Clock(rate: 90_000))

    private let file: InputFile
    private var walker: TransportWalker
    private var events: [TransportEvent] = []
    private var given = 0
    /// Tracks whose coding changed, until their next frame.
    private var changes: [Int: SourceTrack] = [:]
    private var isFinished = false
    /// Tracks that the head told of; later ones have no place in an MP4 whose tracks are settled.
    private let trackCount: Int

    /// What is read at once.
    private static let pieceBytes: UInt64 = 1 << 20

    init(_ file: InputFile) throws(MediaFileError) {
        self.file = file
        let head = try Self.readHead(file)
        trackCount = head.tracks.count
        tracks = head.tracks.map { SourceTrack($0) } + head.omitted.map { SourceTrack($0) }
        walker = TransportWalker(head)
        details = try Self.details(head, file)
    }

    private static func readHead(_ file: InputFile) throws(MediaFileError) -> TransportHead {
        var parser = TransportHeadParser()
        while true {
            let piece = try file.read(FileRange(offset: parser.position, count: 256 << 10, fileSize: file.size))
            switch piece.isEmpty ? parser.finish() : parser.feed(piece) {
            case .more: continue
            case .done(let head): return head
            case .failed(let error):
                switch error.code {
                case .notTransportStream:
                    throw MediaFileError(.notMedia, path: file.path, "neither Matroska, WebM nor an MPEG transport stream")
                case .noProgram: throw MediaFileError(.refused, path: file.path, Self.nothing(error))
                case .scrambled:
                    throw MediaFileError(.encrypted, path: file.path, "the film is scrambled; without its key nothing can be made of it")
                }
            }
        }
    }

    private static func nothing(_ error: TransportError) -> String {
        "nothing in it can be played from an MP4" + (error.detail.isEmpty ? "" : ": \(error.detail)")
    }

    private static func details(_ head: TransportHead, _ file: InputFile) throws(MediaFileError) -> FilmDetails {
        var details = FilmDetails()
        details.container = "MPEG transport stream, packets of \(head.stride) bytes"
        if head.programs.count > 1 { details.container += ", program \(head.program.program) of \(head.programs.count)" }
        details.index = "none: transport streams have none"
        // The length is not written anywhere: the last times are near the end.
        let tail: UInt64 = 1 << 20
        var walker = TransportWalker(head, at: file.size > tail ? file.size - tail : 0)
        var events = walker.feed(try file.read(FileRange(offset: walker.position, count: tail, fileSize: file.size)))
        events += walker.finish()
        let last = events.reduce(Int64.min) { last, event in if case .unit(let unit) = event { max(last, unit.pts) } else { last } }
        if let first = head.firstTime, last > first { details.duration = UInt64(Clock(rate: 90_000).nanoseconds(last - first)) }
        return details
    }

    var position: UInt64 { walker.position }

    /// A jump of the clock that was closed is none.
    var damages: [FilmDamage] {
        walker.damages.first.filter { $0.kind != .timeJump }.map { FilmDamage(offset: $0.offset, lost: 0, detail: $0.words) }
    }

    var damageCount: Int { walker.damages.total - walker.damages.count(.timeJump) }

    var jumps: (count: Int, first: UInt64?) {
        (walker.damages.count(.timeJump), walker.damages.first.first { $0.kind == .timeJump }?.offset)
    }

    func next() throws(MediaFileError) -> MediaFrame? {
        while true {
            while given < events.count {
                given += 1
                switch events[given - 1] {
                case .unit(let unit) where unit.track < trackCount: return frame(unit)
                case .configuration(let track, let configuration) where track < trackCount:
                    changes[track] = tracks[track].described(by: configuration)
                default: break
                }
            }
            guard !isFinished else { return nil }
            let piece = try file.read(FileRange(offset: walker.position, count: Self.pieceBytes, fileSize: file.size))
            isFinished = piece.isEmpty
            events = piece.isEmpty ? walker.finish() : walker.feed(piece)
            given = 0
        }
    }

    private func frame(_ unit: TransportUnit) -> MediaFrame {
        MediaFrame(
            track: unit.track, time: unit.pts, duration: nil, isKeyframe: unit.isKeyframe, bytes: unit.bytes[...],
            change: changes.removeValue(forKey: unit.track))
    }
}
