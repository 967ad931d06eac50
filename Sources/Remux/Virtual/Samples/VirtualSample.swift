internal import Bytes

/// A sample of a region: where its bytes come from, and when it is shown.
struct VirtualSample: Sendable {
    enum Content: Sendable {
        case source(FileRange)
        /// Bytes that the source leaves out of every frame, then the frame.
        case prefixed([UInt8], FileRange)
        /// What differs from the source.
        case bytes([UInt8])
    }

    var content: Content
    /// Ticks on the track's media time; `nil` for a frame without a time of its own.
    var time: Int64?
    /// On the same time, where the source states it.
    var decode: Int64?
    /// Ticks that the frame lasts; `nil`: the track's usual. Of text: until the next one.
    var duration: Int64?
    var isSync: Bool

    var size: UInt64 {
        switch content {
        case .source(let range): range.count
        case .prefixed(let prefix, let range): UInt64(prefix.count) + range.count
        case .bytes(let bytes): UInt64(bytes.count)
        }
    }

    func append(to layout: inout VirtualLayout) {
        switch content {
        case .source(let range): layout.append(.source(range))
        case .prefixed(let prefix, let range):
            layout.append(.literal(prefix))
            layout.append(.source(range))
        case .bytes(let bytes): layout.append(.literal(bytes))
        }
    }
}

/// What is in a region, before its bytes are laid out.
struct RegionSamples: Sendable {
    /// In the order of `VirtualTrack`s, of decoding.
    var tracks: [[VirtualSample]]
    /// Presentation of the main video's pictures behind the region, in decoding order, on its media time.
    var ahead: [Int64] = []
    /// Where the next pictures of each track are decoded, if that is stated and known.
    var next: [Int64?]

    init(count: Int) {
        tracks = Array(repeating: [], count: count)
        next = Array(repeating: nil, count: count)
    }
}

/// Times of a track's samples in a region, as a fragment has them.
struct SampleTimes: Hashable, Sendable {
    /// Of the first sample.
    var decode: UInt64
    var durations: [UInt32]
    /// Presentation less decoding; empty when all are 0.
    var offsets: [Int32] = []
}
