import Testing

@testable import URLListSource

@Suite struct URLListParserTests {
    private func parse(_ text: String) -> ParsedURLList { URLListParser.parse(Array(text.utf8)) }

    private func paths(_ list: ParsedURLList) -> [String] {
        list.items.map { $0.path.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/") }
    }

    @Test("a line is a link, with a name and a size where given")
    func readsLines() {
        let list = parse(
            """
            \u{FEFF}# films

            https://h/a%20b.mkv\r
              http://h/x?token=1|电影/第一集.mkv|123\t
            https://h/y || 5
            https://h/dir/z/|
            https://h
            HTTPS://h/upper.txt|#1.txt
            """)
        #expect(list.problems == [])
        #expect(paths(list) == ["a b.mkv", "电影/第一集.mkv", "y", "z", "h", "#1.txt"])
        #expect(list.items.map(\.size) == [nil, 123, 5, nil, nil, nil])
        #expect(list.items.map(\.line) == [3, 4, 5, 6, 7, 8])
        #expect(list.items[1].url == "http://h/x?token=1")
    }

    @Test(
        "a bad line is reported with its number, the good ones are kept",
        arguments: [
            "ftp://h/a", "file:///etc/passwd", "/a", "a", "http://", "http:/a", "https://h/a|..", "https://h/a|x/../y", "https://h/a|x//y",
            "https://h/a|/x", "https://h/a|x/",
            "https://h/a|.|1", "https://h/a|n|-1", "https://h/a|n|1k", "https://h/a|n|99999999999999999999", "https://h/a|n|1|2", "https://u:p@h/a",
            "https://h/a b", "|name",
            "https://h/a|na\u{01}me", "https://h/a|" + String(repeating: "d/", count: 64) + "f", "https://h/a|" + String(repeating: "n", count: 4097),
        ])
    func reportsBadLines(line: String) {
        let list = parse("https://h/good\n\(line)\nhttps://h/good2")
        #expect(paths(list) == ["good", "good2"])
        #expect(list.problems.map(\.line) == [2])
    }

    @Test("a link without a path is named after its host, and never . or ..", arguments: ["http://.", "https://..", "http://../", "http://.?x"])
    func hostsThatAreDots(line: String) {
        let list = URLListParser.parse(Array("\(line)\nhttps://host\n".utf8))
        #expect(list.items.map(\.path) == [[Array("host".utf8)]])
        #expect(list.problems.map(\.message) == ["the link has no file name; write URL|name"])
    }

    @Test("names need not be UTF-8, links must")
    func takesBytes() {
        let list = URLListParser.parse(Array("https://h/a|".utf8) + [0xFF, 0xFE, 0x0A] + Array("https://h/".utf8) + [0xFF])
        #expect(list.items.map(\.path) == [[[0xFF, 0xFE]]])
        #expect(list.problems.map(\.line) == [2])
    }

    @Test("any kind of line end ends a line")
    func endsLines() { #expect(paths(parse("https://h/a\rhttps://h/b\r\nhttps://h/c\n\nhttps://h/d")) == ["a", "b", "c", "d"]) }

    @Test("random bytes never crash, and an over-long line is reported")
    func survives() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let alphabet: [UInt8] = [0x7C, 0x2F, 0x0A, 0x3A, 0x68, 0x23, 0x25, 0xFF]
            let bytes: [UInt8] = (0..<Int.random(in: 0...200, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            _ = URLListParser.parse(Array("https://h/".utf8) + bytes)
        }
        #expect(parse("https://h/" + String(repeating: "a", count: 100_000)).problems.count == 1)
    }
}
