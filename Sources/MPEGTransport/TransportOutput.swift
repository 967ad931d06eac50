internal import Codecs

/// Where tracks, units and damages go.
struct TransportOutput: Sendable {
    var tracks: [TransportTrack] = []
    var log: TransportDamageLog
    private(set) var events: [TransportEvent] = []
    /// The configuration in force and the last DTS, for each track.
    private var configurations: [TransportConfiguration?] = []
    private var lastTimes: [Int64?] = []
    /// What LATM tracks stated last.
    var latm: [Int: LATMStream] = [:]
    /// Where the sound told so far ends.
    private(set) var end = Int64.min
    /// The first DTS that was stated.
    private(set) var firstTime: Int64?

    init(tracks: [TransportTrack] = [], latm: [Int: LATMStream] = [:], limits: TransportLimits) {
        self.latm = latm
        log = TransportDamageLog(limit: limits.damages)
        self.tracks = tracks
        configurations = tracks.map(\.configuration)
        lastTimes = tracks.map { _ in nil }
        for index in self.tracks.indices {
            self.tracks[index].units = 0
            self.tracks[index].scrambledPackets = 0
        }
    }

    mutating func takeEvents() -> [TransportEvent] {
        defer { events = [] }
        return events
    }

    mutating func add(_ stream: ElementaryStream) -> Int {
        let track = TransportTrack(number: tracks.count, stream: stream)
        tracks.append(track)
        configurations.append(nil)
        lastTimes.append(nil)
        events.append(.track(track))
        return track.number
    }

    mutating func describe(_ track: Int, _ stream: ElementaryStream) {
        var stream = stream
        if case .eac3? = configurations[track], stream.codec == .ac3 { stream.codec = .eac3 }
        if case .ac3? = configurations[track], stream.codec == .eac3 { stream.codec = .ac3 }
        guard tracks[track].stream != stream || !tracks[track].isPresent else { return }
        tracks[track].stream = stream
        tracks[track].isPresent = true
        events.append(.track(tracks[track]))
    }

    func configuration(of track: Int) -> TransportConfiguration? { configurations[track] }

    mutating func configure(_ track: Int, _ configuration: TransportConfiguration) {
        guard configurations[track] != configuration else { return }
        configurations[track] = configuration
        if tracks[track].configuration == nil {
            tracks[track].configuration = configuration
            switch (configuration, tracks[track].codec) {
            case (.eac3, .ac3): tracks[track].stream.codec = .eac3
            case (.ac3, .eac3): tracks[track].stream.codec = .ac3
            default: break
            }
        }
        events.append(.configuration(track: track, configuration))
    }

    mutating func jump(_ offset: UInt64, _ pid: UInt16) {
        log.note(.timeJump, offset, pid)
        events.append(.jump(offset: offset))
    }

    mutating func reach(_ time: Int64) { end = max(end, time) }

    mutating func stated(_ time: Int64) { if firstTime == nil { firstTime = time } }

    /// Tells a unit. A DTS that does not grow, as after a jump back that is too small for one, becomes one tick later than the
    /// one before.
    mutating func tell(_ unit: TransportUnit) {
        var unit = unit
        if let last = lastTimes[unit.track], unit.dts <= last {
            unit.dts = last + 1
            unit.isTimeDerived = true
        }
        unit.pts = max(unit.pts, unit.dts)
        lastTimes[unit.track] = unit.dts
        tracks[unit.track].units += 1
        events.append(.unit(unit))
    }
}
