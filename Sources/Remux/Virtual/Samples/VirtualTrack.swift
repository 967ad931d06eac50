internal import Codecs
internal import MP4

/// A track of the virtual MP4, with all that its samples need.
struct VirtualTrack: Sendable {
    enum Role: Hashable, Sendable { case video, audio, text }

    /// Matroska's track number; the index of a transport stream's track.
    let identifier: UInt64
    let codec: MediaCodec
    let setup: TrackSetup
    let movie: MovieTrack
    let role: Role
    let clock: Clock
    /// Ticks by which media time is later than presentation: an edit takes them back.
    private(set) var shift: Int64
    /// Pictures that may precede one in decoding order and follow it in output order.
    var reorder = 0
    /// Ticks of a picture, or of a frame of sound, mostly.
    var frame: Int64 = 1
    /// Media time of the first frame of the file; `nil` if none was seen.
    private(set) var first: Int64?

    init(identifier: UInt64, codec: MediaCodec, setup: TrackSetup, movie: MovieTrack) {
        self.identifier = identifier
        self.codec = codec
        self.setup = setup
        self.movie = movie
        role =
            switch setup.media {
            case .video: .video
            case .audio: .audio
            case .text: .text
            }
        clock = Clock(rate: movie.description.timescale)
        shift = max(0, movie.delay) + Int64(movie.skip)
    }

    /// The first frame of the file is presented at `ticks`. Media time cannot be negative: it is moved by as much as it would be.
    mutating func begin(at ticks: Int64) {
        shift = max(shift, min(-ticks, Int64(clock.rate) * 600))
        first = ticks + shift
    }

    var id: UInt32 { movie.description.id }
    var isEnabled: Bool { movie.description.isEnabled }
}
