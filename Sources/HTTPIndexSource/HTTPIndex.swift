internal import Bytes
package import Diagnostics
internal import Dispatch
package import HTTPFiles
package import SourceAPI
internal import Synchronization
package import Transport
internal import WebPaths

/// Directories as web servers index them, or one file behind its link.
///
/// A locator is `""` for the source's own address, an encoded path on its origin, an absolute URL where the origin's index
/// redirects to another one, or `=` for the file that the address itself is.
package final class HTTPIndex: LinkedSource {
    /// Caddy answers JSON, with exact sizes, to who takes it; the others look at it no more than at the rest.
    private static let accept = "text/html, application/json;q=0.9, */*;q=0.5"
    private static let itself = EntryLocator("=")

    package let kind = "http"
    package let publicAddress: String
    package let root = EntryLocator("")
    private let address: HTTPURL
    private let client: HTTPClient
    private let access: HTTPAccess
    private let options: HTTPFileOptions
    private let files: HTTPFiles
    /// For what lies on another origin: without the source's credentials.
    private let foreignAccess: HTTPAccess
    private let foreignFiles: HTTPFiles
    private let fetches = ActiveFetches()
    private let log: Log
    /// Parses pages, one at a time: a page can keep a thread busy for seconds, and no other source may wait for it.
    private let parsing = DispatchQueue(label: "reelfs.index")

    package init(address: HTTPURL, client: HTTPClient, access: HTTPAccess, options: HTTPFileOptions = HTTPFileOptions(), log: Log) {
        self.address = address
        publicAddress = address.redacted
        self.client = client
        self.access = access
        self.options = options
        files = HTTPFiles(client: client, access: access, options: options, log: log)
        foreignAccess = access.withoutSecrets
        foreignFiles = HTTPFiles(client: client, access: foreignAccess, options: options, log: log)
        self.log = log
    }

    package func list(_ directory: EntryLocator) async throws(SourceError) -> DirectoryListing {
        let url = try url(directory)
        let page = try await PageRequest.get(url, client: client, access: access(for: url), accept: Self.accept) { head in
            head.isHTML || head.isJSON ? PageRequest.maximumPage : 0
        }
        guard directory == root else { return try await index(page, of: url) }
        switch PageKind(page, accepted: options.acceptedTypes) {
        case .index: return try await index(page, of: url)
        case .file: return DirectoryListing(entries: [try await itself(page.head)])
        case .undecided:
            // An address without a slash at its end that answers a page: an index only if it says so.
            let index = try await parsed(page, of: url)
            guard index.isCertain else { throw Self.fault(.noIndex, page, url) }
            return listing(index, at: page.head.url)
        }
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

    package func link(of entry: RemoteEntry) -> HTTPFileLink? {
        guard let url = try? url(entry.locator) else { return nil }
        return HTTPFileLink(url: url, access: access(for: url))
    }

    private func url(_ locator: EntryLocator) throws(SourceError) -> HTTPURL {
        if locator == root || locator == Self.itself { return address }
        if locator.text.hasPrefix("/") { return address.replacing(path: locator.text, query: nil) }
        guard let url = HTTPURL(locator.text) else { throw SourceError(.notFound, "\(publicAddress): no place of this source") }
        return url
    }

    private func access(for url: HTTPURL) -> HTTPAccess { url.origin == address.origin ? access : foreignAccess }

    private func files(for url: HTTPURL) -> HTTPFiles { url.origin == address.origin ? files : foreignFiles }
}

extension HTTPIndex {
    /// The address as a file: its name from the answer or the address, its size from a probe.
    private func itself(_ head: HTTPResponseHead) async throws(SourceError) -> RemoteEntry {
        let named = head.fields["content-disposition"].flatMap(FileNameHint.contentDisposition)
        let name = named ?? FileNameHint.path(address.path) ?? FileNameHint.path(head.url.path) ?? Array(address.host.utf8)
        let entry = RemoteEntry(
            name: name, kind: .file, locator: Self.itself, modified: head.fields["last-modified"].flatMap(HTTPDate.parse),
            entityTag: head.fields["etag"],
            mediaType: head.fields["content-type"], cacheKey: files.cacheKey(for: address))
        do throws(SourceError) { return try await files.probe(entry, at: address) } catch {
            if error.code == .sizeUnknown { return entry }
            throw error
        }
    }

    private func index(_ page: HTTPResponse, of url: HTTPURL) async throws(SourceError) -> DirectoryListing {
        listing(try await parsed(page, of: url), at: page.head.url)
    }

    private func parsed(_ page: HTTPResponse, of url: HTTPURL) async throws(SourceError) -> DirectoryIndex {
        let place = page.head.url
        let base = IndexBase(scheme: place.scheme, authority: place.authority, path: place.path)
        let index: DirectoryIndex
        do throws(IndexFault) {
            guard page.head.isHTML || page.head.isJSON else { throw .noIndex }
            let outcome: Result<DirectoryIndex, IndexFault> = await withCheckedContinuation { continuation in
                parsing.async { continuation.resume(returning: Self.parse(page, base)) }
            }
            index = try outcome.get()
        } catch { throw Self.fault(error, page, url) }
        // Where another page came in place of the one asked for (a home page, a login elsewhere), its links are no entries.
        guard index.isCertain || !Self.hasMoved(page.head.url, from: url) else { throw Self.fault(.noIndex, page, url) }
        guard index.isClosed || page.head.isFramed else {
            throw SourceError(.malformed, "GET \(url.redacted): the page ends before its end, so entries may be missing")
        }
        return index
    }

    private static func parse(_ page: HTTPResponse, _ base: IndexBase) -> Result<DirectoryIndex, IndexFault> {
        do throws(IndexFault) {
            return .success(try page.head.isJSON ? JSONIndexParser.parse(page.body, base: base) : HTMLIndexParser.parse(page.body, base: base))
        } catch { return .failure(error) }
    }

    /// Whether redirects led to another place than the same one with a slash, or over https.
    private static func hasMoved(_ place: HTTPURL, from url: HTTPURL) -> Bool {
        place.host != url.host || LinkPath(place.path)?.segments != LinkPath(url.path)?.segments
    }

    private static func fault(_ fault: IndexFault, _ page: HTTPResponse, _ url: HTTPURL) -> SourceError {
        let what = "GET \(url.redacted)"
        switch fault {
        case .loginPage:
            return SourceError(.loginRequired, "\(what): a page that asks for a password", advice: "give --user, a bearer token or a header file")
        case .noIndex:
            let type = page.head.mediaTypeName.isEmpty ? "an answer without type" : Redaction.line(page.head.mediaTypeName)
            return SourceError(
                .malformed, "\(what): \(type) that is no directory index",
                advice: "use the address of a directory that the server lists, of one file, or --type webdav")
        case .elsewhere:
            return SourceError(
                .malformed, "\(what): an index whose links all lead to another host or port",
                advice: "use the address that its links have")
        case .notWellFormed(let message): return SourceError(.malformed, "\(what): a damaged index: \(message)")
        case .tooManyEntries: return SourceError(.malformed, "\(what): the index is beyond all measure")
        }
    }

    private func listing(_ index: DirectoryIndex, at url: HTTPURL) -> DirectoryListing {
        let isHome = url.origin == address.origin
        let entries = index.entries.map { entry in
            let place = url.replacing(path: entry.path, query: nil)
            return RemoteEntry(
                name: entry.name, kind: entry.isDirectory ? .directory : .file, locator: EntryLocator(isHome ? entry.path : place.text),
                size: entry.size,
                modified: entry.modified, cacheKey: files(for: place).cacheKey(for: place))
        }
        return DirectoryListing(entries: entries)
    }
}

/// What the answer at a source's own address is.
private enum PageKind {
    case index, file, undecided

    init(_ page: HTTPResponse, accepted: [String]) {
        let path = page.head.url.path
        let isAttachment = page.head.fields["content-disposition"]?.lowercased().hasPrefix("attachment") == true
        if isAttachment || accepted.contains(page.head.mediaTypeName) || !(page.head.isHTML || page.head.isJSON) {
            self = .file
        } else if path.hasSuffix("/") {
            self = .index
        } else if page.head.isJSON || Self.isPageName(path) {
            self = .file
        } else {
            self = .undecided
        }
    }

    private static func isPageName(_ path: String) -> Bool {
        let name = path.lowercased()
        return name.hasSuffix(".html") || name.hasSuffix(".htm") || name.hasSuffix(".xhtml")
    }
}
