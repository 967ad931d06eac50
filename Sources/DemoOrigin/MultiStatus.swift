internal import Bytes

/// The answer to PROPFIND (RFC 4918 §9.1, §14.16): the properties this server has, whichever were asked for.
struct MultiStatus {
    private var text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:multistatus xmlns:D=\"DAV:\">\n"

    /// - Parameter href: Percent-encoded; directories end with a slash (RFC 4918 §5.2).
    mutating func add(href: String, name: [UInt8], node: ServedNode) {
        text += "<D:response><D:href>\(href)</D:href><D:propstat><D:prop>"
        text += "<D:displayname>\(Markup.text(name))</D:displayname>"
        text += "<D:getlastmodified>\(node.lastModified)</D:getlastmodified>"
        if node.isDirectory {
            text += "<D:resourcetype><D:collection/></D:resourcetype>"
        } else {
            text += "<D:resourcetype/><D:getcontentlength>\(node.size)</D:getcontentlength>"
            text += "<D:getetag>\(Markup.text(Array(node.entityTag.utf8)))</D:getetag>"
            text += "<D:getcontenttype>\(MediaType.of(name))</D:getcontenttype>"
        }
        text += "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>\n"
    }

    var document: String { text + "</D:multistatus>\n" }
}
