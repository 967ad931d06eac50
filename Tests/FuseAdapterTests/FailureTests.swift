import Diagnostics
import Glibc
import SourceAPI
import Synchronization
import Testing
import VirtualTree

@testable import FuseAdapter

@Suite("Failures")
struct FailureTests {
    private static let table: [(TreeError.Code, CInt)] = [
        (.notFound, ENOENT), (.notDirectory, ENOTDIR), (.isDirectory, EISDIR), (.stale, ESTALE), (.readOnly, EROFS), (.nameTooLong, ENAMETOOLONG),
        (.invalid, EINVAL), (.interrupted, EINTR), (.noAttribute, ENODATA), (.source(.notFound), ENOENT), (.source(.denied), EACCES),
        (.source(.loginRequired), EACCES), (.source(.linkExpired), ESTALE), (.source(.changedUpstream), ESTALE),
        (.source(.throttled(retryAfter: .seconds(1))), EIO), (.source(.unreachable), EIO), (.source(.timedOut), EIO), (.source(.malformed), EIO),
        (.source(.sequentialOnly), EIO), (.source(.sizeUnknown), EIO), (.source(.refused), EACCES), (.source(.unsupported), EIO),
        (.source(.cancelled), EINTR),
    ]

    @Test("each failure has its errno")
    func numbers() {
        for (code, number) in Self.table { #expect(ErrorNumber.of(code) == number, "\(code)") }
    }

    @Test("a reader that tries again and again is told once in a while, with what was left out")
    func loop() {
        var window = FailureWindow()
        let key = FailureWindow.Key(number: 7, code: .source(.timedOut))
        #expect(window.decide(key, now: .zero) == .write(leftOut: 0))
        for step in 1...1000 { #expect(window.decide(key, now: .milliseconds(step)) == .leaveOut) }
        #expect(window.decide(FailureWindow.Key(number: 7, code: .stale), now: .seconds(2)) == .write(leftOut: 1000))
        #expect(window.decide(key, now: .seconds(31)) == .write(leftOut: 0))
    }

    @Test("many files that fail write a bounded number of lines")
    func flood() {
        var window = FailureWindow()
        var lines = 0
        for number in 0..<100_000 {
            let now = Duration.milliseconds(number)
            if case .write = window.decide(FailureWindow.Key(number: UInt64(number), code: .source(.unreachable)), now: now) { lines += 1 }
        }
        #expect(lines == 4 * FailureWindow.maximumLines)  // 100 s are four windows
    }

    @Test("a line says what, where and what to do; ordinary answers get none")
    func line() {
        let lines = Mutex<[String]>([])
        let log = FailureLog(Log { event in lines.withLock { $0.append(event.line) } })
        log.report("read", 9, TreeError(SourceError(.loginRequired, "GET https://host/a: 401", advice: "reelfs set a --user NAME")))
        log.report("look-up", 9, TreeError(.notFound, "x"))
        log.report("read", 9, TreeError(.interrupted, "x"))
        #expect(lines.withLock { $0 } == ["read failed: GET https://host/a: 401: reelfs set a --user NAME inode=9 errno=13 repeated=0"])
    }
}
