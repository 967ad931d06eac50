package import Bytes

/// Times as origins write them, whatever the dialect: IMF-fixdate, RFC 850, asctime (RFC 9110 §5.6.7), RFC 1123 with a
/// numeric zone or a day without its zero, `date`'s own format, and RFC 3339.
package enum HTTPDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let dayNames = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// - Returns: `nil` for anything that is not a whole date and time. A time without zone is taken as GMT.
    package static func parse(_ text: String) -> UnixTime? {
        guard text.utf8.count <= 64 else { return nil }
        var text = text
        if let time = text.withUTF8({ parseFixed($0) }) { return time }
        return parseRFC3339(Array(text.utf8)) ?? parseWords(text)
    }

    /// IMF-fixdate as nearly every server writes it, with no allocation: listings hold thousands. `nil`: some other dialect,
    /// or no date.
    private static func parseFixed(_ text: UnsafeBufferPointer<UInt8>) -> UnixTime? {
        guard text.count == 29, text[3] == UInt8(ascii: ","), text[4] == 0x20, text[7] == 0x20, text[11] == 0x20, text[16] == 0x20,
            text[19] == UInt8(ascii: ":"), text[22] == UInt8(ascii: ":"), text[25] == 0x20, text[26] == UInt8(ascii: "G"),
            text[27] == UInt8(ascii: "M"), text[28] == UInt8(ascii: "T")
        else { return nil }
        func number(_ places: Range<Int>) -> Int64? {
            var number: Int64 = 0
            for place in places {
                guard (48...57).contains(text[place]) else { return nil }
                number = number * 10 + Int64(text[place] - 48)
            }
            return number
        }
        func letters(_ start: Int) -> UInt32 { UInt32(text[start]) << 16 | UInt32(text[start + 1]) << 8 | UInt32(text[start + 2]) }
        guard let month = monthLetters.firstIndex(of: letters(8)), dayLetters.contains(letters(0)),
            let day = number(5..<7), let year = number(12..<16),
            let hour = number(17..<19), let minute = number(20..<22), let second = number(23..<25), hour < 24, minute < 60, second < 60
        else { return nil }
        return time(year: year, month: Int64(month) + 1, day: day, ofDay: hour * 3600 + minute * 60 + second, zone: 0)
    }

    private static let monthLetters = monthNames.map(packed)
    private static let dayLetters = dayNames.map(packed)
    private static func packed(_ name: String) -> UInt32 { name.utf8.reduce(0) { $0 << 8 | UInt32($1) } }

    /// IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`. Years are clamped to 0…9999, which is all the format can hold.
    package static func format(_ time: UnixTime) -> String {
        let seconds = min(max(time.seconds, -62_167_219_200), 253_402_300_799)
        let days = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
        let ofDay = seconds - days * 86400
        let date = civil(days)
        let weekday = dayNames[Int(((days % 7) + 7) % 7)]
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return "\(weekday), \(padded(date.day, 2)) \(monthNames[Int(date.month) - 1]) \(padded(date.year, 4)) "
            + "\(padded(ofDay / 3600, 2)):\(padded(ofDay / 60 % 60, 2)):\(padded(ofDay % 60, 2)) GMT"
    }

    // MARK: Dialects with names of months

    private static func parseWords(_ text: String) -> UnixTime? {
        // RFC 850 writes 06-Nov-94: its hyphens part words, but not the one of a zone such as -0700.
        var words = text.split { $0 == " " || $0 == "," || $0 == "\t" }.map(String.init)
        if let dashed = words.firstIndex(where: { word in word.filter { $0 == "-" }.count == 2 }) {
            words.replaceSubrange(dashed...dashed, with: words[dashed].split(separator: "-").map(String.init))
        }
        var day: Int64?, month: Int64?, year: Int64?, clock: Int64?, zone: Int64 = 0
        for word in words {
            if let seconds = parseClock(word) {
                guard clock == nil else { return nil }
                clock = seconds
            } else if let found = months.firstIndex(of: String(word.lowercased().prefix(3))), word.utf8.allSatisfy({ $0 > 57 }) {
                guard month == nil else { return nil }
                month = Int64(found) + 1
            } else if clock != nil, let offset = parseZone(word) {
                zone = offset
            } else if let number = Int64(word), number >= 0, word.utf8.first.map({ (48...57).contains($0) }) == true {
                if day == nil, word.utf8.count <= 2 {
                    day = number
                } else if year == nil, word.utf8.count == 2 {
                    // RFC 9110 §5.6.7: two digits mean the year nearest that is not far ahead; the web began in 1990.
                    year = number < 70 ? 2000 + number : 1900 + number
                } else if year == nil, word.utf8.count == 4 {
                    year = number
                } else {
                    return nil
                }
            } else if ["gmt", "utc", "ut", "z"].contains(word.lowercased()) || isWeekday(word) {
                continue
            } else {
                return nil
            }
        }
        guard let day, let month, let year, let clock else { return nil }
        return time(year: year, month: month, day: day, ofDay: clock, zone: zone)
    }

    private static func isWeekday(_ word: String) -> Bool {
        let short = word.lowercased().prefix(3)
        return dayNames.contains { $0.lowercased() == short } && word.utf8.allSatisfy { $0 > 57 }
    }

    /// `08:49:37` or `08:49` as seconds of the day; a leap second counts as the second before.
    private static func parseClock(_ word: String) -> Int64? {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 else { return nil }
        var numbers: [Int64] = []
        for part in parts {
            guard (1...2).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int64(part) else { return nil }
            numbers.append(number)
        }
        let second = numbers.count == 3 ? min(numbers[2], 60) : 0
        guard numbers[0] < 24, numbers[1] < 60, numbers.count == 2 || numbers[2] <= 60 else { return nil }
        return numbers[0] * 3600 + numbers[1] * 60 + min(second, 59)
    }

    /// `+0200`, `-07:00` in seconds east of Greenwich.
    private static func parseZone(_ word: String) -> Int64? {
        guard let sign = word.utf8.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let digits = word.utf8.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 4, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        let numbers = digits.map { Int64($0) - 48 }
        let hours = numbers[0] * 10 + numbers[1], minutes = numbers[2] * 10 + numbers[3]
        guard hours < 24, minutes < 60 else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    // MARK: RFC 3339

    private static func parseRFC3339(_ text: [UInt8]) -> UnixTime? {
        func number(_ from: Int, _ count: Int) -> Int64? {
            guard from + count <= text.count, text[from..<from + count].allSatisfy({ (48...57).contains($0) }) else { return nil }
            return text[from..<from + count].reduce(0) { $0 * 10 + Int64($1) - 48 }
        }
        guard text.count >= 19, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T") || text[10] == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "),
            let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
            let clock = parseClock(String(decoding: text[11..<19], as: UTF8.self))
        else { return nil }
        var rest = text[19...]
        if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst().drop { (48...57).contains($0) } }
        let zoneText = String(decoding: rest, as: UTF8.self)
        let zone: Int64
        if zoneText.isEmpty || zoneText == "Z" || zoneText == "z" {
            zone = 0
        } else {
            guard let offset = parseZone(zoneText) else { return nil }
            zone = offset
        }
        return time(year: year, month: month, day: day, ofDay: clock, zone: zone)
    }

    // MARK: The calendar

    private static func time(year: Int64, month: Int64, day: Int64, ofDay: Int64, zone: Int64) -> UnixTime? {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let days = daysBefore(year: year, month: month) + day - 1
        guard civil(days).month == month else { return nil }  // 31 February
        return UnixTime(seconds: days * 86400 + ofDay - zone)
    }

    /// Days from 1970-01-01 to the first of the month in the Gregorian calendar; years start in March, so that the leap
    /// day is the last one.
    private static func daysBefore(year: Int64, month: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let ofEra = shifted - era * 400
        let monthFromMarch = (month + 9) % 12
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + (153 * monthFromMarch + 2) / 5 - 719_468
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
