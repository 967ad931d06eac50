/// The times of a sample in ticks of its track's clock, on the track's media time.
package struct SampleTiming: Hashable, Sendable {
    package var decode: Int64
    /// Presentation less decoding; never negative.
    package var composition: Int64
    package var duration: Int64

    package init(decode: Int64, composition: Int64, duration: Int64) {
        self.decode = decode
        self.composition = composition
        self.duration = duration
    }
}
