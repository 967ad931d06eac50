internal import Bytes
internal import Diagnostics
internal import Dispatch
internal import HTTPFiles
internal import HTTPIndexSource
internal import OriginReport
internal import Transport
internal import WebDAVSource

/// Looks at what a server answers when it is asked for a directory.
struct ListingProbes {
    let prober: Prober
    let link: HTTPFileLink

    /// - Returns: also whether the listing is too large to be asked for again.
    func webDAV() async -> (findings: [OriginFinding], isTooLarge: Bool) {
        var findings = [await options()]
        let itself = await prober.ask(PropertyRequest.request(link.url, depth: .itself, access: link.access, deadline: .seconds(20)), limit: 1 << 20)
        findings.append(depthZero(itself))
        let reply = await prober.ask(
            PropertyRequest.request(link.url, depth: .members, access: link.access, deadline: .seconds(20)), limit: Prober.largestBody)
        guard !reply.hasMore else {
            findings.append(.note(.listing, "PROPFIND depth 1", "more than \(Prober.largestBody >> 20) MiB", effect: "lists it; not looked at here"))
            return (findings, true)
        }
        if let failure = RangeJudge.failure(reply) ?? RangeJudge.contentFault(reply) {
            findings.append(
                .bad(.listing, "PROPFIND depth 1", failure.seen, effect: "shows an error or the last listing, never an empty directory", .limits))
            return (findings, false)
        }
        let (survey, fault) = MultistatusSurvey.of(reply.body, at: reply.head?.url ?? link.url)
        guard reply.status == 207, let survey else {
            let seen = reply.status == 207 ? fault ?? "no listing" : "status \(reply.status) with \(Self.type(reply)) in place of 207"
            findings.append(.bad(.listing, "PROPFIND depth 1", seen, effect: Self.refusal, .prevents))
            return (findings, false)
        }
        findings.append(.ok(.listing, "PROPFIND depth 1", "207, \(survey.members) entries in \(reply.body.count) bytes"))
        findings += Self.judge(survey, type: Self.type(reply))
        return (findings, false)
    }

    private static let refusal = "refuses such a listing: an error or the last one, never an empty directory"

    private func options() async -> OriginFinding {
        let request = HTTPRequest(method: "OPTIONS", url: link.url, access: link.access, deadlines: Prober.patience)
        let reply = await prober.ask(request, limit: 4096)
        if let dav = reply.field("DAV") { return .ok(.listing, "OPTIONS", "DAV \(Redaction.line(dav))") }
        let seen = RangeJudge.failure(reply)?.seen ?? "no DAV field"
        return .note(.listing, "OPTIONS", seen, effect: "asks PROPFIND and believes only its answer")
    }

    private func depthZero(_ reply: ProbeReply) -> OriginFinding {
        let check = "PROPFIND depth 0"
        if let failure = RangeJudge.failure(reply) { return .note(.listing, check, failure.seen, effect: "needs it only to find out the type") }
        guard reply.status == 207 else {
            return .note(.listing, check, "status \(reply.status) with \(Self.type(reply))", effect: "needs --type webdav")
        }
        let (survey, fault) = MultistatusSurvey.of(reply.body, at: reply.head?.url ?? link.url)
        guard let survey else { return .note(.listing, check, fault ?? "no multistatus", effect: "needs --type webdav") }
        return survey.responses == 1
            ? .ok(.listing, check, "207, one response") : .note(.listing, check, "\(survey.responses) responses for one resource")
    }

