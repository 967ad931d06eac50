/// Makes one time line of the 33-bit times of all streams.
///
/// Times that wrap go on. Where the time jumps (joined recordings, advertisements) an *epoch* begins: from there all streams are
/// moved by the same shift, so that sound stays where it was against the picture, and none goes backwards. A stream that still
/// sends times of an older epoch, as the one that is behind at a joint may, keeps that epoch's shift; so does a stream whose time
/// was wrong once.
package struct TransportClock: Hashable, Sendable {
    /// A stretch of the file without a jump.
    private struct Epoch: Hashable, Sendable {
        var shift: Int64
        /// The largest time of any stream so far, without the shift.
        var newest: Int64
    }

    private struct Stream: Hashable, Sendable {
        var epoch: Int
        /// Without the shift.
        var last: Int64
        var step: Int64 = 0
        /// discontinuity_indicator was set since the last time.
        var isTight = false
    }

    private var epochs: [Epoch] = []
    /// Epochs that were forgotten.
    private var forgotten = 0
    private var streams: [Int: Stream] = [:]
    private let reference: Int64?

    /// 90 kHz.
    static let second: Int64 = 90_000
    /// A stream may be this much earlier than its own last time without a jump: rounding, and pictures without a DTS.
    static let backward = second / 2
    /// All streams may be silent for this long.
    static let forward = 10 * second
    /// After a discontinuity_indicator.
    static let tightForward = second
    static let epochLimit = 8

    /// - Parameter reference: a time that the first one is near to, within 13 hours: one that stands elsewhere in the same file.
    package init(reference: Int64? = nil) { self.reference = reference }

    /// `value`, of which 33 bits are known, next to `near`.
    static func unwrap(_ value: UInt64, near: Int64) -> Int64 {
        let difference = Int64(bitPattern: (value &- UInt64(bitPattern: near)) & 0x1_FFFF_FFFF)
        return near &+ (difference >= 1 << 32 ? difference - (1 << 33) : difference)
    }

    /// The time-base of all streams may change now.
    mutating func expectJump() { for key in streams.keys { streams[key]?.isTight = true } }

    /// The time of `stream` on the common time line, and whether an epoch began with it.
    ///
    /// - Parameter told: where the frames told so far end, on that line.
    mutating func time(_ raw: UInt64, stream: Int, told: Int64 = .min) -> (time: Int64, isJump: Bool) {
        guard !epochs.isEmpty else {
            let time = Self.unwrap(raw, near: reference ?? Int64(raw & 0x1_FFFF_FFFF))
            epochs = [Epoch(shift: 0, newest: time)]
            streams[stream] = Stream(epoch: 0, last: time)
            return (time, false)
        }
        let own = streams[stream]
        var candidates: [Int] = []
        if let own, own.epoch >= forgotten { candidates.append(own.epoch) }
        for epoch in (forgotten..<forgotten + epochs.count).reversed() where epoch != own?.epoch { candidates.append(epoch) }
        for epoch in candidates {
            let (newest, shift) = (epochs[epoch - forgotten].newest, epochs[epoch - forgotten].shift)
            let last = own?.epoch == epoch ? own?.last : nil
            let time = Self.unwrap(raw, near: last ?? newest)
            guard fits(time, last: last, newest: newest, isTight: own?.isTight ?? false) else { continue }
            // An older epoch must not lead back by more than streams are apart.
            if last == nil, let own, own.epoch >= forgotten, time + shift < own.last + epochs[own.epoch - forgotten].shift - Self.forward { continue }
            epochs[epoch - forgotten].newest = max(newest, time)
            set(stream, epoch: epoch, time)
            return (time + shift, false)
        }
        let target = max(end(), told)
        let time = Self.unwrap(raw, near: epochs[epochs.count - 1].newest)
        epochs.append(Epoch(shift: target - time, newest: time))
        if epochs.count > Self.epochLimit {
            epochs.removeFirst()
            forgotten += 1
        }
        set(stream, epoch: forgotten + epochs.count - 1, time)
        return (target, true)
    }

    private func fits(_ time: Int64, last: Int64?, newest: Int64, isTight: Bool) -> Bool {
        let forward = isTight ? Self.tightForward : Self.forward
        if let last { return time >= last - Self.backward && time <= max(last, newest) + forward }
        return abs(time - newest) <= forward
    }

    private mutating func set(_ stream: Int, epoch: Int, _ time: Int64) {
        var step = streams[stream]?.step ?? 0
        if let old = streams[stream], old.epoch == epoch, time > old.last, time - old.last < Self.second { step = time - old.last }
        streams[stream] = Stream(epoch: epoch, last: time, step: step)
    }

    /// Where every stream has ended.
    private func end() -> Int64 {
        streams.values.filter { $0.epoch >= forgotten }.map { $0.last + epochs[$0.epoch - forgotten].shift + $0.step }.max() ?? 0
    }
}
