internal import Remux

/// One frame of a track, as the codec made it.
struct MediaFrame {
    /// Index into the film's tracks.
    var track: Int
    /// When it is shown, on the film's clock; `nil` for a frame without a time of its own.
    var time: Int64?
    /// How long it is shown, where the container says it.
    var duration: Int64?
    /// Nanoseconds at its end that are decoded and not presented.
    var padding: Int64 = 0
    /// Decoding can begin here.
    var isKeyframe: Bool
    var bytes: ArraySlice<UInt8>
    /// The track as it is from this frame on, where its coding changes here.
    var change: SourceTrack?
}
