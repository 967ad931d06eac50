internal import Bytes
internal import Glibc
package import SourceAPI
package import Transport

extension HTTPResponseHead {
    /// Lower-case, without parameters; empty when the origin tells none.
    package var mediaTypeName: String {
        let field = fields["content-type"] ?? ""
        return (field.split(separator: ";").first.map(String.init) ?? "").trimmed.lowercased()
    }

    var isSuccess: Bool { (200...299).contains(status) }

    package var isHTML: Bool { mediaTypeName == "text/html" || mediaTypeName == "application/xhtml+xml" }
    package var isJSON: Bool { mediaTypeName == "application/json" }

    /// Whether the transport knows where the body ends, so that a body cut short is an error and not a short page.
    package var isFramed: Bool { contentLength != nil || fields["transfer-encoding"]?.lowercased().contains("chunked") == true }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()) }
}

/// A GET of an address that may be a page or a file of any size.
package enum PageRequest {
    /// An index of a hundred thousand entries has some 20 MB.
    package static let maximumPage = 64 << 20

    /// Tries again after transient faults, within 30 s altogether.
    ///
    /// - Parameter limit: bytes of the body that are wanted after that head; 0 ends the transfer there.
    /// - Returns: a response with a status of success (2xx); its body is empty if it was not wanted.
    /// - Throws: also `.malformed` when a body is longer than its limit.
    package static func get(
        _ url: HTTPURL, client: HTTPClient, access: HTTPAccess, accept: String, limit: @escaping @Sendable (HTTPResponseHead) -> Int
    ) async throws(SourceError) -> HTTPResponse {
        let request = HTTPRequest(url: url, fields: [HTTPField("Accept", accept)], access: access)
        let response: HTTPResponse
        do throws(TransportError) {
            response = try await client.sendRetrying(request, within: HTTPFiles.retryingTime) { $0.isSuccess ? limit($0) : 0 }
        } catch {
            throw StatusMeaning.error(error)
        }
        guard response.head.isSuccess else {
            throw StatusMeaning.error(response.head, summary: request.summary, now: UnixTime(seconds: Int64(time(nil))))
        }
        return response
    }
}
