package import Transport

/// PROPFIND (RFC 4918 §9.1) as this product asks it: explicit properties, never Depth infinity.
package enum PropertyRequest {
    package enum Depth: String, Sendable { case itself = "0", members = "1" }

    /// No `displayname`: it names nothing reliably, and some servers put bytes into it that are no XML.
    private static let body = """
        <?xml version="1.0" encoding="utf-8"?>
        <D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/><D:iscollection/><D:getcontentlength/><D:getlastmodified/><D:getetag/>\
        <D:getcontenttype/><D:quota-available-bytes/><D:quota-used-bytes/></D:prop></D:propfind>
        """

    package static func request(_ url: HTTPURL, depth: Depth, access: HTTPAccess, deadline: Duration) -> HTTPRequest {
        HTTPRequest(
            method: "PROPFIND", url: url,
            fields: [
                HTTPField("Depth", depth.rawValue), HTTPField("Content-Type", "application/xml; charset=utf-8"),
                HTTPField("Accept", "application/xml, text/xml"),
            ],
            body: Array(body.utf8), access: access, deadlines: HTTPDeadlines(total: deadline))
    }

    /// Whether a response to such a request proves a WebDAV server: 207 with a multistatus of at least one response.
    package static func isMultistatus(_ response: HTTPResponse) -> Bool {
        guard response.head.status == 207, let responses = try? MultistatusParser.parse(response.body) else { return false }
        return !responses.isEmpty
    }
}
