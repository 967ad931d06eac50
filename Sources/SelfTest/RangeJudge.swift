internal import Bytes
internal import Diagnostics
internal import HTTPFiles
internal import OriginReport
internal import Transport

/// What replies to ranges say of a server. Pure.
struct RangeJudge {
    /// Of the file, as far as it is known.
    var size: UInt64?
    /// Whether the file is a page, so that one is no sign of a login that is over.
    var isPage = false

    /// A reply to a range inside the file: what is wrong with it, and what that means; `nil`: it is right.
    func fault(_ reply: ProbeReply, asked: FileRange) -> (seen: String, effect: String, consequence: OriginFinding.Consequence)? {
        if let failure = Self.failure(reply) { return failure }
        if let content = Self.contentFault(reply) { return content }
        if !isPage, reply.head?.isHTML == true {
            // Whether it is refused, the reading itself shows: `--accept-type` may say that it is a file.
            return ("a page (text/html) in place of the file", "takes it for a login and refuses it (EACCES), but for --accept-type", .none)
        }
        let told = reply.field("Content-Range")
        if reply.status == 200 {
            if let told { return ("200 with Content-Range \(Redaction.line(told))", Self.stream, .limits) }
            return ("ignores Range: 200 with the whole file", Self.stream, .limits)
        }
        guard reply.status == 206 else { return ("status \(reply.status)", Self.refused, .prevents) }
        guard let told else { return ("206 without Content-Range", Self.refused, .prevents) }
        guard let range = ContentRange(told), let part = range.range else {
            return ("Content-Range cannot be right: \(Redaction.line(told))", Self.refused, .prevents)
        }
        guard part == asked else { return ("Content-Range \(Redaction.line(told)) for \(asked)", Self.refused, .prevents) }
        if let size, let total = range.total, total != size {
            return ("Content-Range tells a length of \(total), the file has \(size)", "reads end with “changed” (ESTALE)", .prevents)
        }
        if let length = reply.head?.contentLength, length != asked.count {
            return ("\(length) bytes in place of \(asked.count)", Self.refused, .prevents)
        }
        if reply.hasMore { return ("more than the \(asked.count) bytes asked for", Self.refused, .prevents) }
        if UInt64(reply.body.count) < asked.count { return ("\(reply.body.count) bytes in place of \(asked.count)", Self.refused, .prevents) }
        return nil
    }

    static let stream = "reads the file as one stream from its start; a jump of more than 64 MiB ahead is an error"
    static let refused = "refuses such replies: reads are errors (EIO), never wrong bytes"

    /// No answer, or one of failure.
    static func failure(_ reply: ProbeReply) -> (seen: String, effect: String, consequence: OriginFinding.Consequence)? {
        if let error = reply.error {
            let effect = error.isTransient ? "tries again with growing pauses, within 60 s for a read" : refused
            return (error.detail, effect, error.isTransient ? .limits : .prevents)
        }
        let after = reply.field("Retry-After").map { ", Retry-After \(Redaction.line($0))" } ?? ""
        switch reply.status {
        case 200..<300: return nil
        case 401: return ("status 401: a login is needed", "reads are refused (EACCES); give --user, --bearer-file or --header-file", .prevents)
        case 403: return ("status 403: refused", "reads are refused (EACCES)", .prevents)
        case 429, 500, 502, 503, 504:
            return ("status \(reply.status)\(after)", "tries again with growing pauses, Retry-After honoured; fewer --connections may help", .limits)
        case 404, 410: return ("status \(reply.status) for a file that is listed", "reads are errors (ENOENT, ESTALE)", .prevents)
        case 300..<400: return ("status \(reply.status), a redirect that leads nowhere", refused, .prevents)
        default: return ("status \(reply.status)", refused, .prevents)
        }
    }

    /// A body that is not the file's bytes.
    static func contentFault(_ reply: ProbeReply) -> (seen: String, effect: String, consequence: OriginFinding.Consequence)? {
        if let coding = reply.head?.foreignCoding {
            return ("Content-Encoding \(Redaction.line(coding)) though identity was asked for", refused, .prevents)
        }
        if reply.head?.mediaTypeName.hasPrefix("multipart/byteranges") == true {
            return ("several parts (multipart/byteranges) for one range", refused, .prevents)
        }
        return nil
    }
}
