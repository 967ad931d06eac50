/// Times of a region's frames of sound, from their own times alone.
///
/// Containers round times, to a millisecond mostly. A region whose first frame stands, within that, on the grid of frames
/// that began with the track begins on the grid: so regions meet without a gap, whichever of them is read. Frames follow each
/// other without gaps as long as their times agree within the rounding.
enum RegionAudioTimes {
    /// - Parameters:
    ///   - samples: not empty.
    ///   - usual: ticks of a frame that says nothing.
    ///   - first: media time of the track's first frame; `nil`: there is no grid.
    ///   - tolerance: ticks by which times may be off.
    static func times(_ samples: [VirtualSample], usual: Int64, first: Int64?, tolerance: Int64) -> SampleTimes {
        let usual = max(1, usual)
        var start = samples.lazy.compactMap(\.time).first ?? first ?? 0
        if let first, samples.allSatisfy({ ($0.duration ?? usual) == usual }) {
            let distance = start - first
            let steps = (distance + (distance < 0 ? -usual : usual) / 2) / usual
            let grid = first + steps * usual
            if abs(grid - start) <= tolerance { start = grid }
        }
        start = max(0, start)
        var durations: [Int64] = []
        durations.reserveCapacity(samples.count)
        var running = start
        for (index, sample) in samples.enumerated() {
            let duration = max(1, sample.duration ?? usual)
            if index > 0, let time = sample.time {
                let gap = time - running
                // Frames that lead far back follow at once, until those behind them find their places again.
                if gap > tolerance || gap < -tolerance && gap >= -duration {
                    let before = durations[index - 1]
                    durations[index - 1] = max(1, before + gap)
                    running += durations[index - 1] - before
                }
            }
            durations.append(duration)
            running += duration
        }
        return SampleTimes(decode: UInt64(start), durations: durations.map { UInt32(clamping: $0) })
    }
}
