import TestSupport
import Testing

@testable import MP4

@Suite("Fragments")
struct FragmentTests {
    private func writer(shift: UInt64 = 0) -> FragmentWriter {
        FragmentWriter([
            .init(TrackDescription(id: 1, kind: .video, timescale: 90000, entries: [.visual(Samples.picture)]), shift: shift),
            .init(TrackDescription(id: 2, kind: .sound, timescale: 48000, entries: [.audio(Samples.sound)])),
        ])
    }

    @Test("What a fragment states is what is read from it, for random samples")
    func roundTrip() throws {
        var random = RepeatableRandom.forTest()
        var writer = writer(shift: 50)
        for number in 1...200 {
            var parts: [FragmentWriter.Part] = []
            for track: UInt32 in [1, 2] {
                var samples: [TimedSample] = []
                var time = Int64.random(in: -50...1 << 40, using: &random)
                if track == 2 { time = abs(time) }
                let mode = Int.random(in: 0..<4, using: &random)
                for index in 0..<Int.random(in: 0...20, using: &random) {
                    let duration = mode == 0 ? 3 : UInt32.random(in: 0...3, using: &random)
                    samples.append(
                        TimedSample(
                            size: mode == 1 ? 5 : UInt32.random(in: 0...99, using: &random), decodeTime: time,
                            presentationTime: time + (mode == 2 ? 0 : Int64.random(in: 0...9, using: &random)), duration: duration,
                            isSync: mode == 3 ? Bool.random(using: &random) : index == 0 || mode == 0))
                    time += Int64(duration)
                }
                parts.append(.init(track: track, samples: samples))
            }
            let made = try writer.fragment(parts)
            let fragment = try MovieFragmentBox(bytes: made.header)
            #expect(fragment.sequence == UInt32(number))
            #expect(fragment.tracks.allSatisfy { $0.runs.count == 1 })
            var place: UInt64 = 7000 + UInt64(made.header.count)
            for part in parts {
                var found = try FragmentSamples(fragment, at: 7000, track: part.track, extends: nil)
                #expect(found.count == UInt64(part.samples.count))
                for sample in part.samples {
                    let read = try #require(try found.next())
                    #expect(read.offset == place && read.size == sample.size && read.isSync == sample.isSync && read.duration == sample.duration)
                    #expect(Int64(read.decodeTime) == sample.decodeTime + (part.track == 1 ? 50 : 0))
                    #expect(Int64(read.compositionOffset) == sample.presentationTime - sample.decodeTime)
                    place += UInt64(sample.size)
                }
                #expect(try found.next() == nil)
            }
            #expect(made.size == place - 7000)
        }
    }

    @Test("Negative times, negative offsets, strangers and too much data are refused, and do not count")
    func refusals() throws {
        var writer = writer()
        let bad: [[FragmentWriter.Part]] = [
            [.init(track: 1, samples: [TimedSample(size: 1, decodeTime: -1, duration: 1)])],
            [.init(track: 1, samples: [TimedSample(size: 1, decodeTime: 5, presentationTime: 4, duration: 1)])],
            [.init(track: 1, samples: [TimedSample(size: 1, decodeTime: 5, duration: 1), TimedSample(size: 1, decodeTime: 4, duration: 1)])],
            [.init(track: 3, samples: [TimedSample(size: 1, decodeTime: 5, duration: 1)])],
            [.init(track: 1, samples: [TimedSample(size: .max, decodeTime: 5, duration: 1)])],
            [
                .init(track: 1, samples: [TimedSample(size: 1, decodeTime: 5, duration: 1)]),
                .init(track: 1, samples: [TimedSample(size: 1, decodeTime: 5, duration: 1)]),
            ],
        ]
        for parts in bad {
            let error = #expect(throws: MP4Error.self) { try writer.fragment(parts) }
            #expect(error?.code == .unrepresentable)
        }
        let made = try writer.fragment([])
        #expect(try MovieFragmentBox(bytes: made.header) == MovieFragmentBox(sequence: 1, tracks: []))
    }

    @Test("Tracks without an entry, a timescale or a number of their own are refused")
    func descriptions() {
        let good = TrackDescription(id: 1, kind: .sound, timescale: 48000, entries: [.audio(Samples.sound)])
        var noScale = good, noEntry = good, noNumber = good
        noScale.timescale = 0
        noEntry.entries = []
        noNumber.id = 0
        for tracks in [[noScale], [noEntry], [noNumber], [good, good]] {
            #expect(throws: MP4Error.self) { try FragmentWriter(tracks.map { .init($0) }).initSegment() }
            #expect(throws: MP4Error.self) { try ProgressiveMovie(tracks.map { .init($0, samples: SampleTableBuilder()) }).movie() }
        }
    }

