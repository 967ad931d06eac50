internal import HTTPFiles
package import SourceAPI
package import Transport
internal import URLListSource
internal import WebDAVSource

/// Finds out which kind of source an address is, when the user did not say.
package struct SourceDetector: Sendable {
    /// The words of `--type`.
    package enum Kind: String, Hashable, Sendable, CaseIterable { case webdav, http, list }

    private static let deadline: Duration = .seconds(15)
    /// What is looked at of a text before it is called a list.
    private static let sampleSize = 256 * 1024

    private let client: HTTPClient

    package init(client: HTTPClient) { self.client = client }

    /// What the address itself says, without asking anybody: the schemes of WebDAV, a path of this machine.
    package static func kind(of address: String) -> Kind? {
        if WebDAVAddress.isWebDAV(address) { return .webdav }
        return address.hasPrefix("/") ? .list : nil
    }

    /// Asks the origin: a multistatus to PROPFIND with Depth 0 is WebDAV, whatever OPTIONS may claim; else a text of links
    /// that is named as one is a list; everything else that a GET gives is left to `http`, whose listing says what is wrong.
    ///
    /// - Throws: when the origin does not answer, or wants credentials for both questions.
    package func kind(of address: HTTPURL, access: HTTPAccess) async throws(SourceError) -> Kind {
        if try await isWebDAV(address, access) { return .webdav }
        let page = try await PageRequest.get(address, client: client, access: access, accept: "text/html, */*;q=0.5") { head in
            Self.mayBeList(head) ? PageRequest.maximumPage : 0
        }
        return Self.mayBeList(page.head) && Self.isList(page.body) ? .list : .http
    }

    private func isWebDAV(_ address: HTTPURL, _ access: HTTPAccess) async throws(SourceError) -> Bool {
        let directory = address.replacing(path: address.path.hasSuffix("/") ? address.path : address.path + "/", query: nil)
        for url in directory.path == address.path ? [directory] : [directory, address.replacing(path: address.path, query: nil)] {
            let request = PropertyRequest.request(url, depth: .itself, access: access, deadline: Self.deadline)
            do throws(TransportError) {
                let response = try await client.sendRetrying(request, maximumBody: 4 << 20, within: Self.deadline)
                if PropertyRequest.isMultistatus(response) { return true }
            } catch {
                switch error.code {
                // An odd answer to an odd method is an answer; the GET decides.
                case .protocolError, .shortBody, .bodyTooLarge, .tooManyRedirects, .reset, .refused: break
                case .resolveFailed, .connectFailed, .tlsFailed, .timedOut, .unusableAccess, .cancelled, .shutDown: throw StatusMeaning.error(error)
                }
            }
        }
        return false
    }

    private static func mayBeList(_ head: HTTPResponseHead) -> Bool {
        let path = head.url.path.lowercased()
        guard path.hasSuffix(".txt") || path.hasSuffix(".list"), head.contentLength.map({ $0 <= UInt64(PageRequest.maximumPage) }) ?? true else {
            return false
        }
        return head.mediaTypeName.isEmpty || head.mediaTypeName == "text/plain" || head.mediaTypeName == "application/octet-stream"
    }

    /// Every line that says anything is a line of a list, and there is one.
    private static func isList(_ body: [UInt8]) -> Bool {
        var sample = body.prefix(sampleSize)
        if sample.count < body.count, let end = sample.lastIndex(of: 0x0A) { sample = sample[...end] }
        let list = URLListParser.parse(Array(sample))
        return !list.items.isEmpty && list.problems.isEmpty
    }
}
