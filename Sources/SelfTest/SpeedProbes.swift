internal import Bytes
internal import HTTPFiles
internal import OriginReport
internal import Transport

/// How soon and how fast bytes come, within few of them.
struct SpeedProbes {
    let prober: Prober
    let link: HTTPFileLink
    let size: UInt64

    private static let time = Duration.seconds(5)

    func run() async -> [OriginFinding] {
        let budget = min(size, 3 << 20, prober.bytesLeft / 3)
        guard budget >= 16 << 10, !prober.isOver else { return [] }
        var findings: [OriginFinding] = []
        let one = await prober.ask(request(FileRange(offset: 0, end: budget)), limit: Int(budget), time: Self.time)
        guard one.error == nil, one.status == 206 || one.status == 200 else { return [] }
        let delay = Int((one.firstByte * 1000).rounded())
        findings.append(.ok(.speed, "first byte", "after \(delay) ms"))
        findings.append(.ok(.speed, "one connection", Self.rate(one.body.count, one.seconds)))
        guard one.status == 206, budget >= 1 << 20, !prober.isOver else { return findings }
        let part = budget / 4, prober = prober
        let requests = (0..<4).map { request(FileRange(offset: UInt64($0) * part, end: UInt64($0 + 1) * part)) }
        let start = ContinuousClock.now
        let count = await withTaskGroup(of: Int.self) { group in
            for request in requests { group.addTask { await prober.ask(request, limit: Int(part), time: Self.time).body.count } }
            return await group.reduce(0, +)
        }
        findings.append(.ok(.speed, "four connections", Self.rate(count, (ContinuousClock.now - start) / .seconds(1))))
        return findings
    }

    private func request(_ range: FileRange) -> HTTPRequest {
        HTTPRequest(url: link.url, range: range, access: link.access, deadlines: Prober.patience)
    }

    private static func rate(_ bytes: Int, _ seconds: Double) -> String {
        let rate = Double(bytes) / max(seconds, 0.000_001) / 1_000_000
        let shown = rate >= 10 ? "\(Int(min(rate, 1e9).rounded()))" : "\(Double(Int(rate * 10)) / 10)"
        return "\(shown) MB/s over \(bytes / 1000) kB"
    }
}
