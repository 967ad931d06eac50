internal import Bytes
internal import Matroska

/// Looks at the first blocks of a Matroska file for what its head does not say: the first frame of each track of picture and
/// sound, when it begins, and how far pictures are apart. At most four ranges, less than a MiB together; blocks in between are
/// passed over.
struct MatroskaProbe: Sendable {
    /// By the head's tracks.
    private(set) var firstFrames: [[UInt8]?]
    /// Nanoseconds of the first blocks, in the file's order.
    private(set) var times: [[Int64]]
    /// The largest first frame of a track of pictures.
    private(set) var largestPicture: UInt64 = 0
    /// Bytes from the first Cluster on; `nil`: the file has no more.
    private(set) var searched: UInt64?

    private let head: MatroskaHead
    private let decoders: [FrameDecoder]
    private let wantedTimes: [Int]
    private var walker: ClusterWalker
    private var window: FileRange
    private var windows = 1
    private var pending: (block: MatroskaBlock, index: Int)?
    private var isDone = false

    private static let windowBytes: UInt64 = 240 << 10, maximumWindows = 4
    /// A file of many small blocks is not walked farther than this.
    private static let reach: UInt64 = 64 << 20
    /// What a frame's headers take at most, and the least of a picture that is looked at.
    private static let keptBytes = 64 << 10, pictureBytes: UInt64 = 4 << 10
    /// Enough for the distance of pictures where the head does not say it.
    private static let pictures = 8

    init(_ head: MatroskaHead, tracks: [SourceTrack]) {
        self.head = head
        decoders = head.tracks.map { FrameDecoder($0) }
        firstFrames = Array(repeating: nil, count: tracks.count)
        times = Array(repeating: [], count: tracks.count)
        wantedTimes = tracks.map { track in
            guard track.kind == .video || track.kind == .audio, track.obstacle == nil else { return 0 }
            if case .other = track.codec { return 0 }
            return track.kind == .video && track.frameDuration == nil ? Self.pictures : 1
        }
        let first = head.firstCluster ?? head.segment.end
        searched = 0
        walker = ClusterWalker(at: first, end: head.segment.end, tracks: head.trackNumbers)
        window = FileRange(offset: first, count: Self.windowBytes, fileSize: head.segment.end)
    }

    /// - Returns: a range that is needed, all of it; `nil` when the probe is over.
    mutating func next(_ piece: FilePiece) -> FileRange? {
        // What is found must not depend on how much more than the window a piece holds.
        guard !isDone, let bytes = piece.slice(window) else { return isDone ? nil : window }
        let own = FilePiece(offset: window.offset, bytes: Array(bytes))
        while !isDone {
            if let (block, index) = pending {
                guard take(block, index, own) else {
                    if move(to: block.frames[0].offset) { return window }
                    continue
                }
                pending = nil
                if isComplete { isDone = true }
                continue
            }
            let step = walker.next(own)
            searched = min(walker.position, head.segment.end) - (head.firstCluster ?? 0)
            switch step {
            case .need(let range): if move(to: range.offset) { return window }
            case .cluster, .damage: break
            case .block(let block): if let index = head.tracks.firstIndex(where: { $0.number == block.track }) { pending = (block, index) }
            case .end:
                isDone = true
                searched = nil
            }
        }
        return nil
    }

    /// Goes on with a window at `offset`; ends the probe when there were enough.
    private mutating func move(to offset: UInt64) -> Bool {
        guard windows < Self.maximumWindows, offset < (head.firstCluster ?? 0) + Self.reach, offset > window.offset else {
            isDone = true
            return false
        }
        windows += 1
        window = FileRange(offset: offset, count: Self.windowBytes, fileSize: head.segment.end)
        return true
    }

    /// - Returns: `false` when the window holds too little of the frame.
    private mutating func take(_ block: MatroskaBlock, _ index: Int, _ piece: FilePiece) -> Bool {
        let track = head.tracks[index], isVideo = track.kind == .video
        if firstFrames[index] == nil, wantedTimes[index] > 0, let frame = block.frames.first, !frame.isEmpty {
            let least: UInt64 =
                switch decoders[index].method {
                case .inflate: frame.count
                default: isVideo ? min(frame.count, Self.pictureBytes) : min(frame.count, UInt64(Self.keptBytes))
                }
            let there = FileRange(offset: frame.offset, end: max(frame.offset, min(frame.end, window.end)))
            // A frame larger than a window is taken as far as a window holds it.
            guard there.count >= least || there.offset == window.offset, let bytes = piece.slice(there) else { return false }
            let decoded = (try? decoders[index].frame(bytes, at: frame.offset)) ?? []
            if !decoded.isEmpty { firstFrames[index] = Array(decoded.prefix(Self.keptBytes)) }
            if isVideo { largestPicture = max(largestPicture, frame.count) }
        }
        if times[index].count < Self.pictures {
            times[index].append(min(max(head.info.nanoseconds(block.timestamp(trackScale: track.timestampScale)), -(1 << 57)), 1 << 57))
        }
        return true
    }

    private var isComplete: Bool {
        wantedTimes.indices.allSatisfy { wantedTimes[$0] == 0 || firstFrames[$0] != nil && times[$0].count >= wantedTimes[$0] }
    }

    /// What lies between two pictures, mostly: the median.
    func step(_ index: Int) -> Int64? {
        let sorted = times[index].sorted()
        let steps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }.filter { $0 > 0 }.sorted()
        return steps.isEmpty ? nil : steps[steps.count / 2]
    }
}
