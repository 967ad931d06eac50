internal import Bytes
internal import MPEGTransport

/// What the units of a transport stream need to become samples.
struct TransportSource: Sendable {
    let head: TransportHead
    let tracks: [VirtualTrack]
    /// 90 kHz: where media time begins.
    let base: Int64
    /// By the number of the stream's track.
    private let places: [Int: Int]

    /// The main track's place in `tracks`.
    static let main = 0
    static let clock = Clock(rate: 90_000)

    /// - Parameter tracks: whose identifiers are the numbers of the stream's tracks.
    init(_ head: TransportHead, tracks: [VirtualTrack], base: Int64) {
        self.head = head
        self.tracks = tracks
        self.base = base
        places = Dictionary(tracks.enumerated().map { (Int($1.identifier), $0) }, uniquingKeysWith: { first, _ in first })
    }

    func place(_ unit: TransportUnit) -> Int? { places[unit.track] }

    /// `nil` for a unit that holds nothing.
    func sample(_ unit: TransportUnit, _ place: Int) -> VirtualSample? {
        let track = tracks[place]
        guard let bytes = track.setup.framing.sample(unit.bytes) else { return nil }
        var sample = VirtualSample(content: .bytes(bytes), time: time(unit.pts, track), isSync: unit.isKeyframe)
        if track.role == .video { sample.decode = time(unit.dts, track) }
        if track.role == .audio, unit.samples > 0 { sample.duration = Int64(unit.samples) }
        return sample
    }

    /// On the track's media time.
    func time(_ time: Int64, _ track: VirtualTrack) -> Int64 {
        track.clock.ticks(time.subtractingReportingOverflow(base).partialValue, of: Self.clock) + track.shift
    }
}
