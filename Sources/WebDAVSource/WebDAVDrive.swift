internal import Bytes
package import Diagnostics
package import HTTPFiles
package import SourceAPI
internal import Synchronization
package import Transport
internal import WebPaths

/// A WebDAV drive: directories by PROPFIND, files as HTTP gives them. A locator is the encoded path exactly as the server
/// wrote it, so that what is asked later is what it named; a directory's ends with `/`.
package final class WebDAVDrive: LinkedSource {
    /// The first listing's deadline; every later one has the same.
    private static let deadline: Duration = .seconds(28)
    /// A hundred thousand entries take some 70 MB in the wordiest dialects.
    private static let maximumBody = 256 << 20

    package let kind = "webdav"
    package let publicAddress: String
    package let root: EntryLocator
    private let address: HTTPURL
    /// Whether the user's address may be a file's: without a slash at its end, it is asked both ways.
    private let mayBeFile: Bool
    private let access: HTTPAccess
    private let files: HTTPFiles
    private let fetches = ActiveFetches()
    private let log: Log
    /// Whether a proxy on the way encodes paths once too often; `nil` until a listing raised the question.
    private let isEncodedTwice = Mutex<Bool?>(nil)

    package init(address: HTTPURL, client: HTTPClient, access: HTTPAccess, options: HTTPFileOptions = HTTPFileOptions(), log: Log) {
        let path = LinkPath(address.path)
        mayBeFile = path?.endsWithSlash == false
        root = EntryLocator(path?.asDirectory ?? "/")
        self.address = address.replacing(path: path?.asDirectory ?? "/", query: nil)
        publicAddress = Redaction.url(self.address.text)
        self.access = access
        files = HTTPFiles(client: client, access: access, options: options, log: log)
        self.log = log
    }

    package func list(_ directory: EntryLocator) async throws(SourceError) -> DirectoryListing {
        guard let path = LinkPath(directory.text) else { throw SourceError(.notFound, "\(publicAddress): no path of this drive") }
        guard directory == root, mayBeFile else { return try listing(try await members(of: path, at: path.asDirectory), isRoot: directory == root) }
        let asDirectory: CollectionListing
        do throws(SourceError) { asDirectory = try await members(of: path, at: path.asDirectory) } catch {
            guard Self.mayAnswerForFile(error.code) else { throw error }
            do throws(SourceError) { return try listing(try await members(of: path, at: path.asFile), isRoot: true) } catch {}
            throw error
        }
        return try listing(asDirectory, isRoot: true)
    }

    package func probe(_ entry: RemoteEntry) async throws(SourceError) -> RemoteEntry { try await files.probe(entry, at: url(entry.locator)) }

    package func fetch(_ request: FetchRequest, into sink: any FetchSink) -> any FetchTask {
        fetches.start(sink) { files.fetch(request, at: url(request.entry.locator), into: $0) }
    }

    package func shutdown() { fetches.shutdown() }

    package func link(of entry: RemoteEntry) -> HTTPFileLink? { HTTPFileLink(url: url(entry.locator), access: access) }

    private func url(_ locator: EntryLocator) -> HTTPURL { address.replacing(path: locator.text, query: nil) }

    private var authority: String { address.authority }

    /// Servers say different things of `file/`.
    private static func mayAnswerForFile(_ code: SourceError.Code) -> Bool {
        switch code {
        case .notFound, .denied, .malformed, .unsupported, .refused: true
        default: false
        }
    }
}

extension WebDAVDrive {
    /// Asks for a path and its members, in the spelling `asked` of it.
    private func members(of path: LinkPath, at asked: String) async throws(SourceError) -> CollectionListing {
        let request = PropertyRequest.request(address.replacing(path: asked, query: nil), depth: .members, access: access, deadline: Self.deadline)
        let response: HTTPResponse
        do throws(SourceError) { response = try await files.send(request, maximumBody: Self.maximumBody) } catch { throw Self.advised(error) }
        let responses = try multistatus(response, request)
        let listing = try collection(responses, path, response.head.url, request)
        guard listing.mayBeEncodedTwice, try await encodesTwice(listing) else { return listing }
        return (try? CollectionListing(responses, requestPath: path, authority: authority, isEncodedTwice: true)) ?? listing
    }

    private func collection(
        _ responses: [MultistatusResponse], _ path: LinkPath, _ url: HTTPURL, _ request: HTTPRequest
    ) throws(SourceError) -> CollectionListing {
        do throws(CollectionListing.Fault) { return try CollectionListing(responses, requestPath: path, authority: authority) } catch {
            // After a redirect the server speaks of the place that it led to.
            if let place = LinkPath(url.path), place.segments != path.segments,
                let listing = try? CollectionListing(responses, requestPath: place, authority: url.authority)
            {
                return listing
            }
            switch error {
            case .empty: throw SourceError(.malformed, "\(request.summary): a listing without any entry, not even the directory itself")
            case .elsewhere(let href):
                throw SourceError(
                    .malformed, "\(request.summary): the server answers for another path, \(Redaction.line(Redaction.url(href)))",
                    advice: "give the source the address with that path")
            }
        }
    }

    /// Asks for a member by the path that the listing gives, then by that path decoded once; what the server answers is
    /// remembered.
    private func encodesTwice(_ listing: CollectionListing) async throws(SourceError) -> Bool {
        if let known = isEncodedTwice.withLock({ $0 }) { return known }
        guard let member = listing.members.first(where: { $0.path.encoded.utf8.contains(0x25) }) else { return false }
        let given = member.path.encoded
        let decoded = LinkPath(LinkPath.decoded(Array(given.utf8)))?.encoded ?? given
        var found = false
        if try await !exists(given) { found = try await exists(decoded) }
        isEncodedTwice.withLock { $0 = found }
        return found
    }

