/// A rational clock: how to bring a source's times to a track's ticks.
package struct Clock: Hashable, Sendable {
    /// Ticks per second.
    package let rate: UInt32

    package init(rate: UInt32) { self.rate = max(rate, 1) }

    /// Ticks of `nanoseconds`, rounded to the nearest, halves away from zero; held at ±2^62.
    package func ticks(nanoseconds: Int64) -> Int64 { Self.scale(nanoseconds, Int64(rate), 1_000_000_000) }

    /// Ticks of a time on another clock.
    package func ticks(_ time: Int64, of clock: Clock) -> Int64 { Self.scale(time, Int64(rate), Int64(clock.rate)) }

    /// Nanoseconds of `ticks`.
    package func nanoseconds(_ ticks: Int64) -> Int64 { Self.scale(ticks, 1_000_000_000, Int64(rate)) }

    /// value × multiplier ÷ divisor without overflow.
    private static func scale(_ value: Int64, _ multiplier: Int64, _ divisor: Int64) -> Int64 {
        let limit: UInt64 = 1 << 62
        if multiplier == divisor { return min(max(value, -Int64(limit)), Int64(limit)) }
        let (high, low) = value.magnitude.multipliedFullWidth(by: UInt64(multiplier))
        let half = UInt64(divisor / 2)
        let (sum, carry) = low.addingReportingOverflow(half)
        let top = high + (carry ? 1 : 0)
        guard top < UInt64(divisor) else { return value < 0 ? -Int64(limit) : Int64(limit) }
        let quotient = min(UInt64(divisor).dividingFullWidth((top, sum)).quotient, limit)
        return value < 0 ? -Int64(quotient) : Int64(quotient)
    }
}
