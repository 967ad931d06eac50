package import Diagnostics
package import SourceAPI
package import Transport

/// What a source wants of the files behind its links.
package struct HTTPFileOptions: Hashable, Sendable {
    /// Media types that are data although they look like a login page (`text/html`).
    package var acceptedTypes: [String]
    package var cacheKeyRule: CacheKeyRule

    package init(acceptedTypes: [String] = [], cacheKeyRule: CacheKeyRule = CacheKeyRule()) {
        self.acceptedTypes = acceptedTypes
        self.cacheKeyRule = cacheKeyRule
    }
}

/// Which links mean the same content, though their texts differ.
package struct CacheKeyRule: Hashable, Sendable {
    /// Parts of the query that are no part of the content's name.
    package enum StrippedQuery: Hashable, Sendable { case nothing, everything, names([String]) }
    /// The first match of `from` in the URL becomes `to`; a `*` in `from` stands for any run of characters but `/`.
    package struct Rewrite: Hashable, Sendable {
        package var from: String
        package var to: String

        package init(from: String, to: String) {
            self.from = from
            self.to = to
        }
    }

    package var strippedQuery: StrippedQuery
    package var rewrites: [Rewrite]

    package init(strippedQuery: StrippedQuery = .nothing, rewrites: [Rewrite] = []) {
        self.strippedQuery = strippedQuery
        self.rewrites = rewrites
    }
}

/// Files behind HTTP URLs, for every kind of source that hands such URLs out.
package final class HTTPFiles: Sendable {
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

    /// Names the content behind the URL in the cache.
    package func cacheKey(for url: HTTPURL) -> String { url.text }

    /// Learns exact size, and time of modification and media type where the listing lacks them.
    package func probe(_ entry: RemoteEntry, at url: HTTPURL) async throws(SourceError) -> RemoteEntry {
        throw SourceError(.unsupported, "probe")
    }

    /// Starts one fetch; see `Source.fetch`.
    package func fetch(_ request: FetchRequest, at url: HTTPURL, into sink: any FetchSink) -> any FetchTask {
        Task.detached { sink.end(SourceError(.unsupported, "fetch")) }
        return EndedFetch()
    }

    /// Sends a listing's request with the source's access, again after transient faults within 30 s.
    ///
    /// - Returns: a response with a status of success (2xx).
    package func send(_ request: HTTPRequest, maximumBody: Int = 64 << 20) async throws(SourceError) -> HTTPResponse {
        throw SourceError(.unsupported, "send")
    }
}

private final class EndedFetch: FetchTask {
    func cancel() {}
}
