internal import Bytes
internal import Diagnostics
package import Transport
internal import WebPaths

/// What a server's answer to PROPFIND looks like, for reports about the server.
package struct MultistatusSurvey: Sendable {
    package enum HrefKind: String, Hashable, Sendable, CaseIterable {
        case path = "absolute paths", relative = "relative paths", url = "URLs of this server", foreign = "URLs of another host or port",
            network = "paths with two slashes"
    }

    package private(set) var responses = 0
    package private(set) var members = 0
    package private(set) var hrefs: [HrefKind: Int] = [:]
    package private(set) var hasItself = false
    /// Responses for a place that was named before.
    package private(set) var doubled = 0
    /// Responses for neither the directory nor a member of it.
    package private(set) var elsewhere = 0
    package private(set) var files = 0
    package private(set) var filesWithoutSize = 0
    package private(set) var withoutTime = 0
    package private(set) var unreadableTimes = 0
    package private(set) var mayBeEncodedTwice = false
    /// The status of the directory itself, where it is one of failure.
    package private(set) var failure: Int?

    /// - Returns: `nil` and the reason when the answer is no listing of `url`.
    package static func of(_ body: [UInt8], at url: HTTPURL) -> (survey: MultistatusSurvey?, fault: String?) {
        let responses: [MultistatusResponse]
        do throws(MultistatusFault) { responses = try MultistatusParser.parse(body) } catch {
            switch error {
            case .notWellFormed(let line): return (nil, "the listing is damaged or cut off (line \(line))")
            case .notMultistatus(let element): return (nil, "<\(Redaction.line(element))> instead of a multistatus")
            case .documentType: return (nil, "a document type declaration, in which entities hide")
            case .tooDeep, .tooLong, .tooManyResponses: return (nil, "a listing beyond all measure")
            }
        }
        guard let path = LinkPath(url.path) else { return (nil, "the address has no path") }
        do throws(CollectionListing.Fault) {
            let listing = try CollectionListing(responses, requestPath: path, authority: url.authority)
            return (MultistatusSurvey(responses, listing, url), nil)
        } catch {
            switch error {
            case .empty: return (nil, "a multistatus without any response, not even for the directory itself")
            case .elsewhere: return (nil, "the answer is about another path")
            }
        }
    }

    private init(_ responses: [MultistatusResponse], _ listing: CollectionListing, _ url: HTTPURL) {
        self.responses = responses.count
        members = listing.members.count
        hasItself = listing.itself != nil
        mayBeEncodedTwice = listing.mayBeEncodedTwice
        if let itself = listing.itself, itself.hasFailed { failure = itself.status }
        var seen: Set<[UInt8]> = []
        for response in responses {
            hrefs[Self.kind(response.href, url), default: 0] += 1
            if !seen.insert(response.href).inserted { doubled += 1 }
        }
        elsewhere = max(0, responses.count - members - doubled - (hasItself ? 1 : 0))
        for member in listing.members where !member.response.isDirectory {
            files += 1
            if member.response.properties.contentLength == nil { filesWithoutSize += 1 }
        }
        for member in listing.members {
            guard let text = member.response.properties.lastModified else {
                withoutTime += 1
                continue
            }
            if HTTPDate.parse(text) == nil { unreadableTimes += 1 }
        }
    }

    private static func kind(_ href: [UInt8], _ url: HTTPURL) -> HrefKind {
        let text = String(decoding: href, as: UTF8.self)
        if text.hasPrefix("//") { return .network }
        if text.hasPrefix("/") { return .path }
        guard text.contains("://") else { return .relative }
        return HTTPURL(text)?.origin == url.origin ? .url : .foreign
    }
}
