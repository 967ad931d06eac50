/// How servers write times.
package enum DateDialect: String, Hashable, Sendable, CaseIterable {
    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    case fixed
    /// `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850).
    case rfc850
    /// `Sun Nov  6 08:49:37 1994`, as C's asctime writes.
    case asctime
    /// `Sun, 06 Nov 1994 10:49:37 +0200`.
    case zoned
    /// `1994-11-06T08:49:37Z` (RFC 3339).
    case rfc3339

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let days = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]

    /// - Parameter seconds: since 1970, from 2000 on.
    package func text(_ seconds: Int64) -> String {
        let shown = self == .zoned ? seconds + 7200 : seconds
        let (year, month, day) = Self.civil(shown / 86400)
        let time = "\(two(shown / 3600 % 24)):\(two(shown / 60 % 60)):\(two(shown % 60))"
        let name = Self.days[Int(shown / 86400 % 7)], monthName = Self.months[Int(month - 1)]
        return switch self {
        case .fixed: "\(name.prefix(3)), \(two(day)) \(monthName) \(year) \(time) GMT"
        case .rfc850: "\(name), \(two(day))-\(monthName)-\(two(year % 100)) \(time) GMT"
        case .asctime: "\(name.prefix(3)) \(monthName) \(day < 10 ? " " : "")\(day) \(time) \(year)"
        case .zoned: "\(name.prefix(3)), \(two(day)) \(monthName) \(year) \(time) +0200"
        case .rfc3339: "\(year)-\(two(month))-\(two(day))T\(time)Z"
        }
    }

    /// As nginx lists it: `06-Nov-1994 08:49`.
    static func listed(_ seconds: Int64) -> String {
        let (year, month, day) = civil(seconds / 86400)
        let two = DateDialect.fixed.two
        return "\(two(day))-\(months[Int(month - 1)])-\(year) \(two(seconds / 3600 % 24)):\(two(seconds / 60 % 60))"
    }

    private func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Counts years and months off, which for the years of tests is quick enough.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        var rest = days, year: Int64 = 1970, month: Int64 = 1
        func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
        while rest >= (isLeap(year) ? 366 : 365) {
            rest -= isLeap(year) ? 366 : 365
            year += 1
        }
        let lengths: [Int64] = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        while rest >= lengths[Int(month - 1)] {
            rest -= lengths[Int(month - 1)]
            month += 1
        }
        return (year, month, rest + 1)
    }
}
