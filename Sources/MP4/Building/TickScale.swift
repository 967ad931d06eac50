/// Times of one timescale in ticks of another.
enum TickScale {
    /// `value` ticks of `from` per second in ticks of `to` per second, rounded to the nearest; the largest number if that has no room.
    static func convert(_ value: UInt64, from: UInt32, to: UInt32) -> UInt64 {
        guard from > 0 else { return 0 }
        let product = value.multipliedFullWidth(by: UInt64(to))
        let (low, carry) = product.low.addingReportingOverflow(UInt64(from) / 2)
        let high = product.high + (carry ? 1 : 0)
        guard high < UInt64(from) else { return .max }
        return UInt64(from).dividingFullWidth((high, low)).quotient
    }
}
