internal import Bytes
internal import HTTPFiles
internal import OriginReport
internal import SourceAPI
internal import Transport

/// Asks one file for parts of it, in every way that reading needs, and some that it does not.
struct RangeProbes {
    let prober: Prober
    let link: HTTPFileLink
    let size: UInt64
    let isPage: Bool

    private static let part: UInt64 = 65536
    private(set) var findings: [OriginFinding] = []
    private(set) var replies: [ProbeReply] = []

    init(prober: Prober, link: HTTPFileLink, size: UInt64, isPage: Bool) {
        self.isPage = isPage
        self.prober = prober
        self.link = link
        self.size = size
    }

    mutating func run() async {
        let judge = RangeJudge(size: size, isPage: isPage)
        let head = await single("first bytes", FileRange(offset: 0, count: Self.part, fileSize: size), judge)
        let middle = FileRange(offset: size / 2, count: Self.part, fileSize: size)
        let inMiddle = await single("middle", middle, judge)
        _ = await single("last bytes", FileRange(offset: size - min(size, 1000), count: 1000, fileSize: size), judge)
        // A server that gives nothing is not asked in ten more ways.
        guard !prober.isOver, !replies.allSatisfy({ $0.error != nil }) else { return }
        await compareOverlap(head, inMiddle, middle, judge)
        await suffix(judge)
        await beyondTheEnd()
        await conditions(head)
        await parallel(judge)
        await headMethod()
    }

    private func request(_ range: FileRange?, method: String = "GET", fields: [HTTPField] = []) -> HTTPRequest {
        HTTPRequest(method: method, url: link.url, fields: fields, range: range, access: link.access, deadlines: Prober.patience)
    }

    private mutating func ask(_ request: HTTPRequest, limit: UInt64) async -> ProbeReply {
        let reply = await prober.ask(request, limit: Int(limit))
        replies.append(reply)
        return reply
    }

    /// One part, in one request.
    private mutating func single(_ name: String, _ range: FileRange, _ judge: RangeJudge) async -> ProbeReply {
        let reply = await ask(request(range), limit: range.count)
        if let fault = judge.fault(reply, asked: range) {
            findings.append(.bad(.ranges, name, fault.seen, effect: fault.effect, fault.consequence))
        } else {
            findings.append(.ok(.ranges, name, "206, \(range), exact"))
        }
        return reply
    }

    /// The same bytes must come whichever range they are asked in: a body from elsewhere has a head that looks right.
    private mutating func compareOverlap(_ head: ProbeReply, _ whole: ProbeReply, _ range: FileRange, _ judge: RangeJudge) async {
        guard range.count >= 64, judge.fault(whole, asked: range) == nil else { return }
        let inner = FileRange(offset: range.offset + range.count / 4, end: range.offset + range.count / 2)
        let reply = await ask(request(inner), limit: inner.count)
        guard judge.fault(reply, asked: inner) == nil else { return }
        let start = Int(inner.offset - range.offset)
        var isSame = reply.body.elementsEqual(whole.body[start..<(start + Int(inner.count))])
        // The head's bytes overlap the middle's in a small file.
        if head.status == 206, head.body.count > Int(range.offset) {
            let shared = head.body[Int(range.offset)...]
            isSame = isSame && whole.body.starts(with: shared.prefix(whole.body.count))
        }
        guard !isSame else {
            findings.append(.ok(.ranges, "same bytes", "two ranges that overlap agree"))
            return
        }
        let startsOver = head.body.starts(with: reply.body) ? ": the body begins at the file's first byte whatever is asked for" : ""
        findings.append(
            .bad(
                .ranges, "same bytes", "two ranges that overlap hold different bytes\(startsOver)",
                effect: "cannot see this in a reply and would show wrong bytes: do not use this server with reelfs", .prevents))
    }