    private func exists(_ path: String) async throws(SourceError) -> Bool {
        let request = PropertyRequest.request(address.replacing(path: path, query: nil), depth: .itself, access: access, deadline: Self.deadline)
        do throws(SourceError) { return try await files.send(request, maximumBody: 1 << 20).head.status == 207 } catch {
            if error.isTransient || error.code == .cancelled { throw error }
            return false
        }
    }

    private func multistatus(_ response: HTTPResponse, _ request: HTTPRequest) throws(SourceError) -> [MultistatusResponse] {
        let type = response.head.fields["content-type"]?.lowercased() ?? ""
        guard response.head.status == 207 else {
            throw SourceError(
                .unsupported, "\(request.summary): status \(response.head.status)\(type.isEmpty ? "" : " with \(type)") instead of a WebDAV listing",
                advice: Self.otherTypeAdvice)
        }
        do throws(MultistatusFault) { return try MultistatusParser.parse(response.body) } catch {
            switch error {
            case .notWellFormed(let line):
                throw SourceError(.malformed, "\(request.summary): the listing is damaged or cut off (line \(line), \(response.body.count) bytes)")
            case .notMultistatus(let element):
                throw SourceError(
                    .unsupported, "\(request.summary): <\(Redaction.line(element))> instead of a WebDAV listing", advice: Self.otherTypeAdvice)
            case .documentType:
                throw SourceError(.malformed, "\(request.summary): a document type declaration, which no WebDAV listing has, was refused")
            case .tooDeep, .tooLong, .tooManyResponses: throw SourceError(.malformed, "\(request.summary): the listing is beyond all measure")
            }
        }
    }

    private static let otherTypeAdvice =
        "if the address shows a directory in a browser, add it with --type http; else check the path of the WebDAV share"

    private static func advised(_ error: SourceError) -> SourceError {
        var advised = error
        switch error.code {
        case .unsupported: advised.advice = error.advice ?? otherTypeAdvice
        case .loginRequired: advised.advice = error.advice ?? "give --user and a password; many drives want an app password"
        case .denied: advised.advice = error.advice ?? "check that WebDAV is allowed for this user and path"
        default: break
        }
        return advised
    }

    private func listing(_ found: CollectionListing, isRoot: Bool) throws(SourceError) -> DirectoryListing {
        if let itself = found.itself {
            if itself.hasFailed, let status = itself.status { throw statusError(status) }
            // Nothing told, not even its type, and no member: refused rather than empty. 404 is but a property that it lacks.
            if found.members.isEmpty, let refusal = itself.refusal, refusal != 404 { throw statusError(refusal) }
            if found.members.isEmpty, Self.isFile(itself) {
                guard isRoot, let path = LinkPath(address.path), let name = path.segments.last else {
                    throw SourceError(.notFound, "\(publicAddress): what was a directory is a file now")
                }
                return DirectoryListing(entries: [entry(name: name, isDirectory: false, locator: path.asFile, itself.properties)])
            }
        }
        let entries = found.members.map { member in
            let isDirectory = member.response.isDirectory
            return entry(
                name: member.name, isDirectory: isDirectory, locator: isDirectory ? member.path.asDirectory : member.path.asFile,
                member.response.properties)
        }
        return DirectoryListing(entries: entries, quota: found.itself.flatMap { Self.quota($0.properties) })
    }

    /// The server says clearly that it is no collection.
    private static func isFile(_ response: MultistatusResponse) -> Bool {
        !response.isDirectory && (response.properties.isCollection == false || response.properties.contentLength != nil)
    }

    /// The status that a server gives for the directory itself, inside a multistatus.
    private func statusError(_ status: Int) -> SourceError {
        let code: SourceError.Code =
            switch status {
            case 401: .loginRequired
            case 403: .denied
            case 404, 410: .notFound
            // RFC 5323 §2.2, RFC 6578 §3.6: the listing was cut off.
            case 507: .malformed
            case 423, 425, 429, 500...599: .unreachable
            default: .malformed
            }
        return SourceError(code, "PROPFIND \(publicAddress): status \(status) for the directory itself")
    }

    private func entry(name: [UInt8], isDirectory: Bool, locator: String, _ properties: MultistatusResponse.Properties) -> RemoteEntry {
        let modified = properties.lastModified.flatMap(HTTPDate.parse)
        // Some servers write 0 for a length they do not know: the probe tells an empty file from one of these.
        let size = properties.contentLength == 0 ? nil : properties.contentLength
        return RemoteEntry(
            name: name, kind: isDirectory ? .directory : .file, locator: EntryLocator(locator), size: isDirectory ? nil : size,
            modified: modified.flatMap { $0.seconds > 0 ? $0 : nil }, entityTag: properties.entityTag,
            mediaType: isDirectory ? nil : properties.contentType,
            cacheKey: files.cacheKey(for: address.replacing(path: locator, query: nil)))
    }

    private static func quota(_ properties: MultistatusResponse.Properties) -> DirectoryListing.Quota? {
        guard properties.quotaUsed != nil || properties.quotaAvailable != nil else { return nil }
        return DirectoryListing.Quota(used: properties.quotaUsed, available: properties.quotaAvailable)
    }
}
