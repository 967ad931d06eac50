internal import Bytes
package import SourceAPI
package import Transport

/// Range truth: whether a reply is what was asked, decided before its first byte. Pure.
struct ReplyCheck {
    /// For errors: what was asked, redacted.
    var summary: String
    var entry: RemoteEntry
    var acceptedTypes: [String]

    /// The reply to a fetch. `asked` is `nil` when the whole file was asked for without a range.
    func fetch(_ head: HTTPResponseHead, asked: FileRange?, pinned: Validator?, now: UnixTime) throws(SourceError) -> FetchReply {
        switch head.status {
        case 206:
            guard let asked else { throw malformed("a part came though none was asked for") }
            return try ranged(head, asked: asked, pinned: pinned)
        case 200: return try whole(head, pinned: pinned)
        case 416: throw unsatisfiable(head)
        default: throw StatusMeaning.error(head, summary: summary, now: now)
        }
    }

    /// What the reply to a range of one byte tells of the file.
    func probe(_ head: HTTPResponseHead, now: UnixTime) throws(SourceError) -> RemoteEntry {
        var result = entry
        switch head.status {
        case 206:
            try checkContent(head)
            let range = try contentRange(head)
            guard range.range == FileRange(offset: 0, end: 1) else { throw malformed("the first byte was asked for, \(shown(head)) came") }
            guard let total = range.total else { throw sizeUnknown() }
            result.size = total
        case 416:
            // The one file without a first byte is the empty one.
            guard let range = head.fields["Content-Range"].flatMap(ContentRange.init), range.range == nil, range.total == 0 else {
                throw malformed("the first byte was refused: \(shown(head))")
            }
            result.size = 0
        case 200:
            try checkContent(head)
            guard let length = head.contentLength else { throw sizeUnknown() }
            result.size = length
        default: throw StatusMeaning.error(head, summary: summary, now: now)
        }
        if result.modified == nil { result.modified = head.validator.modified }
        if head.status != 416, result.mediaType == nil { result.mediaType = head.mediaType }
        return result
    }

    // MARK: The two kinds of reply

    private func ranged(_ head: HTTPResponseHead, asked: FileRange, pinned: Validator?) throws(SourceError) -> FetchReply {
        try checkContent(head)
        let range = try contentRange(head)
        guard range.range == asked else { throw malformed("\(asked) were asked for, \(shown(head)) came") }
        if let size = entry.size {
            guard let total = range.total else { throw malformed("the reply does not tell the file's length: \(shown(head))") }
            guard total == size else { throw changed("\(size) bytes long when it was listed, \(total) now") }
        }
        if let length = head.contentLength, length != asked.count { throw malformed("\(asked.count) bytes were asked for, \(length) came") }
        try checkVersion(head, pinned)
        return FetchReply(offset: asked.offset, total: range.total, validator: head.validator, isRanged: true)
    }

    private func whole(_ head: HTTPResponseHead, pinned: Validator?) throws(SourceError) -> FetchReply {
        try checkContent(head)
        if let size = entry.size, let length = head.contentLength, length != size {
            throw changed("\(size) bytes long when it was listed, \(length) now")
        }
        try checkVersion(head, pinned)
        return FetchReply(offset: 0, total: head.contentLength, validator: head.validator, isRanged: false)
    }

    private func unsatisfiable(_ head: HTTPResponseHead) -> SourceError {
        if let range = head.fields["Content-Range"].flatMap(ContentRange.init), let total = range.total, let size = entry.size, total != size {
            return changed("\(size) bytes long when it was listed, \(total) now")
        }
        return malformed("bytes inside the file were refused: \(shown(head))")
    }

    // MARK: What holds for every reply with bytes

    private func checkContent(_ head: HTTPResponseHead) throws(SourceError) {
        if let coding = head.foreignCoding { throw malformed("the reply is encoded (\(coding)) although identity was asked for") }
        guard let type = head.mediaType else { return }
        if type.hasPrefix("multipart/byteranges") { throw malformed("several parts came though one was asked for") }
        if type == "text/html" || type == "application/xhtml+xml", !expectsHTML(type) {
            throw SourceError(
                .loginRequired, "\(summary): a page (\(type)) came in place of the file",
                advice: "log in again or renew the link; if the file is such a page, use --accept-type \(type)")
        }
    }

    /// Whether the listing or the name says that the file is a page.
    private func expectsHTML(_ type: String) -> Bool {
        if acceptedTypes.contains(where: {
            $0 == "*/*" || $0.lowercased() == type || ($0.hasSuffix("/*") && type.hasPrefix($0.dropLast().lowercased()))
        }) {
            return true
        }
        return entry.isPage
    }

    private func checkVersion(_ head: HTTPResponseHead, _ pinned: Validator?) throws(SourceError) {
        guard let pinned, !pinned.agrees(with: head.validator) else { return }
        throw changed("another version than the one opened")
    }

    private func contentRange(_ head: HTTPResponseHead) throws(SourceError) -> ContentRange {
        let values = head.fields.values(of: "Content-Range")
        guard let text = values.first, Set(values).count == 1, let range = ContentRange(text), range.range != nil else {
            throw malformed("a part without a usable Content-Range came: \(shown(head))")
        }
        return range
    }

    // MARK: Errors

    private func shown(_ head: HTTPResponseHead) -> String { head.fields["Content-Range"].map { "Content-Range \($0)" } ?? "no Content-Range" }

    private func malformed(_ reason: String) -> SourceError { SourceError(.malformed, "\(summary): \(reason)") }

    private func changed(_ reason: String) -> SourceError { SourceError(.changedUpstream, "\(summary): \(reason)") }

    private func sizeUnknown() -> SourceError { SourceError(.sizeUnknown, "\(summary): the origin does not tell the file's length") }
}

extension HTTPResponseHead {
    /// What tells this version of the file from another.
    package var validator: Validator { Validator(entityTag: fields["ETag"], modified: fields["Last-Modified"].flatMap(HTTPDate.parse)) }

    /// The first coding of the body (RFC 9110 §8.4) other than `identity`, in lower case; `nil`: there is none.
    package var foreignCoding: String? {
        fields.values(of: "Content-Encoding").flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            .first { !$0.isEmpty && $0 != "identity" }
    }

    /// The media type in lower case, without parameters.
    var mediaType: String? {
        fields["Content-Type"].flatMap { text in
            let type = text.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
            return type.isEmpty ? nil : type
        }
    }
}

extension RemoteEntry {
    /// Whether the listing or the name says that the file is a page.
    package var isPage: Bool {
        if let listed = mediaType?.lowercased(), listed.hasPrefix("text/html") || listed.hasPrefix("application/xhtml") { return true }
        let name = String(decoding: name, as: UTF8.self).lowercased()
        return [".html", ".htm", ".xhtml", ".xht", ".shtml"].contains { name.hasSuffix($0) }
    }
}
