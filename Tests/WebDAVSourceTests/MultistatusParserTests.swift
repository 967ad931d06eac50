import Testing

@testable import WebDAVSource

@Suite struct MultistatusParserTests {
    private func parse(_ text: String) throws -> [MultistatusResponse] { try MultistatusParser.parse(Array(text.utf8)) }

    private func fault(_ text: String) -> MultistatusFault? {
        do throws(MultistatusFault) {
            _ = try MultistatusParser.parse(Array(text.utf8))
            return nil
        } catch { return error }
    }

    @Test("properties of a successful propstat count, whatever their prefixes and places")
    func readsApache() throws {
        let responses = try parse(Multistatuses.apache)
        #expect(responses.map { String(decoding: $0.href, as: UTF8.self) } == ["/dav/", "/dav/a%20b%23.mkv", "/dav/sub/"])
        #expect(responses.map(\.isDirectory) == [true, false, true])
        #expect(responses[0].properties.contentLength == nil)
        #expect(responses[1].properties.contentLength == 1234)
        #expect(responses[1].properties.lastModified == "Thu, 29 Feb 2024 12:34:56 GMT")
        #expect(responses[1].properties.entityTag == "\"4d2-2\"")
        #expect(responses[1].properties.contentType == "video/x-matroska")
    }

    @Test("propstats stand in any order, and failed ones say nothing")
    func readsNextcloud() throws {
        let responses = try parse(Multistatuses.nextcloud)
        #expect(responses[0].isDirectory)
        #expect(responses[0].properties.quotaUsed == 4096)
        #expect(responses[0].properties.quotaAvailable == nil)
        #expect(responses[1].properties.contentLength == 99)
        #expect(responses[1].properties.entityTag == "\"abc\"")
        #expect(!responses[1].isDirectory)
    }

    @Test("a missing status is success, and iscollection stands in for the resource type")
    func readsIIS() throws {
        let responses = try parse(Multistatuses.iis)
        #expect(responses.map(\.isDirectory) == [true, true, false])
        #expect(responses[2].properties.contentLength == 5)
        #expect(responses[2].properties.lastModified == nil)
    }

    @Test(
        "a length that is none is not told",
        arguments: ["", " ", "-1", "+5", "1e3", "12abc", "0x10", "9223372036854775808", "99999999999999999999", "1 2", "٣"])
    func refusesLengths(text: String) throws {
        #expect(try parse(Multistatuses.file("<D:getcontentlength>\(text)</D:getcontentlength>"))[1].properties.contentLength == nil)
    }

