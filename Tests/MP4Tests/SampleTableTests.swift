import TestSupport
import Testing

@testable import MP4

@Suite("Sample tables")
struct SampleTableTests {
    private func read(_ table: SampleTableBox) throws -> [MovieSample] {
        var samples = TableSamples(table)
        var found: [MovieSample] = []
        while let sample = try samples.next() { found.append(sample) }
        return found
    }

    @Test("What is built is what is read, for random samples")
    func roundTrip() throws {
        var random = RepeatableRandom.forTest()
        for _ in 0..<200 {
            var builder = SampleTableBuilder(chunkLimit: UInt64.random(in: 1...500, using: &random))
            var expected: [MovieSample] = []
            var place: UInt64 = 0, time = Int64.random(in: -5...5, using: &random)
            let first = time
            let isUniform = Bool.random(using: &random), isAllSync = Bool.random(using: &random), hasOffsets = Bool.random(using: &random)
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                if Int.random(in: 0..<4, using: &random) == 0 { place += UInt64.random(in: 1...1000, using: &random) }
                let duration = UInt32.random(in: 0...3, using: &random)
                let sample = TimedSample(
                    size: isUniform ? 7 : UInt32.random(in: 0...99, using: &random), decodeTime: time,
                    presentationTime: time + (hasOffsets ? Int64.random(in: -3...9, using: &random) : 0), duration: duration,
                    isSync: isAllSync || Bool.random(using: &random), description: Int.random(in: 0..<9, using: &random) == 0 ? 2 : 1)
                try builder.append(sample, at: place)
                expected.append(
                    MovieSample(
                        offset: place, size: sample.size, decodeTime: UInt64(time - first), duration: duration,
                        compositionOffset: Int32(sample.presentationTime - time), isSync: sample.isSync, description: sample.description))
                place += UInt64(sample.size)
                time += Int64(duration)
            }
            let table = try SampleTableBox(bytes: builder.table([]).bytes())
            let found = try read(table)
            let isSame = found == expected
            #expect(isSame)
            #expect((table.sync == nil) == expected.allSatisfy(\.isSync))
            #expect((table.offsets == nil) == expected.allSatisfy { $0.compositionOffset == 0 })
        }
    }

    @Test("Regular samples take no memory each")
    func memory() throws {
        var builder = SampleTableBuilder()
        var place: UInt64 = 0
        for index in 0..<Int64(TestTools.isLongRun ? 2_000_000 : 100_000) {
            try builder.append(TimedSample(size: 768, decodeTime: index * 1536, duration: 1536), at: place)
            place += 768
        }
        let table = builder.table([])
        #expect(table.times.runs.count == 1)
        #expect(table.sizes.listed.isEmpty)
        #expect(table.chunks.runs.count <= 2)
        #expect(builder.bytes == place)
    }

    @Test("Times that go back or do not fit are refused, and change nothing")
    func refusals() throws {
        var builder = SampleTableBuilder()
        try builder.append(TimedSample(size: 1, decodeTime: 100, duration: 1), at: 0)
        let before = builder.table([])
        for sample in [
            TimedSample(size: 1, decodeTime: 99, duration: 1), TimedSample(size: 1, decodeTime: 1 << 33, duration: 1),
            TimedSample(size: 1, decodeTime: 101, presentationTime: 1 << 40, duration: 1),
            TimedSample(size: 1, decodeTime: .max, presentationTime: .min, duration: 1), TimedSample(size: 1, decodeTime: .max, duration: 1),
        ] {
            let error = #expect(throws: MP4Error.self) { try builder.append(sample, at: 1) }
            #expect(error?.code == .unrepresentable)
        }
        #expect(throws: MP4Error.self) { try builder.append(TimedSample(size: 9, decodeTime: 101, duration: 1), at: .max - 3) }
        let isSame = builder.table([]) == before
        #expect(isSame)
    }

    @Test("Tables that disagree end in an error that names the sample's place")
    func disagreement() throws {
        var table = try Samples.table()
        table.times = TimeToSampleBox([.init(count: 0, duration: 4), .init(count: 2, duration: 5)])
        var samples = TableSamples(table, path: "moov.trak[0].mdia.minf.stbl")
        #expect(try samples.next()?.duration == 5)
        #expect(try samples.next() != nil)
        #expect(throws: MP4Error.self) { try samples.next() }
        table = try Samples.table()
        table.chunkOffsets = ChunkOffsetBox([7])
        samples = TableSamples(table, path: "moov.trak[0].mdia.minf.stbl")
        for _ in 0..<3 { #expect(try samples.next() != nil) }
        let error = #expect(throws: MP4Error.self) { try samples.next() }
        #expect(error?.path == "moov.trak[0].mdia.minf.stbl.stco.entry[1]")
    }

    @Test("Sizes of 4, 8 and 16 bits are read")
    func compact() throws {
        for (bits, values) in [("04", "1234 50"), ("08", "0102030405"), ("10", "00010002000300040005")] {
            let payload = hex("00000000 000000 \(bits) 00000005 \(values)")
            var root = BoxReader(try BoxWriter.bytes { $0.box("stz2") { $0.bytes(payload) } })
            var box = try #require(try root.child())
            #expect(try SampleSizeBox(compact: &box).listed == [1, 2, 3, 4, 5])
        }
        var root = BoxReader(try BoxWriter.bytes { $0.box("stz2") { $0.bytes(hex("00000000 00000004 FFFFFFFF 12")) } })
        var box = try #require(try root.child())
        #expect(throws: MP4Error.self) { try SampleSizeBox(compact: &box) }
    }

    @Test("Offsets grow to 64 bits when the movie in front of the data pushes them there")
    func placement() throws {
        var movie = try Samples.movie()
        for index in movie.tracks.indices { movie.tracks[index].media.samples.chunkOffsets = ChunkOffsetBox([0, UInt64(UInt32.max) - 4000]) }
        let small = movie.movingChunks(by: 0)
        let placed = movie.placedBeforeData(at: 1000)
        #expect(placed.size >= small.size)
        let again = try MovieBox(bytes: placed.bytes())
        #expect(again.tracks[0].media.samples.chunkOffsets.offsets[0] == 1000 + placed.size)
        movie.tracks[0].media.samples.chunkOffsets = ChunkOffsetBox([UInt64(UInt32.max) - 10])
        let grown = movie.placedBeforeData(at: 0)
        #expect(try MovieBox(bytes: grown.bytes()).tracks[0].media.samples.chunkOffsets.offsets == [UInt64(UInt32.max) - 10 + grown.size])
        movie.tracks[0].media.samples.chunkOffsets = ChunkOffsetBox([.max - 10])
        #expect(throws: MP4Error.self) { try movie.placedBeforeData(at: 0).bytes() }
    }
}
