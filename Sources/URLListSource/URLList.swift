package import Diagnostics
internal import Dispatch
package import HTTPFiles
package import SourceAPI
internal import Synchronization
package import Transport

/// Files behind the links of a text, which is read from a file of this machine or from an address. `URLListParser` says
/// what the text looks like.
///
/// A locator is `""` for the root, encoded segments each followed by `/` for a directory, and directory, encoded name, `|`
/// and the link for a file: it can be read without the list.
package final class URLList: LinkedSource {
    package enum Place: Hashable, Sendable {
        case address(HTTPURL)
        /// An absolute path.
        case file(String)
    }

    /// Directories are answered from a list this young; a listing of the root always reads it anew.
    private static let freshness: Duration = .seconds(60)

    package let kind = "list"
    package let publicAddress: String
    package let root = EntryLocator("")
    private let place: Place
    private let client: HTTPClient
    private let access: HTTPAccess
    /// For links that may see the source's credentials.
    private let trustedFiles: HTTPFiles
    private let otherFiles: HTTPFiles
    private let fetches = ActiveFetches()
    private let log: Log
    /// Parses the text: a long one keeps a thread busy for seconds.
    private let parsing = DispatchQueue(label: "reelfs.list")
    private let loaded = Mutex<(tree: ListTree, at: ContinuousClock.Instant)?>(nil)

    package init(place: Place, client: HTTPClient, access: HTTPAccess, options: HTTPFileOptions = HTTPFileOptions(), log: Log) {
        self.place = place
        switch place {
        case .address(let url): publicAddress = url.redacted
        case .file(let path): publicAddress = path
        }
        self.client = client
        self.access = access
        trustedFiles = HTTPFiles(client: client, access: access, options: options, log: log)
        otherFiles = HTTPFiles(client: client, access: access.withoutSecrets, options: options, log: log)
        self.log = log
    }

    /// The lines of the last read list that name no file, for `status`.
    package var problems: [ParsedURLList.Problem] { loaded.withLock { $0?.tree.problems ?? [] } }

    package func list(_ directory: EntryLocator) async throws(SourceError) -> DirectoryListing {
        let tree = directory == root ? try await load() : try await recent()
        guard let entries = tree.directories[directory] else { throw SourceError(.notFound, "\(publicAddress): no such directory in the list") }
        return DirectoryListing(entries: entries)
    }

    package func probe(_ entry: RemoteEntry) async throws(SourceError) -> RemoteEntry {
        let url = try url(entry.locator)
        return try await files(for: url).probe(entry, at: url)
    }

    package func fetch(_ request: FetchRequest, into sink: any FetchSink) -> any FetchTask {
        let url: HTTPURL
        do throws(SourceError) { url = try self.url(request.entry.locator) } catch { return FailedFetch.start(sink, error) }
        return fetches.start(sink) { files(for: url).fetch(request, at: url, into: $0) }
    }

    package func shutdown() { fetches.shutdown() }

    private func url(_ locator: EntryLocator) throws(SourceError) -> HTTPURL {
        guard let bar = locator.text.firstIndex(of: "|"), let url = HTTPURL(String(locator.text[locator.text.index(after: bar)...])) else {
            throw SourceError(.notFound, "\(publicAddress): no file of this list")
        }
        return url
    }

    package func link(of entry: RemoteEntry) -> HTTPFileLink? {
        guard let url = try? url(entry.locator) else { return nil }
        return HTTPFileLink(url: url, access: isTrusted(url) ? access : access.withoutSecrets)
    }

    private func files(for url: HTTPURL) -> HTTPFiles { isTrusted(url) ? trustedFiles : otherFiles }

    /// Whether a link may see the source's credentials.
    private func isTrusted(_ url: HTTPURL) -> Bool {
        let trusted: Set<HTTPOrigin> =
            if case .address(let address) = place { [address.origin] } else { loaded.withLock { $0?.tree.trustedOrigins } ?? [] }
        return trusted.contains(url.origin)
    }
}

extension URLList {
    private func recent() async throws(SourceError) -> ListTree {
        let kept = loaded.withLock { kept in kept.flatMap { ContinuousClock.now - $0.at < Self.freshness ? $0.tree : nil } }
        if let kept { return kept }
        return try await load()
    }

    private func load() async throws(SourceError) -> ListTree {
        let text: [UInt8]
        switch place {
        case .file(let path): text = try await ListFile.read(path)
        case .address(let url):
            let page = try await PageRequest.get(url, client: client, access: access, accept: "text/plain, */*;q=0.5") { head in
                head.isHTML ? 0 : PageRequest.maximumPage
            }
            guard !page.head.isHTML else {
                throw SourceError(.malformed, "GET \(url.redacted): a page instead of a text of links", advice: "use the address of the text itself")
            }
            text = page.body
        }
        let tree = await withCheckedContinuation { continuation in parsing.async { continuation.resume(returning: self.tree(of: text)) } }
        guard tree.fileCount > 0 else { throw emptyList(tree) }
        report(tree)
        loaded.withLock { $0 = (tree, ContinuousClock.now) }
        return tree
    }

    private func tree(of text: [UInt8]) -> ListTree {
        let list = URLListParser.parse(text)
        let trusted = trustedOrigins(list)
        return ListTree(list, trustedOrigins: trusted) { (trusted.contains($0.origin) ? trustedFiles : otherFiles).cacheKey(for: $0) }
    }

    /// The source's credentials go to the origin that the list itself came from, and to no other that it may name. The
    /// user's own file is trusted as far as its links agree on one origin.
    private func trustedOrigins(_ list: ParsedURLList) -> Set<HTTPOrigin> {
        switch place {
        case .address(let url): return [url.origin]
        case .file:
            let origins = Set(list.items.compactMap { HTTPURL($0.url)?.origin })
            return origins.count == 1 ? origins : []
        }
    }

    /// A list without a link would look like a directory without files.
    private func emptyList(_ tree: ListTree) -> SourceError {
        let reason = tree.problems.first.map { "line \($0.line): \($0.message)" } ?? "it has no line that is not blank or a comment"
        return SourceError(
            .malformed, "\(publicAddress): no link in the list: \(reason)", advice: "write one link per line: URL, URL|name or URL|name|size")
    }

    private func report(_ tree: ListTree) {
        guard tree.problems != problems else { return }
        for problem in tree.problems.prefix(10) {
            log.write(
                .warning, "source", "a line of the list names no file", ["list": publicAddress, "line": "\(problem.line)", "reason": problem.message])
        }
        if tree.problems.count > 10 {
            log.write(.warning, "source", "more lines name no file", ["list": publicAddress, "count": "\(tree.problems.count - 10)"])
        }
    }
}
