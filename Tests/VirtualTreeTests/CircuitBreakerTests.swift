import Testing
@testable import VirtualTree

@Suite("Circuit breaker")
struct CircuitBreakerTests {
    private func breaker() -> CircuitBreaker { CircuitBreaker(firstPause: .seconds(5), longestPause: .seconds(60)) }

    @Test("one failure opens it, one request tries after the pause, a success closes it")
    func cycle() {
        var breaker = breaker()
        #expect(breaker.admit(at: .seconds(0)) == .go)
        breaker.failed(at: .seconds(0))
        #expect(breaker.admit(at: .seconds(4)) == .refuse)
        #expect(breaker.admit(at: .seconds(5)) == .trial)
        #expect(breaker.admit(at: .seconds(5)) == .refuse, "one tries, the others do not")
        breaker.succeeded()
        #expect(breaker.admit(at: .seconds(5)) == .go)
    }

    @Test("the pause doubles to a minute and no further")
    func doubling() {
        var breaker = breaker()
        var now = Duration.zero
        for pause in [5, 10, 20, 40, 60, 60, 60] {
            breaker.failed(at: now)
            #expect(breaker.admission(at: now + .seconds(pause) - .milliseconds(1)) == .refuse)
            #expect(breaker.admit(at: now + .seconds(pause)) == .trial)
            now += .seconds(pause)
        }
    }

    @Test("requests that fail together count once")
    func together() {
        var breaker = breaker()
        for _ in 0..<10 { breaker.failed(at: .seconds(1)) }
        #expect(breaker.admission(at: .seconds(6)) == .trial)
        #expect(breaker.failures == 1)
    }

    @Test("the origin's own Retry-After is kept, up to five minutes")
    func retryAfter() {
        var breaker = breaker()
        breaker.failed(at: .zero, atLeast: .seconds(90))
        #expect(breaker.admission(at: .seconds(89)) == .refuse)
        #expect(breaker.admission(at: .seconds(90)) == .trial)
        breaker.succeeded()
        breaker.failed(at: .zero, atLeast: .seconds(1_000_000))
        #expect(breaker.admission(at: .seconds(300)) == .trial)
    }

    @Test("a trial that never ends does not keep it open for ever")
    func lostTrial() {
        var breaker = breaker()
        breaker.failed(at: .zero)
        #expect(breaker.admit(at: .seconds(5)) == .trial)
        #expect(breaker.admit(at: .seconds(64)) == .refuse)
        #expect(breaker.admit(at: .seconds(65)) == .trial)
    }

    @Test("a trial that was given up leaves the next one free")
    func abandoned() {
        var breaker = breaker()
        breaker.failed(at: .zero)
        #expect(breaker.admit(at: .seconds(5)) == .trial)
        breaker.abandoned(at: .seconds(6))
        #expect(breaker.admit(at: .seconds(6)) == .trial)
    }
}
