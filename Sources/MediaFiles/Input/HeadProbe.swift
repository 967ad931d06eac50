internal import Codecs
internal import Remux

/// Looks into the first part of a film, as far as it must to say of each track what it needs: its first frame, when it begins,
/// how far its pictures are out of order.
struct HeadProbe {
    private(set) var firstFrames: [[UInt8]?]
    /// Times of each track's first frames, in the file's order, on the film's clock.
    private(set) var times: [[Int64]]
    /// Bytes that were looked through; `nil`: all.
    private(set) var searched: UInt64? = 0

    /// A track whose first frame comes later than this is rare enough to be left out.
    private static let limit: UInt64 = 64 << 20
    /// Enough to see how pictures are ordered: two groups of pictures mostly.
    private static let frames = 64
    /// Headers stand at a frame's start.
    private static let frameBytes = 1 << 20
    /// Of all first frames together; once they are reached, the start of each frame must do.
    private static let keptBytes = 32 << 20, leastBytes = 16 << 10
    private var kept = 0
    /// Tracks that are looked for.
    private var isWanted: [Bool]
    private let isVideo: [Bool]
    /// How many of them are not known yet.
    private var missing = 0

    init(_ reader: any FilmReader, isCancelled: () -> Bool) throws(MediaFileError) {
        let tracks = reader.tracks
        firstFrames = Array(repeating: nil, count: tracks.count)
        times = Array(repeating: [], count: tracks.count)
        isWanted = tracks.map { Self.isWanted($0) }
        isVideo = tracks.map { $0.kind == .video }
        missing = isWanted.count { $0 }
        while let frame = try reader.next() {
            searched = min(reader.position, Self.limit)
            // What was found in a head ends here too: a frame behind it would seem to be one without a configuration.
            if reader.position > Self.limit { return }
            take(frame)
            if missing == 0 { return }
            if isCancelled() { throw MediaFileError(.cancelled, path: "", "stopped") }
        }
        searched = nil
    }

    private mutating func take(_ frame: MediaFrame) {
        let track = frame.track
        if firstFrames[track] == nil, isWanted[track], !frame.bytes.isEmpty {
            let room = max(Self.leastBytes, min(Self.frameBytes, Self.keptBytes - kept))
            firstFrames[track] = Array(frame.bytes.prefix(room))
            kept += min(room, frame.bytes.count)
        }
        if times[track].count < Self.frames, let time = frame.time { times[track].append(time) }
        if isWanted[track], firstFrames[track] != nil, !isVideo[track] || times[track].count >= Self.frames {
            isWanted[track] = false
            missing -= 1
        }
    }

    /// Subtitles may begin anywhere, and need no frame.
    private static func isWanted(_ track: SourceTrack) -> Bool {
        guard track.kind == .video || track.kind == .audio, track.obstacle == nil else { return false }
        if case .other = track.codec { return false }
        return true
    }

    /// The longest time by which one of the first pictures is shown before one that stands earlier in the file.
    func disorder(_ track: Int) -> Int64 {
        zip(times[track].sorted(), times[track]).reduce(0) { max($0, $1.0 - $1.1) }
    }

    /// What lies between two of the first pictures, mostly: the median.
    func step(_ track: Int) -> Int64? {
        let sorted = times[track].sorted()
        let steps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }.filter { $0 > 0 }.sorted()
        return steps.isEmpty ? nil : steps[steps.count / 2]
    }
}
