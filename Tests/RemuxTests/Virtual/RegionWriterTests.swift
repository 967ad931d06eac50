import Bytes
import MP4
import TestSupport
import Testing

@testable import Remux

@Suite("Bytes of a region")
struct RegionWriterTests {
    /// Video, two tracks of sound of which the first plays unasked, text.
    private let tracks: [VirtualTrack] = {
        var picture = SourceTrack(identifier: 1, kind: .video, codec: .vp8, codecID: "")
        var shape = VideoShape()
        (shape.width, shape.height) = (320, 180)
        picture.video = shape
        var sound = SourceTrack(identifier: 2, kind: .audio, codec: .aac, codecID: "")
        sound.privateData = [0x11, 0x90]
        var other = sound
        other.identifier = 3
        other.isDefault = false
        let text = SourceTrack(identifier: 4, kind: .subtitle, codec: .subRip, codecID: "")
        let plan = RemuxPlan([picture, sound, other, text], firstFrames: [[0], [0], [0], nil], searched: 1)
        let none = [Int64?](repeating: nil, count: 4)
        return VirtualTrack.tracks(of: plan, clock: Clock(rate: 90_000), first: none, step: none, statesDecoding: false)
    }()
    private var writer: RegionWriter { RegionWriter(tracks: tracks, resolution: 1_000_000) }

    private func samples(_ random: inout RepeatableRandom, count: Int = 60, isJittered: Bool = false) -> RegionSamples {
        var result = RegionSamples(count: 4)
        for index in 0..<count {
            let jitter = isJittered ? Int64(random.next() % 1500) : 0
            for track in 0..<2 + Int(random.next() % 2) {
                let size = 1 + random.next() % (track == 0 ? 900 : 60)
                let place = FileRange(offset: random.next() % 1_000_000, count: size, fileSize: .max)
                result.tracks[track].append(
                    VirtualSample(
                        content: .source(place), time: track == 0 ? Int64(index) * 3600 + jitter : Int64(index) * 1024 + (isJittered ? jitter : 0),
                        isSync: track > 0 || index % 15 == 0))
            }
            if index % 9 == 0 {
                result.tracks[3].append(
                    VirtualSample(content: .bytes([0, 3, 97, 98, 99]), time: Int64(index) * 40, duration: 20, isSync: true))
            }
        }
        return result
    }

    private func need(_ samples: RegionSamples) -> UInt64 {
        let (layout, _) = writer.layout(samples, index: 0, capacity: 10_000_000)
        guard case .zeros(let padding)? = layout.pieces.last else { return layout.size }
        return layout.size - padding
    }

    @Test("what a region takes is never more than was counted for it")
    func cost() {
        var random = RepeatableRandom.forTest()
        for round in 0..<60 {
            let samples = samples(&random, count: 1 + round, isJittered: round % 2 == 1)
            let counted = samples.tracks.joined().reduce(RegionWriter.baseCost(tracks: 4)) { $0 + RegionWriter.cost($1.size) }
            #expect(need(samples) <= counted, "round \(round), seed \(random.seed)")
        }
    }

    @Test("a region fills its place for any size, and leaves out as little as does, in the order that is told")
    func fallback() throws {
        var random = RepeatableRandom.forTest()
        let samples = samples(&random)
        let full = need(samples)
        var met: Set<RegionFallback> = [], last = RegionFallback.nothing
        for capacity in stride(from: full, through: 8, by: -37) {
            let (layout, fallback) = writer.layout(samples, index: 4, capacity: capacity)
            #expect(layout.size == capacity)
            #expect(fallback >= last)
            last = fallback
            met.insert(fallback)
            let isOneBox = fallback == .everything
            guard case .literal(let head)? = layout.pieces.first else { continue }
            #expect(String(decoding: head[4..<8], as: UTF8.self) == (isOneBox ? "free" : "moof"))
            // Whatever is left of a track is its beginning, unaltered.
            let kept = layout.pieces.compactMap { if case .source(let range) = $0 { range } else { nil } }
            let all = samples.tracks.joined().compactMap { if case .source(let range) = $0.content { range } else { nil } }
            #expect(Set(kept).isSubset(of: Set(all)))
            guard !isOneBox else { continue }
            let moof = try MovieFragmentBox(bytes: head)
            #expect(moof.sequence == 5)
            let ids = moof.tracks.map(\.header.track)
            #expect(fallback < .subtitles ? ids == [1, 2, 3, 4] : !ids.contains(4))
            if fallback >= .otherSound { #expect(!ids.contains(3)) }
        }
        #expect(met == [.nothing, .keyframeMarks, .subtitles, .otherSound, .sound, .pictures, .everything])
    }

    @Test("sound comes before pictures, and a fragment without samples is a fragment")
    func order() throws {
        var random = RepeatableRandom.forTest()
        let samples = samples(&random)
        let (layout, _) = writer.layout(samples, index: 0, capacity: 1_000_000)
        let kept = layout.pieces.compactMap { if case .source(let range) = $0 { range } else { nil } }
        let wanted = [1, 2, 0].flatMap { samples.tracks[$0] }.compactMap { if case .source(let range) = $0.content { range } else { nil } }
        #expect(kept == wanted)
        let (empty, fallback) = writer.layout(RegionSamples(count: 4), index: 0, capacity: 1000)
        #expect(empty.size == 1000 && fallback == .nothing)
    }
}
