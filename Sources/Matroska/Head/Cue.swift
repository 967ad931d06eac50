/// Where a track can be entered: one CueTrackPositions of a CuePoint (RFC 9559 §5.1.5.1).
package struct Cue: Hashable, Sendable {
    /// Segment Ticks.
    package let time: UInt64
    package let track: UInt64
    /// The Cluster's place in the file, inside the Segment; whether a Cluster is there says `ClusterCheck`.
    package let clusterPosition: UInt64
    /// The block's place behind the Cluster's header, where the file tells.
    package let relativePosition: UInt64?
    /// Segment Ticks.
    package let duration: UInt64?
    /// Counted from 1 in the Cluster.
    package let blockNumber: UInt64?

    /// The cues of a CuePoint.
    /// - Throws: also for a position outside of the Segment.
    static func parse(_ body: ElementBody, segmentData: UInt64, segmentEnd: UInt64) throws(MatroskaError) -> [Cue] {
        var time: UInt64?, positions: [ElementBody] = []
        var children = body.children
        while let child = try children.next() {
            if child.id == .cueTime { time = try child.unsigned() }
            if child.id == .cueTrackPositions { positions.append(child) }
        }
        guard let time else { throw body.error(.missing, "CueTime") }
        var cues: [Cue] = []
        for position in positions { cues.append(try Cue(position, time: time, segmentData: segmentData, segmentEnd: segmentEnd)) }
        return cues
    }

    private init(_ body: ElementBody, time: UInt64, segmentData: UInt64, segmentEnd: UInt64) throws(MatroskaError) {
        var track: UInt64?, cluster: UInt64?, relative: UInt64?, duration: UInt64?, number: UInt64?
        var children = body.children
        while let child = try children.next() {
            switch child.id {
            case .cueTrack: track = try child.unsigned()
            case .cueClusterPosition: cluster = try child.unsigned()
            case .cueRelativePosition: relative = try child.unsigned()
            case .cueDuration: duration = try child.unsigned()
            case .cueBlockNumber: number = try child.unsigned().nilIfZero
            default: break
            }
        }
        guard let track, let cluster else { throw body.error(.missing, "CueTrack or CueClusterPosition") }
        let position = sum(segmentData, cluster)
        guard position < segmentEnd else { throw body.error(.wrongPosition, "a Cluster at \(position), behind the Segment") }
        self.time = time
        self.track = track
        self.clusterPosition = position
        self.relativePosition = relative
        self.duration = duration
        self.blockNumber = number
    }
}
