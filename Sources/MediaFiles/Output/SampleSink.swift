internal import MP4
internal import Remux

/// Where samples go. Each track's samples come in order; their times come later, in the same order.
protocol SampleSink: AnyObject {
    /// - Parameter track: index into the movie's tracks.
    func add(_ bytes: ArraySlice<UInt8>, track: Int, isSync: Bool) throws(MediaFileError)
    /// All descriptions of a track's samples, from the first; those that were there stay. The samples that are added from now on
    /// are described by that with the number `current`, counted from 1.
    ///
    /// - Returns: `false` if the file has no room for them; then nothing is changed.
    func describe(_ entries: [SampleEntry], current: UInt32, track: Int) -> Bool
    func add(_ timing: SampleTiming, track: Int) throws(MediaFileError)
    /// The last ticks of a track, all of whose times are known, are not presented.
    func trim(_ ticks: Int64, track: Int)
    /// Writes what is left.
    func finish(isCancelled: () -> Bool) throws(MediaFileError)
}
