/// A sample to be written. Times are in ticks of its track's timescale, from the film's start; negative before it.
package struct TimedSample: Hashable, Sendable {
    package var size: UInt32
    package var decodeTime: Int64
    package var presentationTime: Int64
    /// How long it is shown or heard. Between samples the distance of decoding times is what is written.
    package var duration: UInt32
    package var isSync: Bool
    /// Entry of the track's descriptions, counted from 1.
    package var description: UInt32

    package init(
        size: UInt32, decodeTime: Int64, presentationTime: Int64? = nil, duration: UInt32, isSync: Bool = true, description: UInt32 = 1
    ) {
        self.size = size
        self.decodeTime = decodeTime
        self.presentationTime = presentationTime ?? decodeTime
        self.duration = duration
        self.isSync = isSync
        self.description = description
    }
}
