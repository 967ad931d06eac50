internal import Bytes
package import Diagnostics
internal import Glibc
package import SourceAPI
package import Transport

/// Files behind HTTP URLs, for every kind of source that hands such URLs out. One per source.
package final class HTTPFiles: Sendable {
    /// How long a request of a listing or a probe is tried again.
    package static let retryingTime = Duration.seconds(28)

    private let client: HTTPClient
    private let access: HTTPAccess
    private let options: HTTPFileOptions
    private let log: Log

    package init(client: HTTPClient, access: HTTPAccess, options: HTTPFileOptions, log: Log) {
        self.client = client
        self.access = access
        self.options = options
        self.log = log
    }

    /// Names the content behind the URL in the cache: the URL by the source's rule, and who asks, since an origin may show
    /// each user another file under one URL. Users that only a secret tells apart are told apart by a hash of it.
    package func cacheKey(for url: HTTPURL) -> String { identity(for: url) + options.cacheKeyRule.name(of: url) }

    private func identity(for url: HTTPURL) -> String {
        var parts: [String] = []
        switch access.credentials {
        case .none: if let user = url.user { parts.append("user=\(PercentCoding.encodeSegment(user.utf8))") }
        case .netrc(let path): parts.append("netrc=\(PercentCoding.encodeSegment((path ?? "").utf8))")
        case .password(let user, _): parts.append("user=\(PercentCoding.encodeSegment(user.utf8))")
        case .bearer(let token): parts.append("bearer=\(Self.hash([token.reveal()]))")
        }
        if !access.extraFields.isEmpty { parts.append("fields=\(Self.hash(access.extraFields.flatMap { [$0.name.lowercased(), $0.value] }))") }
        if let certificate = access.clientCertificate { parts.append("certificate=\(PercentCoding.encodeSegment(certificate.utf8))") }
        return parts.isEmpty ? "" : parts.joined(separator: "&") + " "
    }

    private static func hash(_ texts: [String]) -> String {
        var hash = StableHash()
        for text in texts { hash.combine(text) }
        return String(hash.value, radix: 16)
    }

    /// Learns exact size, and time of modification and media type where the listing lacks them, by asking for the first
    /// byte: replies to HEAD are often other than those to GET, or refused.
    ///
    /// - Throws: `.sizeUnknown` when the origin does not tell a length.
    package func probe(_ entry: RemoteEntry, at url: HTTPURL) async throws(SourceError) -> RemoteEntry {
        let request = HTTPRequest(url: url, range: FileRange(offset: 0, end: 1), access: access)
        let head: HTTPResponseHead
        do throws(TransportError) {
            head = try await client.headRetrying(request, within: Self.retryingTime)
        } catch {
            throw StatusMeaning.error(error)
        }
        return try check(entry, request).probe(head, now: Self.now)
    }

    /// Starts one fetch; see `Source.fetch`. An entry without a size is asked for as a whole.
    package func fetch(_ request: FetchRequest, at url: HTTPURL, into sink: any FetchSink) -> any FetchTask {
        let asked = request.entry.size == nil && request.range.count == .max ? nil : request.range
        let http = HTTPRequest(url: url, range: asked, access: access, isBackground: request.isReadAhead)
        let fetch = RangeFetch(check: check(request.entry, http), asked: asked, pinned: request.pinned, sink: sink)
        fetch.attach(client.start(http, handler: fetch))
        return fetch
    }

    /// Sends a listing's request with the source's access, again after transient faults within `retryingTime`.
    ///
    /// - Returns: a response with a status of success (2xx).
    package func send(_ request: HTTPRequest, maximumBody: Int = 64 << 20) async throws(SourceError) -> HTTPResponse {
        var request = request
        request.access = access
        let response: HTTPResponse
        do throws(TransportError) {
            response = try await client.sendRetrying(request, maximumBody: maximumBody, within: Self.retryingTime)
        } catch {
            throw StatusMeaning.error(error)
        }
        guard response.head.isSuccess else {
            throw StatusMeaning.error(response.head, summary: request.summary, now: Self.now)
        }
        return response
    }

    private func check(_ entry: RemoteEntry, _ request: HTTPRequest) -> ReplyCheck {
        ReplyCheck(summary: request.summary, entry: entry, acceptedTypes: options.acceptedTypes)
    }

    private static var now: UnixTime { UnixTime(seconds: Int64(time(nil))) }
}