    @Test("a length may have blanks around it and be as large as a file can be")
    func readsLengths() throws {
        #expect(
            try parse(Multistatuses.file("<D:getcontentlength>\n 9223372036854775807 </D:getcontentlength>"))[1].properties.contentLength
                == UInt64(Int64.max))
    }

    @Test("the same element names in other namespaces or at other places mean nothing")
    func looksAtNamespaces() throws {
        let text = Multistatuses.file(
            "<x:getcontentlength xmlns:x=\"other:\">7</x:getcontentlength><D:other><D:getcontentlength>8</D:getcontentlength></D:other>")
        #expect(try parse(text)[1].properties.contentLength == nil)
        #expect(fault("<multistatus><response/></multistatus>") == .notMultistatus(element: "multistatus"))
        #expect(fault("<D:multistatus xmlns:D=\"dav\"/>") == .notMultistatus(element: "multistatus"))
        #expect(fault("<html><body>login</body></html>") == .notMultistatus(element: "html"))
    }

    @Test("text comes whole through entities, character references and CDATA")
    func readsText() throws {
        let responses = try parse("<multistatus xmlns='DAV:'><response><href>/a&amp;b&#x20;&#31532;<![CDATA[<c>]]></href></response></multistatus>")
        #expect(String(decoding: responses[0].href, as: UTF8.self) == "/a&b 第<c>")
    }

    @Test("other encodings are decoded")
    func readsOtherEncodings() throws {
        let latin =
            Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><multistatus xmlns=\"DAV:\"><response><href>/".utf8) + [0xE9]
            + Array("</href></response></multistatus>".utf8)
        #expect(try MultistatusParser.parse(latin)[0].href == Array("/é".utf8))
        let wide = "<multistatus xmlns=\"DAV:\"><response><href>/é</href></response></multistatus>".utf16.flatMap {
            [UInt8($0 & 255), UInt8($0 >> 8)]
        }
        #expect(try MultistatusParser.parse([0xFF, 0xFE] + wide)[0].href == Array("/é".utf8))
    }

    @Test("every truncation is an error", arguments: [Multistatuses.apache, Multistatuses.nextcloud, Multistatuses.iis, Multistatuses.loose])
    func refusesTruncation(text: String) throws {
        let bytes = Array(text.utf8)
        let whole = try MultistatusParser.parse(bytes)
        let end = try #require(bytes.lastIndex(of: UInt8(ascii: ">"))) + 1
        for count in 0..<bytes.count {
            do throws(MultistatusFault) {
                let partial = try MultistatusParser.parse(Array(bytes[..<count]))
                #expect(count >= end && partial == whole, "cut at \(count) of \(bytes.count)")
            } catch { #expect(count < end, "cut at \(count)") }
        }
    }

    @Test("fed byte by byte it answers the same", arguments: [Multistatuses.apache, Multistatuses.nextcloud, Multistatuses.iis, Multistatuses.loose])
    func feedsByByte(text: String) throws {
        let parser = MultistatusParser()
        for byte in text.utf8 { try withUnsafeBytes(of: byte) { bytes in try parser.feed(bytes) } }
        #expect(try parser.finish() == parse(text))
    }

    @Test("a document type is refused, with it every entity bomb")
    func refusesEntities() {
        var bomb = "<?xml version=\"1.0\"?><!DOCTYPE m [<!ENTITY a0 \"aaaaaaaaaa\">"
        for level in 1..<20 { bomb += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">" }
        bomb += "]><multistatus xmlns=\"DAV:\"><response><href>/&a19;</href></response></multistatus>"
        #expect(fault(bomb) == .documentType)
        #expect(fault("<!DOCTYPE m SYSTEM \"file:///etc/passwd\"><multistatus xmlns=\"DAV:\"/>") == .documentType)
        #expect(
            fault(
                "<!DOCTYPE m [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
                    + "<multistatus xmlns='DAV:'><response><href>&x;</href></response></multistatus>"
            ) == .documentType)
        #expect(fault("<multistatus xmlns='DAV:'><response><href>&undefined;</href></response></multistatus>") != nil)
    }

    @Test("nesting, text and damage without measure are errors")
    func refusesExcess() {
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(fault("<multistatus xmlns=\"DAV:\">\(deep)") == .tooDeep)
        let long = String(repeating: "x", count: 100_000)
        #expect(fault("<multistatus xmlns=\"DAV:\"><response><href>\(long)</href></response></multistatus>") == .tooLong)
        #expect(fault("") != nil)
        #expect(fault("not xml") != nil)
        #expect(fault("<multistatus xmlns=\"DAV:\"><response></multistatus>") != nil)
        #expect(fault("<multistatus xmlns=\"DAV:\"/><multistatus xmlns=\"DAV:\"/>") != nil)
        #expect(fault("<multistatus xmlns=\"DAV:\"><response><href>/\u{0}</href></response></multistatus>") != nil)
    }

    @Test("bytes that are no UTF-8 are an error, not another name")
    func refusesBadUTF8() {
        let bytes = Array("<multistatus xmlns=\"DAV:\"><response><href>/".utf8) + [0xFF, 0xFE] + Array("</href></response></multistatus>".utf8)
        #expect(throws: MultistatusFault.self) { try MultistatusParser.parse(bytes) }
    }

    @Test("random damage never crashes")
    func survivesDamage() {
        var random = SystemRandomNumberGenerator()
        let original = Array(Multistatuses.apache.utf8)
        for _ in 0..<500 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? MultistatusParser.parse(bytes)
        }
    }

    @Test("a hundred thousand entries are read")
    func readsMany() throws {
        var text = "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/</D:href></D:response>"
        for index in 0..<100_000 {
            text +=
                "<D:response><D:href>/dav/file%20\(index).mkv</D:href><D:propstat><D:prop><D:resourcetype/>"
            text += "<D:getcontentlength>\(index)</D:getcontentlength>"
            text += "<D:getlastmodified>Thu, 29 Feb 2024 12:34:56 GMT</D:getlastmodified><D:getetag>\"\(index)\"</D:getetag></D:prop>"
            text += "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
        }
        text += "</D:multistatus>"
        let responses = try parse(text)
        #expect(responses.count == 100_001)
        #expect(responses.last?.properties.contentLength == 99_999)
    }
}
