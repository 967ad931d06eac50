/// Answers to PROPFIND as servers write them, shortened.
enum Multistatuses {
    /// Apache mod_dav: several prefixes for one namespace, a second propstat for what it does not have.
    static let apache = """
        <?xml version="1.0" encoding="utf-8"?>
        <D:multistatus xmlns:D="DAV:" xmlns:ns0="DAV:">
        <D:response xmlns:lp1="DAV:" xmlns:lp2="http://apache.org/dav/props/" xmlns:g0="DAV:">
        <D:href>/dav/</D:href>
        <D:propstat><D:prop><lp1:resourcetype><D:collection/></lp1:resourcetype>
        <lp1:getlastmodified>Thu, 29 Feb 2024 12:34:56 GMT</lp1:getlastmodified><lp1:getetag>"60-1"</lp1:getetag>
        <D:getcontenttype>httpd/unix-directory</D:getcontenttype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>
        <D:propstat><D:prop><g0:iscollection/><g0:getcontentlength/></D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>
        </D:response>
        <D:response xmlns:lp1="DAV:" xmlns:lp2="http://apache.org/dav/props/">
        <D:href>/dav/a%20b%23.mkv</D:href>
        <D:propstat><D:prop><lp1:resourcetype/><lp1:getcontentlength>1234</lp1:getcontentlength>
        <lp1:getlastmodified>Thu, 29 Feb 2024 12:34:56 GMT</lp1:getlastmodified><lp1:getetag>"4d2-2"</lp1:getetag>
        <D:getcontenttype>video/x-matroska</D:getcontenttype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>
        </D:response>
        <D:response xmlns:lp1="DAV:"><D:href>/dav/sub/</D:href>
        <D:propstat><D:prop><lp1:resourcetype><D:collection/></lp1:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>\
        </D:response>
        </D:multistatus>
        """

    /// Nextcloud: lower-case prefix, quotas, the failed propstat first.
    static let nextcloud = """
        <?xml version="1.0"?>
        <d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns">\
        <d:response><d:href>/dav/</d:href><d:propstat><d:prop><d:getcontentlength/></d:prop>\
        <d:status>HTTP/1.1 404 Not Found</d:status></d:propstat><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype>\
        <d:quota-used-bytes>4096</d:quota-used-bytes><d:quota-available-bytes>-3</d:quota-available-bytes></d:prop>\
        <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>\
        <d:response><d:href>/dav/%e7%94%b5%e5%bd%b1.mkv</d:href><d:propstat><d:status>HTTP/1.1 425 Too Early</d:status><d:prop><oc:x/>\
        </d:prop></d:propstat>\
        <d:propstat><d:prop><d:getcontentlength>99</d:getcontentlength><d:resourcetype/><d:getetag>&quot;abc&quot;</d:getetag></d:prop>\
        <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
        """

    /// IIS: default namespace, absolute hrefs, `iscollection`, no status lines at all.
    static let iis = """
        <?xml version="1.0" encoding="utf-8"?><multistatus xmlns="DAV:" xmlns:b="urn:uuid:c2f41010-65b3-11d1-a29f-00aa00c14882/">\
        <response><href>http://internal:8080/dav</href><propstat><prop><iscollection b:dt="boolean">1</iscollection></prop></propstat></response>\
        <response><href>http://internal:8080/dav/Dir</href><propstat><prop><iscollection>T</iscollection>\
        <getcontentlength>0</getcontentlength></prop></propstat></response>\
        <response><href>http://internal:8080/dav/File.txt</href><propstat><prop><iscollection>false</iscollection>\
        <getcontentlength>5</getcontentlength><getlastmodified></getlastmodified></prop></propstat></response></multistatus>
        """

    /// Spaces and UTF-8 as they are, double slashes, deeper and foreign entries, a dead member.
    static let loose = """
        <D:multistatus xmlns:D="DAV:"><D:response><D:href>//dav</D:href></D:response>
        <D:response><D:href> /dav/plain name é #1?.txt\u{20}
        </D:href></D:response>
        <D:response><D:href>//dav//100%.txt</D:href></D:response>
        <D:response><D:href>relative%2B+.txt</D:href></D:response>
        <D:response><D:href>/dav/sub/deeper.txt</D:href></D:response>
        <D:response><D:href>/other/x.txt</D:href></D:response>
        <D:response><D:href>/dav/../etc/passwd</D:href></D:response>
        <D:response><D:href>/dav/%2e%2E</D:href></D:response>
        <D:response><D:href>/dav/gone.txt</D:href><D:status>HTTP/1.1 404 Not Found</D:status></D:response>
        <D:response><D:href>/dav/%FF%FEraw</D:href></D:response>
        <D:response><D:href>/dav/%FF%FEraw</D:href></D:response>
        <D:response><D:href>/dav/folder/</D:href></D:response>
        <D:response><D:href></D:href></D:response></D:multistatus>
        """

    static func file(_ properties: String) -> String {
        """
        <D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/</D:href></D:response><D:response><D:href>/dav/f</D:href><D:propstat><D:prop>\
        <D:resourcetype/>\(properties)</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>
        """
    }
}