    static func judge(_ survey: MultistatusSurvey, type: String) -> [OriginFinding] {
        var findings: [OriginFinding] = []
        if type != "application/xml", type != "text/xml" {
            findings.append(.note(.listing, "media type", "\(type) for XML", effect: "reads it all the same"))
        }
        let kinds = survey.hrefs.sorted { $0.value > $1.value }.map(\.key)
        let shown = kinds.map(\.rawValue).joined(separator: ", ")
        findings.append(
            kinds == [.path]
                ? .ok(.listing, "hrefs", shown) : .note(.listing, "hrefs", shown, effect: "compares decoded paths only, whatever the host"))
        if survey.mayBeEncodedTwice {
            findings.append(
                .note(.listing, "escapes", "names that may be encoded twice", effect: "asks for one both ways, once, and goes by the answer"))
        }
        if survey.doubled > 0 { findings.append(.note(.listing, "doubled", "\(survey.doubled) entries come twice", effect: "shows each once")) }
        if survey.elsewhere > 0 {
            findings.append(.note(.listing, "elsewhere", "\(survey.elsewhere) entries of other or deeper directories", effect: "leaves them out"))
        }
        if !survey.hasItself { findings.append(.note(.listing, "itself", "no response for the directory itself", effect: "lists the others")) }
        if let status = survey.failure {
            findings.append(.bad(.listing, "itself", "status \(status) for the directory itself: the listing is cut off", effect: refusal, .prevents))
        }
        findings.append(
            survey.filesWithoutSize == 0
                ? .ok(.listing, "sizes", "of all files")
                : .note(
                    .listing, "sizes", "missing for \(survey.filesWithoutSize) of \(survey.files) files",
                    effect: "asks each file when it is looked at"))
        if survey.unreadableTimes > 0 {
            findings.append(.note(.listing, "times", "\(survey.unreadableTimes) that cannot be read", effect: "shows 1970 until a probe tells"))
        } else if survey.withoutTime > 0 {
            findings.append(.note(.listing, "times", "missing for \(survey.withoutTime) entries", effect: "shows 1970 until a probe tells"))
        } else {
            findings.append(.ok(.listing, "times", "of all entries"))
        }
        return findings
    }

    /// A page, or the file that the address is.
    func page() async -> (findings: [OriginFinding], isTooLarge: Bool) {
        let request = HTTPRequest(
            url: link.url, fields: [HTTPField("Accept", "text/html, application/json;q=0.9, */*;q=0.5")], access: link.access,
            deadlines: Prober.patience)
        let reply = await prober.ask(request, limit: Prober.largestBody)
        if let failure = RangeJudge.failure(reply) ?? RangeJudge.contentFault(reply) {
            return ([.bad(.listing, "page", failure.seen, effect: "shows an error or the last listing, never an empty directory", .limits)], false)
        }
        guard let head = reply.head, head.isHTML || head.isJSON else { return ([.ok(.listing, "page", "\(Self.type(reply)): one file")], false) }
        if reply.hasMore {
            return (
                [.note(.listing, "page", "more than \(Prober.largestBody >> 20) MiB", effect: "lists it; not looked at here")],
                true
            )
        }
        let framed = head.isFramed ? "its end is told" : "its end is told by nothing but the page itself"
        let page = OriginFinding.ok(.listing, "page", "\(Self.type(reply)), \(reply.body.count) bytes, \(framed)")
        return ([page] + (await survey(reply.body, head)), false)
    }

    private func survey(_ body: [UInt8], _ head: HTTPResponseHead) async -> [OriginFinding] {
        let base = IndexBase(scheme: head.url.scheme, authority: head.url.authority, path: head.url.path)
        let survey: IndexSurvey? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: try? IndexSurvey.of(body, isJSON: head.isJSON, base: base)) }
        }
        // What it is instead, the listing itself tells.
        guard let survey else { return [] }
        var findings = [
            survey.format.map { OriginFinding.ok(.listing, "format", $0) }
                ?? .note(.listing, "format", "none of the known ones", effect: "takes links to one segment below the page for its entries")
        ]
        if !survey.hasEnd { findings.append(.note(.listing, "end", "the page has no </html>", effect: "refuses it where no length tells its end")) }
        guard survey.files > 0 else { return findings }
        if survey.filesWithSize == survey.files {
            findings.append(.ok(.listing, "sizes", "exact, of all files"))
        } else {
            let missing = survey.files - survey.filesWithSize
            findings.append(
                .ok(.listing, "sizes", "rounded or missing for \(missing) of \(survey.files) files", effect: "asks each file when it is looked at"))
        }
        return findings
    }

    private static func type(_ reply: ProbeReply) -> String {
        let type = reply.head?.mediaTypeName ?? ""
        return type.isEmpty ? "no media type" : Redaction.line(type)
    }
}
