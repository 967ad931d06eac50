import Bytes
import Testing
import Transport

@Suite("A time")
struct HTTPDateTests {
    @Test(
        "every dialect is read",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 10:49:37 +0200", "Sun, 06 Nov 1994 00:49:37 -0800", "Sun Nov  6 08:49:37 UTC 1994",
            "1994-11-06T08:49:37Z", "1994-11-06t08:49:37.123456z", "1994-11-06T10:49:37+02:00", "1994-11-06 08:49:37", "06 Nov 1994 08:49:37 GMT",
            "sun, 06 nov 1994 08:49:37 gmt", "Sun, 06-Nov-1994 08:49:37 GMT",
        ])
    func dialects(text: String) { #expect(HTTPDate.parse(text)?.seconds == 784_111_777) }

    @Test(
        "what is no date is none",
        arguments: [
            "", "now", "0", "Sun", "Sun, 06 Nov 1994", "08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "1994-13-06T08:49:37Z", "1994-11-06T08:49:37+99:99", "1994-11-06", "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT",
            "1994-11-06T08:49:37 rubbish",
            "Sun, 00 Nov 1994 08:49:37 GMT",
        ])
    func nonsense(text: String) { #expect(HTTPDate.parse(text) == nil) }

    @Test("what is written is read again, in every year")
    func roundTrip() {
        for day in stride(from: Int64(-25_000), to: 100_000, by: 37) {
            let time = UnixTime(seconds: day * 86400 + (day &* 7919) % 86400)
            #expect(HTTPDate.parse(HTTPDate.format(time)) == time, "\(HTTPDate.format(time))")
        }
        #expect(HTTPDate.format(UnixTime(seconds: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.format(UnixTime(seconds: .max)) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.format(UnixTime(seconds: .min)) == "Sat, 01 Jan 0000 00:00:00 GMT")
    }

    @Test("Retry-After is read as seconds and as a date, within a day")
    func retryAfter() {
        let now = UnixTime(seconds: 784_111_777)
        #expect(Backoff.retryAfter("7", now: now) == .seconds(7))
        #expect(Backoff.retryAfter("Sun, 06 Nov 1994 08:49:47 GMT", now: now) == .seconds(10))
        #expect(Backoff.retryAfter("Sun, 06 Nov 1994 08:00:00 GMT", now: now) == .zero)
        #expect(Backoff.retryAfter("99999999999999999999999", now: now) == .seconds(86400))
        #expect(Backoff.retryAfter("-5", now: now) == nil && Backoff.retryAfter("soon", now: now) == nil && Backoff.retryAfter(nil, now: now) == nil)
    }

    @Test("waits double up to a bound, are never below what was asked, and vary")
    func backoff() {
        #expect(Backoff.delay(afterAttempt: 1, random: 0, retryAfter: nil) == .milliseconds(250))
        #expect(Backoff.delay(afterAttempt: 1, random: 1, retryAfter: nil) == .milliseconds(500))
        #expect(Backoff.delay(afterAttempt: 3, random: 0, retryAfter: nil) == .seconds(1))
        #expect(Backoff.delay(afterAttempt: .max, random: 1, retryAfter: nil) == .seconds(8))
        #expect(Backoff.delay(afterAttempt: .min, random: .nan, retryAfter: nil) >= .zero)
        #expect(Backoff.delay(afterAttempt: 1, random: 0, retryAfter: .seconds(20)) == .seconds(20))
    }
}
