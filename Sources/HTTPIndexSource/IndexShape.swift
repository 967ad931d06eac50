internal import Bytes
internal import Transport

/// What the known shapes of directory indexes say of a file truly: an exact size, a time in UTC.
///
/// nginx writes sizes in bytes, or rounds them with a unit, and times in UTC (`autoindex_localtime` is off unless asked
/// for). IIS writes bytes, and local time. Caddy keeps both in attributes. Apache and lighttpd round, in local time.
enum IndexShape {
    case nginx, iis, caddy, other

    init(_ row: IndexRow, _ signs: IndexPageSigns) {
        if row.isPreformatted, row.before.isEmpty, !signs.hasSortLinks, !signs.hasColumnHeads, signs.heading.starts(with: "Index of ".utf8) {
            self = .nginx
        } else if row.isPreformatted, !row.before.isEmpty, row.href.contains(0x2F),
            Self.contains(signs.heading, " - /") || Self.contains(signs.title, " - /")
        {
            self = .iis
        } else if row.dateTime != nil, row.dataSize != nil, row.href.starts(with: "./".utf8) {
            self = .caddy
        } else {
            self = .other
        }
    }

    func facts(_ row: IndexRow) -> (size: UInt64?, modified: UnixTime?) {
        switch self {
        case .nginx:
            let words = row.after.split(whereSeparator: { $0 <= 0x20 })
            guard words.count == 3, let time = Self.nginxTime(words[0], words[1]) else { return (nil, nil) }
            return (Self.number(words[2]), time)
        case .iis:
            let words = row.before.split(whereSeparator: { $0 <= 0x20 })
            guard words.count >= 3, words[0].contains(where: { $0 == 0x2F || $0 == 0x2E || $0 == 0x2D }), let last = words.last else {
                return (nil, nil)
            }
            return (Self.number(last), nil)
        case .caddy: return (row.dataSize.flatMap { Self.number($0[...]) }, row.dateTime.flatMap(Self.zonedTime))
        case .other: return (nil, nil)
        }
    }

    /// `02-Jan-2006 15:04`.
    private static func nginxTime(_ date: ArraySlice<UInt8>, _ time: ArraySlice<UInt8>) -> UnixTime? {
        guard date.count == 11, time.count == 5 else { return nil }
        return HTTPDate.parse(String(decoding: date + [0x20] + time, as: UTF8.self))
    }

    /// RFC 3339 with its zone, as Caddy writes it; without one it is nobody's time.
    static func zonedTime(_ stamp: [UInt8]) -> UnixTime? {
        let text = String(decoding: stamp, as: UTF8.self)
        guard stamp.count >= 20, stamp[4] == 0x2D, stamp[19...].contains(where: { $0 == 0x5A || $0 == 0x2B || $0 == 0x2D }) else { return nil }
        return HTTPDate.parse(text).flatMap { $0.seconds > 0 ? $0 : nil }
    }

    /// Digits and nothing else, as large as a file can be.
    static func number(_ word: ArraySlice<UInt8>) -> UInt64? {
        guard !word.isEmpty, word.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(String(decoding: word, as: UTF8.self)) else {
            return nil
        }
        return number <= UInt64(Int64.max) ? number : nil
    }

    private static func contains(_ text: [UInt8], _ part: String) -> Bool { String(decoding: text, as: UTF8.self).contains(part) }
}
