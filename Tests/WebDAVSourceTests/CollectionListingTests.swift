import Bytes
import Testing
import WebPaths

@testable import WebDAVSource

@Suite struct CollectionListingTests {
    private func listing(_ text: String, at path: String = "/dav/") throws -> CollectionListing {
        let base = try #require(LinkPath(path))
        return try CollectionListing(try MultistatusParser.parse(Array(text.utf8)), requestPath: base)
    }

    private func listing(hrefs: [String], at path: String) throws -> CollectionListing {
        try listing(
            "<m:multistatus xmlns:m=\"DAV:\">" + hrefs.map { "<m:response><m:href>\($0)</m:href></m:response>" }.joined() + "</m:multistatus>",
            at: path)
    }

    private func names(_ listing: CollectionListing) -> [String] { listing.members.map { String(decoding: $0.name, as: UTF8.self) } }

    @Test("the directory itself is told from its members")
    func separates() throws {
        for text in [Multistatuses.apache, Multistatuses.nextcloud] { #expect(try listing(text).itself?.isDirectory == true) }
        #expect(names(try listing(Multistatuses.apache)) == ["a b#.mkv", "sub"])
        #expect(names(try listing(Multistatuses.nextcloud)) == ["电影.mkv"])
    }

    @Test("scheme, host and port in hrefs do not matter")
    func ignoresHosts() throws {
        let found = try listing(Multistatuses.iis)
        #expect(names(found) == ["Dir", "File.txt"])
        #expect(found.members.map(\.path.encoded) == ["/dav/Dir", "/dav/File.txt"])
    }

    @Test("loosely written hrefs are taken, hrefs elsewhere and upwards are not")
    func takesLooseHrefs() throws {
        let found = try listing(Multistatuses.loose)
        #expect(names(found).dropLast(2) == ["plain name é #1?.txt", "100%.txt", "relative++.txt"])
        #expect(
            found.members.map(\.path.encoded) == [
                "/dav/plain%20name%20%C3%A9%20%231%3F.txt", "/dav//100%25.txt", "/dav/relative%2B+.txt", "/dav/%FF%FEraw", "/dav/folder/",
            ])
        #expect(found.members[3].name == [0xFF, 0xFE] + Array("raw".utf8))
        #expect(found.members.map(\.response.isDirectory) == [false, false, false, false, true])
        #expect(found.itself != nil)
    }

    @Test("escapes in the requested path are compared decoded")
    func comparesDecoded() throws {
        let found = try listing(hrefs: ["/dav/my dir", "/dav/my%20dir/a", "/dav/%6dy%20dir/b%2fc"], at: "/dav/my%20dir/")
        #expect(names(found) == ["a", "b/c"])
        #expect(found.itself != nil)
    }

    @Test("what was encoded twice on the way is decoded twice where the requested path proves it")
    func decodesTwice() throws {
        let found = try listing(hrefs: ["/dav/my%2520dir/", "/dav/my%2520dir/a%2520b%2523"], at: "/dav/my%20dir/")
        #expect(names(found) == ["a b#"])
        #expect(found.members[0].path.encoded == "/dav/my%20dir/a%20b%23")
        #expect(names(try listing(hrefs: ["/dav/", "/dav/a%2520b"], at: "/dav/")) == ["a%20b"])
    }

    @Test("an answer about another path is an error, and so is one about nothing")
    func refusesElsewhere() throws {
        #expect(throws: CollectionListing.Fault.elsewhere("/other/")) { try listing(hrefs: ["/other/", "/other/a"], at: "/dav/") }
        #expect(throws: CollectionListing.Fault.empty) { try listing(hrefs: [], at: "/dav/") }
        #expect(throws: CollectionListing.Fault.self) { try listing(hrefs: ["", "/dav/.."], at: "/dav/") }
    }

    @Test("the root of a host has members too")
    func listsRoot() throws {
        let found = try listing(hrefs: ["/", "/a", "http://h/b/", "http://h"], at: "/")
        #expect(names(found) == ["a", "b"])
        #expect(found.itself != nil)
    }

    @Test("a path behind two slashes and the asked host is this host's, at the root, too")
    func networkPaths() throws {
        let hrefs = ["//h:8080/", "//h:8080/a", "//h:8080/b/"]
        let text = "<D:multistatus xmlns:D=\"DAV:\">" + hrefs.map { "<D:response><D:href>\($0)</D:href></D:response>" }.joined() + "</D:multistatus>"
        let responses = try MultistatusParser.parse(Array(text.utf8))
        let found = try CollectionListing(responses, requestPath: try #require(LinkPath("/")), authority: "h:8080")
        #expect(names(found) == ["a", "b"] && found.itself != nil)
    }

    @Test("names of any bytes come back, however a server encodes them", arguments: 0..<4)
    func roundTripsNames(style: Int) throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var name = (0..<Int.random(in: 1...30, using: &random)).map { _ in
                let byte = UInt8.random(in: 1...255, using: &random)
                return byte == 0x2F ? UInt8(0x25) : byte
            }
            if name == [0x2E] || name == [0x2E, 0x2E] { name.append(0x61) }
            let encoded = encode(name, style: style)
            let found = try listing(hrefs: ["/dav/", "/dav/\(encoded)"], at: "/dav/")
            let expected = style == 3 ? Array(String(decoding: name, as: UTF8.self).utf8) : name
            guard style != 3 || LinkReference.trimmed(expected) == expected else { continue }
            #expect(found.members.map(\.name) == [expected], "style \(style): \(name)")
            let locator = try #require(found.members.first?.path.encoded)
            #expect(LinkPath(locator)?.segments.last == expected, "style \(style): \(name)")
        }
    }

    /// 0: everything escaped; 1: as nginx; 2: lower-case hex, reserved left alone; 3: only what XML cannot hold, and `%`.
    private func encode(_ name: [UInt8], style: Int) -> String {
        switch style {
        case 0: return PercentCoding.encodeSegment(name)
        case 1, 2:
            let kept = style == 1 ? Array("-_.~!$()*+,;=:@[]".utf8) : Array("-_.~!$()*+,;=:@".utf8)
            return name.map { byte in
                let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || kept.contains(byte)
                if isPlain { return String(Unicode.Scalar(byte)) }
                let hex = (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: style == 1)
                return "%" + hex
            }.joined()
        default:
            return String(decoding: name, as: UTF8.self).unicodeScalars.map { scalar in
                switch scalar {
                case "<": "&lt;"
                case "&": "&amp;"
                case ">": "&gt;"
                case "%": "%25"
                default:
                    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value >= 0xFFFE && scalar.value <= 0xFFFF
                        ? PercentCoding.encodeSegment(String(scalar).utf8) : String(scalar)
                }
            }.joined()
        }
    }
}
