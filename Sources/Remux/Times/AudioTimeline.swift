/// Lays frames of sound behind each other, on a clock of one tick per sample.
///
/// Containers round times, to a millisecond mostly. As long as a frame's time agrees with the end of the one before within
/// that rounding, the track goes on without gaps; where it does not, the sample before it is made longer or shorter, so that
/// each frame keeps its time.
package struct AudioTimeline: Sendable {
    private let tolerance: Int64
    private var pending: (decode: Int64, duration: Int64)?

    /// - Parameter tolerance: ticks by which the source's times may be off.
    package init(tolerance: Int64) { self.tolerance = max(tolerance, 0) }

    /// - Parameters:
    ///   - time: ticks; `nil` for a frame without a time of its own, such as the second of a lace.
    ///   - duration: ticks that the frame decodes to.
    /// - Returns: the times of the frame before it.
    package mutating func push(time: Int64?, duration: Int64) -> SampleTiming? {
        guard let before = pending else {
            pending = (time ?? 0, duration)
            return nil
        }
        let expected = before.decode + before.duration
        var start = expected
        // A frame that begins before its predecessor follows it at once, so that those behind it find their places again.
        if let time, abs(time - expected) > tolerance { start = max(time, before.decode + 1) }
        pending = (start, duration)
        return SampleTiming(decode: before.decode, composition: 0, duration: start - before.decode)
    }

    package mutating func finish() -> SampleTiming? {
        defer { pending = nil }
        return pending.map { SampleTiming(decode: $0.decode, composition: 0, duration: $0.duration) }
    }
}
