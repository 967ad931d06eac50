import Testing

@testable import Remux

@Suite("Subtitles as samples")
struct TextTimelineTests {
    private func samples(_ cues: [(Int64, Int64?, String)]) -> [TextTimeline.Sample] {
        var timeline = TextTimeline()
        var result: [TextTimeline.Sample] = []
        for cue in cues { result += timeline.push(start: cue.0, duration: cue.1, text: cue.2) }
        return result + timeline.finish()
    }

    @Test("gaps are filled with empty samples, so that the track has no holes")
    func gaps() {
        #expect(
            samples([(1000, 500, "一"), (2000, 500, "two")]) == [
                .init(start: 0, duration: 1000, text: ""), .init(start: 1000, duration: 500, text: "一"),
                .init(start: 1500, duration: 500, text: ""), .init(start: 2000, duration: 500, text: "two"),
            ])
    }

    @Test("a subtitle ends where the next begins")
    func overlap() {
        #expect(
            samples([(0, 5000, "a"), (1000, 1000, "b")]) == [
                .init(start: 0, duration: 1000, text: "a"), .init(start: 1000, duration: 1000, text: "b"),
            ])
    }

    @Test("two at the same time share a sample")
    func sameTime() { #expect(samples([(0, 1000, "a"), (0, 2000, "b")]) == [.init(start: 0, duration: 2000, text: "a\nb")]) }

    @Test("one without an end stays until the next, the last for five seconds")
    func openEnd() {
        #expect(
            samples([(0, nil, "a"), (700, nil, "b")]) == [.init(start: 0, duration: 700, text: "a"), .init(start: 700, duration: 5000, text: "b")])
    }

    @Test("one that starts before its predecessor starts with it")
    func backward() { #expect(samples([(1000, 100, "a"), (500, 100, "b")]).map(\.start) == [0, 1000]) }

    @Test("a sample is a length and the text", arguments: [("", [0, 0]), ("é", [0, 2, 0xC3, 0xA9])] as [(String, [UInt8])])
    func payload(_ text: String, _ bytes: [UInt8]) { #expect(TextTimeline.Sample(start: 0, duration: 1, text: text).payload == bytes) }
}

@Suite("SubRip files")
struct SubRipWriterTests {
    @Test("cues are numbered and times have a comma")
    func cues() {
        var writer = SubRipWriter()
        #expect(writer.cue(start: 0, end: 1500, text: "你好") == "1\n00:00:00,000 --> 00:00:01,500\n你好\n\n")
        #expect(writer.cue(start: 3_661_007, end: 360_000_000, text: "a\nb") == "2\n01:01:01,007 --> 100:00:00,000\na\nb\n\n")
    }

    @Test("a blank line in a text does not end its cue, and a text without words makes none")
    func blankLines() {
        var writer = SubRipWriter()
        #expect(writer.cue(start: 0, end: 1, text: " \n\n") == "")
        #expect(writer.cue(start: 5, end: 5, text: "never shown") == "")
        #expect(writer.cue(start: 0, end: 1000, text: "a\n\n \nb") == "1\n00:00:00,000 --> 00:00:01,000\na\nb\n\n")
    }
}
