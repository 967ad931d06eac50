internal import Glibc

/// Times as HTTP writes them.
enum HTTPTime {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// IMF-fixdate (RFC 9110 §5.6.7): `Thu, 29 Feb 2024 12:34:56 GMT`.
    static func fixdate(_ seconds: Int64) -> String {
        let parts = broken(seconds)
        return "\(days[parts.weekday]), \(two(parts.day)) \(months[parts.month]) \(four(parts.year)) \(clock(parts)):\(two(parts.second)) GMT"
    }

    /// As nginx lists it: `29-Feb-2024 12:34`.
    static func listed(_ seconds: Int64) -> String {
        let parts = broken(seconds)
        return "\(two(parts.day))-\(months[parts.month])-\(four(parts.year)) \(clock(parts))"
    }

    private struct Parts {
        var year = 1970, month = 0, day = 1, hour = 0, minute = 0, second = 0, weekday = 4
    }

    private static func broken(_ seconds: Int64) -> Parts {
        // Years that four digits can say; a file's time may be anything.
        var time = time_t(min(max(seconds, 0), 253_402_300_799))
        var result = tm()
        guard gmtime_r(&time, &result) != nil else { return Parts() }
        return Parts(
            year: Int(result.tm_year) + 1900, month: min(max(Int(result.tm_mon), 0), 11), day: Int(result.tm_mday), hour: Int(result.tm_hour),
            minute: Int(result.tm_min), second: Int(result.tm_sec), weekday: min(max(Int(result.tm_wday), 0), 6))
    }

    private static func clock(_ parts: Parts) -> String { "\(two(parts.hour)):\(two(parts.minute))" }
    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    private static func four(_ number: Int) -> String { String(repeating: "0", count: max(0, 4 - "\(number)".count)) + "\(number)" }
}
