package import Bytes

/// The Info element (RFC 9559 §5.1.2).
package struct SegmentInfo: Hashable, Sendable {
    /// Nanoseconds of a Segment Tick, in which Clusters, Cues and the duration count (RFC 9559 §11.1). Never 0.
    package var timestampScale: UInt64 = 1_000_000
    /// Segment Ticks; nothing promises that it is true. Never negative.
    package var duration: Double?
    /// Nanoseconds since 2001-01-01T00:00:00 UTC.
    package var date: Int64?
    package var title: String?
    package var muxingApp = ""
    package var writingApp = ""
    package var segmentUUID: [UInt8]?

    /// An Info that says nothing: the defaults of the standard.
    package init() {}

    mutating func take(_ child: ElementBody) throws(MatroskaError) {
        switch child.id {
        case .timestampScale:
            let value = try child.unsigned(1_000_000)
            guard value > 0, value <= UInt64(Int64.max) else { throw child.error(.badValue, "\(value)") }
            timestampScale = value
        case .duration:
            let value = try child.float()
            guard value >= 0 else { throw child.error(.badValue, "\(value)") }
            duration = value
        case .dateUTC: date = try child.date()
        case .title: title = child.text
        case .muxingApp: muxingApp = child.text
        case .writingApp: writingApp = child.text
        case .segmentUUID: segmentUUID = Array(child.bytes.prefix(16))
        default: break
        }
    }

    /// A count of Segment Ticks in nanoseconds, held at the ends of `Int64`: 292 years.
    package func nanoseconds(_ ticks: Int64) -> Int64 {
        let (product, overflow) = ticks.multipliedReportingOverflow(by: Int64(clamping: timestampScale))
        return overflow ? (ticks < 0 ? .min : .max) : product
    }

    /// The duration in nanoseconds; `nil` also for what no film lasts.
    package var durationNanoseconds: UInt64? {
        guard let duration else { return nil }
        let value = (duration * Double(timestampScale)).rounded()
        return value < 0x1p63 ? UInt64(value) : nil
    }

    /// Whole seconds of `date`.
    package var creationTime: UnixTime? {
        // 2001-01-01 is 11,323 days after 1970-01-01.
        date.map { UnixTime(seconds: $0 / 1_000_000_000 - ($0 % 1_000_000_000 < 0 ? 1 : 0) + 11_323 * 86_400) }
    }
}