    /// A second of picture and, nearly, of sound.
    private static func second(_ number: Int64) -> [FragmentWriter.Part] {
        [
            .init(track: 2, samples: (0..<47).map { TimedSample(size: 10, decodeTime: number * 48128 + $0 * 1024, duration: 1024) }),
            .init(
                track: 1, samples: (0..<25).map { TimedSample(size: 100, decodeTime: number * 90000 + $0 * 3600, duration: 3600, isSync: $0 == 0) }),
        ]
    }

    private func fiveSeconds() throws -> (FragmentIndex, sizes: [UInt64]) {
        var writer = writer()
        var index = FragmentIndex(writer.tracks)
        var sizes: [UInt64] = []
        for number in 0..<Int64(5) {
            let fragment = try writer.fragment(Self.second(number))
            sizes.append(fragment.size)
            index.append(fragment)
        }
        return (index, sizes)
    }

    @Test("The index covers every fragment and what trails, and says of sound that it begins after the picture")
    func index() throws {
        let (index, sizes) = try fiveSeconds()
        let boxes = try index.boxes(trailing: 33)
        #expect(boxes.map(\.track) == [1, 2])
        for box in boxes { #expect(box.references.reduce(0) { $0 + UInt64($1.size) } == sizes.reduce(33, +)) }
        #expect(boxes[0].references.allSatisfy { $0.duration == 90000 && $0.access == SegmentIndexBox.Reference.startsWithSync })
        #expect(boxes[0].firstOffset == boxes[1].size && boxes[1].firstOffset == 0)
        #expect(boxes[1].references[0].duration == 48128 + 960)
        let room = FragmentIndex.room(tracks: 2, fragments: 9)
        let bytes = try index.bytes(filling: room)
        #expect(bytes.count == Int(room))
        #expect(try BoxHeader(bytes).type == "free")
        #expect(throws: MP4Error.self) { try index.bytes(filling: FragmentIndex.room(tracks: 2, fragments: 0)) }
        let access = index.randomAccess(firstFragmentAt: 1000)
        #expect(access.tracks[0].entries.map(\.offset) == [1000, 1000 + sizes[0], 1000 + sizes[0] * 2, 1000 + sizes[0] * 3, 1000 + sizes[0] * 4])
    }

    @Test("An index with less room than fragments takes several together", arguments: [1, 2, 3, 4])
    func crowded(_ most: Int) throws {
        let (index, sizes) = try fiveSeconds()
        let room = FragmentIndex.room(tracks: 2, fragments: most)
        #expect(try index.bytes(filling: room).count == Int(room))
        for (box, whole) in zip(try index.boxes(references: most), try index.boxes()) {
            #expect(box.references.count <= most)
            #expect(box.references.map { UInt64($0.size) }.reduce(0, +) == sizes.reduce(0, +))
            #expect(box.references.map { UInt64($0.duration) }.reduce(0, +) == whole.references.map { UInt64($0.duration) }.reduce(0, +))
        }
        #expect(index.end(of: 1) == 450_000)
        #expect(index.end(of: 9) == nil)
    }

    @Test("Data offsets count from what a fragment says they count from")
    func bases() throws {
        func header(_ track: UInt32, based: Bool, offset: UInt64? = nil) -> TrackFragmentHeaderBox {
            var header = TrackFragmentHeaderBox(track: track, duration: 1, size: 10)
            header.isBasedOnFragment = based
            header.baseOffset = offset
            return header
        }
        let fragment = MovieFragmentBox(
            sequence: 1,
            tracks: [
                TrackFragmentBox(
                    header: header(1, based: false), decodeTime: nil,
                    runs: [TrackRunBox(count: 2, dataOffset: 100), TrackRunBox(count: 1, dataOffset: nil)]),
                TrackFragmentBox(header: header(2, based: false), decodeTime: nil, runs: [TrackRunBox(count: 1, dataOffset: nil)]),
                TrackFragmentBox(header: header(3, based: true), decodeTime: nil, runs: [TrackRunBox(count: 1, dataOffset: 5)]),
                TrackFragmentBox(header: header(4, based: true, offset: 9), decodeTime: nil, runs: [TrackRunBox(count: 1, dataOffset: -2)]),
            ])
        func places(_ track: UInt32) throws -> [UInt64] {
            var samples = try FragmentSamples(fragment, at: 1000, track: track, extends: nil, decodeTime: 3)
            var found: [UInt64] = []
            while let sample = try samples.next() { found.append(sample.offset) }
            return found
        }
        #expect(try places(1) == [1100, 1110, 1120])
        #expect(try places(2) == [1130])
        #expect(try places(3) == [1005])
        #expect(try places(4) == [7])
    }
}
