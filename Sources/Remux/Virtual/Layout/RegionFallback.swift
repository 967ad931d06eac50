/// What had to be left out of a region for want of room: as little as does, in this order. Samples are never cut or changed.
package enum RegionFallback: Int, Hashable, Comparable, Sendable {
    case nothing
    /// Only the first keyframe is marked as one.
    case keyframeMarks
    case subtitles
    /// Sound that is not played unasked, from the last track back.
    case otherSound
    /// Sound at the region's end.
    case sound
    /// Pictures at the region's end.
    case pictures
    /// The region is empty.
    case everything

    package static func < (left: RegionFallback, right: RegionFallback) -> Bool { left.rawValue < right.rawValue }
}
