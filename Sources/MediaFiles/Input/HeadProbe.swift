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

    init(_ reader: any FilmReader, isCancelled: () -> Bool) throws(MediaFileError) {
        firstFrames = Array(repeating: nil, count: reader.tracks.count)
        times = Array(repeating: [], count: reader.tracks.count)
        let wanted = reader.tracks.indices.filter { Self.isWanted(reader.tracks[$0]) }
        while let frame = try reader.next() {
            take(frame)
            searched = reader.position
            let done = wanted.allSatisfy { index in
                firstFrames[index] != nil && (reader.tracks[index].kind != .video || times[index].count >= Self.frames)
            }
            if done || reader.position > Self.limit { return }
            if isCancelled() { throw MediaFileError(.cancelled, path: "", "stopped") }
        }
        searched = nil
    }

    private mutating func take(_ frame: MediaFrame) {
        if firstFrames[frame.track] == nil, !frame.bytes.isEmpty { firstFrames[frame.track] = Array(frame.bytes.prefix(Self.frameBytes)) }
        if times[frame.track].count < Self.frames, let time = frame.time { times[frame.track].append(time) }
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