    private mutating func suffix(_ judge: RangeJudge) async {
        let count = min(size, 500)
        let reply = await ask(request(nil, fields: [HTTPField("Range", "bytes=-\(count)")]), limit: count)
        let fault = judge.fault(reply, asked: FileRange(offset: size - count, end: size))
        findings.append(
            fault.map { .note(.ranges, "suffix", $0.seen, effect: "never asks so") } ?? .ok(.ranges, "suffix", "206, the last \(count) bytes"))
    }

    private mutating func beyondTheEnd() async {
        let reply = await prober.ask(request(FileRange(offset: size + 10, end: size + 20)), limit: 1000)
        let told = reply.field("Content-Range").flatMap(ContentRange.init)
        if reply.status == 416 {
            let isExact = told?.range == nil && told?.total == size
            findings.append(.ok(.ranges, "beyond the end", isExact ? "416, with the file's length" : "416, without the file's length"))
        } else {
            let seen = RangeJudge.failure(reply)?.seen ?? "status \(reply.status)"
            findings.append(.note(.ranges, "beyond the end", "\(seen) in place of 416", effect: "never asks beyond the end"))
        }
    }

    /// `If-Range` with the right and with a wrong validator (RFC 9110 §13.1.5).
    private mutating func conditions(_ first: ProbeReply) async {
        guard let validator = first.field("ETag").flatMap({ $0.hasPrefix("W/") ? nil : $0 }) ?? first.field("Last-Modified"), size > 1 else { return }
        let range = FileRange(offset: 1, count: 100, fileSize: size)
        let right = await ask(request(range, fields: [HTTPField("If-Range", validator)]), limit: range.count)
        let wrong = await prober.ask(
            request(range, fields: [HTTPField("If-Range", validator.hasPrefix("\"") ? "\"reelfs-selftest\"" : "Thu, 01 Jan 1970 00:00:01 GMT")]),
            limit: Int(range.count))
        if right.status == 206, wrong.status == 200 {
            findings.append(.ok(.ranges, "If-Range", "206 for this version, 200 for another"))
        } else {
            let seen = "\(right.status) for this version, \(wrong.status) for another"
            findings.append(.note(.ranges, "If-Range", seen, effect: "compares the validators of replies itself"))
        }
    }

    /// Four parts at once, as read-ahead asks.
    private mutating func parallel(_ judge: RangeJudge) async {
        guard size >= 4096 else { return }
        let part = min(Self.part, size / 4)
        let ranges = (0..<4).map { FileRange(offset: UInt64($0) * (size / 4), count: part, fileSize: size) }
        let requests = ranges.map { request($0) }
        let prober = prober
        let answers = await withTaskGroup(of: (Int, ProbeReply).self) { group in
            for (index, request) in requests.enumerated() {
                group.addTask { (index, await prober.ask(request, limit: Int(part))) }
            }
            var answers: [(Int, ProbeReply)] = []
            for await answer in group { answers.append(answer) }
            return answers
        }
        replies += answers.map(\.1)
        let faults = answers.compactMap { judge.fault($0.1, asked: ranges[$0.0]) }
        guard let fault = faults.max(by: { $0.consequence < $1.consequence }) else {
            findings.append(.ok(.ranges, "in parallel", "four at once, all exact"))
            return
        }
        findings.append(.bad(.ranges, "in parallel", "\(faults.count) of 4: \(fault.seen)", effect: fault.effect, fault.consequence))
    }

    private mutating func headMethod() async {
        let reply = await prober.ask(request(nil, method: "HEAD"), limit: 0)
        let effect = "never asks HEAD"
        if let failure = RangeJudge.failure(reply) {
            findings.append(.note(.ranges, "HEAD", failure.seen, effect: effect))
        } else if let length = reply.head?.contentLength, length != size {
            findings.append(.note(.ranges, "HEAD", "tells \(length) bytes, the file has \(size)", effect: effect))
        } else {
            findings.append(.ok(.ranges, "HEAD", reply.head?.contentLength == nil ? "answers without a length" : "tells the same length"))
        }
    }
}
