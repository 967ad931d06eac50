/// Everything a file says besides its Clusters.
package struct MatroskaHead: Sendable {
    package var ebml: EBMLHeader
    package var segment: SegmentPlace
    package var info = SegmentInfo()
    package var tracks: [Track] = []
    /// In the file's order; `nil` when the file has no index, or it was not asked for. Nothing promises that they are true.
    package var cues: [Cue]?
    package var tags: [Tag] = []
    package var editions: [Edition] = []
    package var attachments: [Attachment] = []
    package var seekEntries: [SeekEntry] = []
    /// `nil` when no Cluster was met.
    package var firstCluster: UInt64?
    /// The first ones; `damageCount` counts all.
    package var damages: [MatroskaDamage] = []
    package var damageCount = 0

    package func track(_ number: UInt64) -> Track? { tracks.first { $0.number == number } }

    /// For walkers: blocks of other tracks prove nothing.
    package var trackNumbers: Set<UInt64> { Set(tracks.map(\.number)) }
}

/// The Segment's place in the file.
package struct SegmentPlace: Hashable, Sendable {
    package var position: UInt64
    /// Where the positions in SeekHead and Cues count from (RFC 9559 §16).
    package var dataStart: UInt64
    /// The first byte behind the Segment: as it says itself, or the file's end when it does not, or says more than there is.
    package var end: UInt64
    /// As live streams are: no size was known when the header was written.
    package var hasUnknownSize: Bool
    /// The Segment says to be longer than the file.
    package var isTruncated: Bool
}
