import Codecs
import Testing

@Suite struct TextTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(
        "SubRip text loses its styling",
        arguments: [
            ("<i>Hello</i>\r\nyou", "Hello\nyou"), ("{\\an8}<font color=\"#fff\">up</font>", "up"), ("a < b > c", "a < b > c"),
            ("<3 {smile}", "<3 {smile}"), ("</B>bold", "bold"), ("\n two \n\n", "two"), ("old\rmac", "old\nmac"), ("<i>open", "open"), ("<i", "<i"),
        ])
    func subRip(source: String, plain: String) {
        #expect(SubRipText.plain(bytes(source)) == plain)
    }

    @Test(
        "SubStation text loses overrides, drawings and fields",
        arguments: [
            ("0,0,Default,,0,0,0,,Well, {\\i1}yes{\\i0}\\Nno", "Well, yes\nno"), ("1,0,Default,Anna,0,0,0,,a\\hb\\nc", "a b\nc"),
            ("2,0,D,,0,0,0,,{\\p1}m 0 0 l 1 1{\\p0}text", "text"), ("3,0,D,,0,0,0,,{\\pos(1,2)}here", "here"), ("4,0,D,,0,0,0", ""), ("", ""),
            ("5,0,D,,0,0,0,,{open", "{open"), ("6,0,D,,0,0,0,,back\\slash\\", "back\\slash\\"),
        ])
    func subStation(source: String, plain: String) {
        #expect(SubStationText.plain(block: bytes(source)) == plain)
    }

    @Test(
        "WebVTT text loses tags and resolves references",
        arguments: [
            ("<v Roger>Hi</v> <c.loud>you</c>", "Hi you"), ("1 &lt; 2 &amp;&amp; 3&gt;2", "1 < 2 && 3>2"), ("<00:01.000>go", "go"),
            ("&unknown; &", "&unknown; &"), ("a&nbsp;b", "a\u{A0}b"),
        ])
    func webVTT(source: String, plain: String) {
        #expect(WebVTTText.plain(bytes(source)) == plain)
    }

    @Test("samples have a length before their text, cut before a character")
    func sample() {
        #expect(TimedTextSample.payload("é") == [0, 2, 0xC3, 0xA9])
        #expect(TimedTextSample.payload("") == TimedTextSample.empty)
        let long = String(repeating: "é", count: 40000)
        #expect(TimedTextSample.payload(long).count == 2 + 65534)
        #expect(TimedTextSample.text(TimedTextSample.payload("two\nlines")) == "two\nlines")
        #expect(TimedTextSample.text([0, 5, 65]) == nil)
    }

    @Test("a tag that is longer than any real one is text")
    func longTag() {
        let inside = String(repeating: "x", count: 1023)
        #expect(WebVTTText.plain(bytes("a<\(inside)>b")) == "ab")
        #expect(WebVTTText.plain(bytes("a<\(inside)x>b")) == "a<\(inside)x>b")
        #expect(WebVTTText.plain(bytes("&amp;<b>&amp;</b>&amp")) == "&&&amp")
    }

    @Test("text that is all openings takes time in proportion to its length", arguments: ["<", "{\\", "&", "</", "<>", "&;", "<b"])
    func openings(_ piece: String) {
        // 64 KiB, closed at every thousandth character at best. A tenth of a second each; with a look ahead from every opening, ten.
        let part = String(repeating: piece, count: 1000 / piece.count)
        for source in [String(repeating: piece, count: 65536 / piece.count), String(repeating: part + ">};", count: 65)] {
            let start = ContinuousClock.now
            _ = SubRipText.plain(bytes(source))
            _ = SubStationText.plain(text: bytes(source))
            _ = WebVTTText.plain(bytes(source))
            #expect(ContinuousClock.now - start < .seconds(5), "\(piece)")
        }
    }

    @Test("bytes that are no text never harm")
    func damage() {
        let sources = ["{\\an8}<i>Grüße</i>\r\nyou & I", "0,0,D,,0,0,0,,{\\p1}x{\\p0}ä\\Nb", "<v A>x&lt;&amp;"].map { bytes($0) }
        for source in sources.flatMap({ damaged($0) }) {
            _ = SubRipText.plain(source)
            _ = SubStationText.plain(block: source)
            _ = WebVTTText.plain(source)
        }
    }
}
