internal import CCurl

/// Who has waited too long.
extension Engine {
    /// Time that handlers took is not the origins' silence.
    func excuse(_ duration: Duration) {
        guard duration > .milliseconds(250) else { return }
        for exchange in running.values { exchange.lastActivity += duration }
    }

    func sweep(now: ContinuousClock.Instant) {
        lastSweep = now
        var late: [(Exchange, String)] = []
        for exchange in running.values {
            let deadlines = exchange.request.deadlines
            if exchange.sawActivity {
                exchange.lastActivity = now
                exchange.sawActivity = false
            }
            let silence = exchange.isConnected ? deadlines.idle : deadlines.connect + deadlines.idle
            if let total = deadlines.total, now - exchange.started > total {
                late.append((exchange, "not done within \(total)"))
            } else if now - exchange.lastActivity > silence {
                late.append((exchange, "no byte for \(silence)"))
            }
        }
        for (exchange, reason) in late {
            if let easy = exchange.easy, easy.number(CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0) {
                freshUntil[exchange.url.origin] = now + .seconds(30)
            }
            abort(exchange, exchange.error(.timedOut, reason))
        }
        let expired = queue.remove { exchange in exchange.request.deadlines.total.map { now - exchange.started > $0 } ?? false }
        for exchange in expired { finish(exchange, exchange.error(.timedOut, "no free connection to \(exchange.url.origin) within the deadline")) }
    }
}
