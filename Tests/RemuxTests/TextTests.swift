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

    @Test("a subtitle that is over does not wait for the next one, and nothing is lost by that")
    func passed() {
        var timeline = TextTimeline()
        #expect(timeline.push(start: 1000, duration: 500, text: "a") == [])
        #expect(timeline.pass(1600) == [])
        #expect(
            timeline.pass(4000) == [.init(start: 0, duration: 1000, text: ""), .init(start: 1000, duration: 500, text: "a")])
        #expect(timeline.pass(5000) == [])
        // Behind the picture, as some films have them.
        #expect(timeline.push(start: 1700, duration: 800, text: "b") == [])
        #expect(timeline.push(start: 6000, duration: nil, text: "c") == [.init(start: 1500, duration: 200, text: "")])
        // Without an end it stays.
        #expect(timeline.pass(60_000) == [])
        let rest = timeline.finish()
        #expect(rest.map(\.text) == ["b", "", "c", ""])
        #expect(rest.map(\.start) == [1700, 2500, 6000, 11000])
    }

    private func ended(_ samples: [TextTimeline.Sample], at time: Int64) -> [TextTimeline.Sample] {
        samples + [.init(start: time, duration: 1, text: "")]
    }

    @Test("gaps are filled with empty samples, so that the track has no holes, and the last subtitle ends")
    func gaps() {
        let expected: [TextTimeline.Sample] = [
            .init(start: 0, duration: 1000, text: ""), .init(start: 1000, duration: 500, text: "一"),
            .init(start: 1500, duration: 500, text: ""), .init(start: 2000, duration: 500, text: "two"),
        ]
        #expect(samples([(1000, 500, "一"), (2000, 500, "two")]) == ended(expected, at: 2500))
    }

    @Test("subtitles that overlap are shown together as long as they do")
    func overlap() {
        let expected: [TextTimeline.Sample] = [
            .init(start: 0, duration: 1000, text: "sign"), .init(start: 1000, duration: 1000, text: "sign\nline"),
            .init(start: 2000, duration: 8000, text: "sign"),
        ]
        #expect(samples([(0, 10_000, "sign"), (1000, 1000, "line")]) == ended(expected, at: 10_000))
    }

    @Test("two at the same time share a sample")
    func sameTime() {
        let expected: [TextTimeline.Sample] = [.init(start: 0, duration: 1000, text: "a\nb"), .init(start: 1000, duration: 1000, text: "b")]
        #expect(samples([(0, 1000, "a"), (0, 2000, "b")]) == ended(expected, at: 2000))
    }

    @Test("one without an end stays until the next, the last for five seconds")
    func openEnd() {
        let expected: [TextTimeline.Sample] = [.init(start: 0, duration: 700, text: "a"), .init(start: 700, duration: 5000, text: "b")]
        #expect(samples([(0, nil, "a"), (700, nil, "b")]) == ended(expected, at: 5700))
    }

    @Test("one whose time is far too late does not take the others with it")
    func wrongTime() {
        let samples = samples([(1000, 500, "a"), (3_600_000, 500, "wrong"), (2000, 500, "b"), (3000, 500, "c")])
        #expect(samples.map(\.text).filter { !$0.isEmpty } == ["a", "b", "c"])
        #expect(samples.last?.start == 3500)
    }

    @Test("what is over before the film begins is not shown")
    func beforeStart() {
        #expect(samples([(-2000, 1000, "early"), (-500, 1000, "half"), (1000, 1000, "c")]).map(\.text) == ["half", "", "c", ""])
    }

    @Test("any number of subtitles at one time costs no more than their number")
    func many() { #expect(samples((0..<50_000).map { _ in (0, 1000, "x") }).count == 2) }

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
