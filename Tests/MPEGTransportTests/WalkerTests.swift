import Codecs
import TestSupport
import Testing

@testable import MPEGTransport

@Suite("Walks") struct WalkerTests {
    @Test("a plain program: each picture and each frame with its time, and nothing else", arguments: [188, 192, 204])
    func plain(stride: Int) throws {
        let told = try read(SampleStream.bytes(stride: stride))
        #expect(told.head.stride == stride)
        #expect(told.damages.isEmpty, "\(told.damages.first)")
        #expect(told.video.map(\.pts) == times(25, from: 90_000, step: 3600))
        #expect(told.video.map(\.isKeyframe) == (0..<25).map { $0 % 12 == 0 })
        let sound = told.audio
        #expect(sound.map(\.pts) == times(sound.count, from: 90_000, step: 2160))
        #expect(sound.count == 42)
        #expect(sound.indices.allSatisfy { sound[$0].bytes == SampleStream.frame($0) })
        #expect(
            told.video.indices.allSatisfy { number in
                let isIntra = number % 12 == 0
                return told.video[number].bytes == (isIntra ? SampleStream.sequence : []) + SampleStream.picture(number % 12, type: isIntra ? 1 : 2)
            })
        guard case .mpegVideo(let header)? = told.head.tracks.first?.configuration else { return #expect(Bool(false)) }
        #expect(header.width == 320 && header.height == 240 && header.isMPEG2)
        #expect(told.head.tracks.map(\.language) == [nil, "deu"] && told.head.tracks[1].stream.audioType == 3)
    }

    @Test("the same is told however the bytes are cut")
    func pieces() throws {
        let bytes = SampleStream.bytes(pictures: 8, stride: 192)
        let whole = try read(bytes)
        for piece in [1, 3, 187, 188, 1000] { #expect(try read(bytes, piece: piece) == whole, "pieces of \(piece)") }
    }

    @Test("a file cut short anywhere tells a beginning of what the whole file tells")
    func cuts() throws {
        let bytes = SampleStream.bytes(pictures: 6)
        let whole = try read(bytes)
        for count in stride(from: 0, to: bytes.count, by: TestTools.isLongRun ? 1 : 9) {
            let (events, _) = walk(TransportWalker(whole.head), Array(bytes.prefix(count)))
            let video = events.compactMap { if case .unit(let unit) = $0, unit.track == 0 { unit.pts } else { nil } }
            #expect(video == Array(whole.video.map(\.pts).prefix(video.count)), "cut \(count)")
        }
    }

    @Test("duplicate packets are passed over, missing ones are told")
    func counters() throws {
        var writer = StreamWriter()
        writer.putTables(SampleStream.streams)
        let first = SampleStream.sequence + SampleStream.picture(0, type: 1, size: 500)
        writer.put(pes: StreamWriter.pes(0xE0, pts: 9000, first), pid: 0x100, twice: true)
        writer.put(pes: StreamWriter.pes(0xE0, pts: 12600, SampleStream.picture(1, type: 2)), pid: 0x100)
        writer.skipCounter(0x100)
        writer.put(pes: StreamWriter.pes(0xE0, pts: 16200, SampleStream.picture(2, type: 2)), pid: 0x100)
        let told = try read(writer.bytes)
        #expect(told.video.map(\.pts) == [9000, 12600, 16200])
        #expect(told.video[0].bytes == first)
        #expect(told.damages.counts == [.continuity: 1])
        #expect(told.video.map(\.isDamaged) == [false, true, false])
    }

    @Test("a late table does not cost what came before it")
    func lateTables() throws {
        var writer = StreamWriter()
        SampleStream.write(into: &writer, pictures: 10, tables: false)
        writer.putTables(SampleStream.streams)
        SampleStream.write(into: &writer, pictures: 10, from: 90_000 + 36_000, tables: false)
        let told = try read(writer.bytes)
        #expect(told.video.count == 20)
        #expect(told.head.firstTime == 90_000)
    }

    @Test("of several programs the first with video is walked, all are listed")
    func programs() throws {
        var writer = StreamWriter()
        writer.put(section: StreamWriter.association([(7, 0x1007), (1, 0x1000), (2, 0x1002)]), pid: 0)
        writer.put(section: StreamWriter.map(program: 2, [.init(pid: 0x300, type: 0x1B)]), pid: 0x1002)
        writer.put(section: StreamWriter.map(program: 7, [.init(pid: 0x200, type: 0x03)]), pid: 0x1007)
        writer.put(section: StreamWriter.map(program: 1, SampleStream.streams), pid: 0x1000)
        SampleStream.write(into: &writer, pictures: 3, tables: false)
        let head = try readHead(writer.bytes)
        #expect(head.programs.map(\.program) == [7, 1, 2])
        #expect(head.program.program == 1 && head.tracks.map(\.pid) == [0x100, 0x101])
    }

    @Test("a changed map moves tracks to other PIDs, adds tracks, and gives a PID to another codec")
    func mapChange() throws {
        var writer = StreamWriter()
        SampleStream.write(into: &writer, pictures: 5)
        // Video now has the PID of sound, sound another one, and a second sound comes.
        let streams = [
            StreamWriter.Stream(pid: 0x101, type: 2), .init(pid: 0x102, type: 3, descriptors: [0x0A, 4, 0x64, 0x65, 0x75, 0]),
            .init(pid: 0x103, type: 4, descriptors: [0x0A, 4, 0x65, 0x6E, 0x67, 0]),
        ]
        writer.putTables(streams, version: 1)
        for number in 5..<10 {
            let time = UInt64(90_000 + number * 3600)
            writer.put(pes: StreamWriter.pes(0xE0, pts: time, SampleStream.sequence + SampleStream.picture(number, type: 1)), pid: 0x101)
            writer.put(pes: StreamWriter.pes(0xC0, pts: time, SampleStream.frame(number)), pid: 0x102)
            writer.put(pes: StreamWriter.pes(0xC0, pts: time, SampleStream.frame(number)), pid: 0x103)
        }
        let told = try read(writer.bytes)
        #expect(told.video.map(\.pts) == times(10, from: 90_000, step: 3600))
        #expect(told.tracks.map(\.pid) == [0x101, 0x102, 0x103] && told.tracks.map(\.language) == [nil, "deu", "eng"])
        #expect(told.units(1).count == 9 + 5 && told.units(2).count == 5)
        #expect(told.head.tracks.count == 2)
    }

    @Test("encrypted programs are refused by name, encrypted packets in between are counted")
    func scrambled() throws {
        var writer = StreamWriter()
        writer.putTables(SampleStream.streams)
        for number in 0..<4 {
            writer.put(pes: StreamWriter.pes(0xE0, pts: UInt64(number) * 3600, SampleStream.picture(number, type: 1)), pid: 0x100, scrambling: 2)
        }
        #expect(throws: TransportError(.scrambled, offset: UInt64(writer.bytes.count))) { try read(writer.bytes) }
        SampleStream.write(into: &writer, pictures: 3)
        let told = try read(writer.bytes)
        #expect(told.video.count == 3 && told.damages.count(.scrambled) == 1 && told.tracks[0].scrambledPackets == 8)
    }

    @Test("what is no transport stream, or has no program, is refused")
    func refusals() {
        #expect(throws: TransportError(.notTransportStream, offset: 1000)) { try read([UInt8](repeating: 3, count: 1000)) }
        #expect(throws: TransportError(.notTransportStream, offset: 0)) { try read([]) }
        var writer = StreamWriter()
        writer.putTables([.init(pid: 0x100, type: 0x90), .init(pid: 0x101, type: 6, descriptors: [0x56, 0])])
        let error = #expect(throws: TransportError.self) { try read(writer.bytes) }
        #expect(error?.code == .noProgram && error?.detail == "stream type 144, teletext")
    }

    @Test("PES may be cut anywhere: pictures over several PES, several pictures in one, headers over packets")
    func pictureBorders() throws {
        var data: [UInt8] = []
        for number in 0..<12 {
            data += (number % 6 == 0 ? SampleStream.sequence : []) + SampleStream.picture(number, type: number % 6 == 0 ? 1 : 2)
        }
        for size in [60, 177, 178, 200, 333, 1000, data.count] {
            var writer = StreamWriter()
            writer.putTables(SampleStream.streams)
            var rest = data[...], isFirst = true
            while !rest.isEmpty {
                writer.put(pes: StreamWriter.pes(0xE0, pts: isFirst ? 90_000 : nil, Array(rest.prefix(size))), pid: 0x100)
                rest = rest.dropFirst(size)
                isFirst = false
            }
            let told = try read(writer.bytes)
            #expect(told.video.map(\.pts) == times(12, from: 90_000, step: 3600), "PES of \(size)")
            #expect(told.video.flatMap(\.bytes) == data, "PES of \(size)")
            #expect(told.video.map(\.isKeyframe) == (0..<12).map { $0 % 6 == 0 })
        }
    }

    @Test("two fields are one unit")
    func fields() throws {
        var writer = StreamWriter()
        writer.putTables(SampleStream.streams)
        for number in 0..<4 {
            let time = UInt64(90_000 + number * 3600)
            let first = SampleStream.sequence + SampleStream.picture(number, type: 1, structure: 1)
            writer.put(pes: StreamWriter.pes(0xE0, pts: time, first), pid: 0x100)
            writer.put(pes: StreamWriter.pes(0xE0, pts: time + 1800, SampleStream.picture(number, type: 2, structure: 2)), pid: 0x100)
        }
        let told = try read(writer.bytes)
        #expect(told.video.map(\.pts) == times(4, from: 90_000, step: 3600))
        #expect(told.video.allSatisfy { $0.isKeyframe })
    }

    @Test("frames of sound go over PES borders, with the time of the PES they begin in")
    func soundBorders() throws {
        let data = (0..<20).flatMap { SampleStream.frame($0) }
        for size in [50, 191, 193, 500, 3840] {
            var writer = StreamWriter()
            writer.putTables([.init(pid: 0x101, type: 3)])
            var position = 0
            while position < data.count {
                // The first frame that begins in the PES.
                let first = (position + 191) / 192
                let hasFrame = first * 192 < position + size
                let pts = hasFrame ? 50_000 + UInt64(first) * 2160 : nil
                writer.put(pes: StreamWriter.pes(0xC0, pts: pts, Array(data[position...].prefix(size))), pid: 0x101)
                position += size
            }
            let told = try read(writer.bytes)
            #expect(told.audio.map(\.pts) == times(20, from: 50_000, step: 2160), "PES of \(size)")
            #expect(told.audio.flatMap(\.bytes) == data, "PES of \(size)")
        }
    }

    @Test("a walk from any place tells the same units as the walk from the start")
    func randomAccess() throws {
        let bytes = SampleStream.bytes(pictures: 40)
        let whole = try read(bytes)
        for offset in stride(from: 0, to: bytes.count, by: 211) {
            let (events, walker) = walk(TransportWalker(whole.head, at: UInt64(offset)), bytes)
            let units = events.compactMap { if case .unit(let unit) = $0 { unit } else { nil } }
            #expect(units.filter { $0.track == 0 } == whole.video.filter { $0.pesOffset >= offset }, "from \(offset)")
            #expect(units.filter { $0.track == 1 } == whole.audio.filter { $0.pesOffset >= offset }, "from \(offset)")
            #expect(walker.stride == 188 || units.isEmpty)
        }
        let (events, _) = walk(TransportWalker(whole.head, at: 5000, skipsToKeyframe: true), bytes)
        let first = events.firstNonNil { if case .unit(let unit) = $0, unit.track == 0 { unit } else { nil } }
        #expect(first?.isKeyframe == true && first?.pts == 90_000 + 12 * 3600)
    }

    @Test("a unit above its bound is told as damage, and the walk goes on")
    func bounds() throws {
        var limits = TransportLimits()
        limits.unitBytes = 5000
        var writer = StreamWriter()
        SampleStream.write(into: &writer, pictures: 3)
        writer.put(pes: StreamWriter.pes(0xE0, pts: 100_000, SampleStream.picture(3, type: 1, size: 9000)), pid: 0x100)
        SampleStream.write(into: &writer, pictures: 3, from: 110_000)
        let told = try read(writer.bytes, limits: limits)
        #expect(told.damages.count(.tooLarge) == 1 && told.video.count == 6)
    }
}

extension Sequence {
    func firstNonNil<Result>(_ transform: (Element) -> Result?) -> Result? {
        for element in self { if let result = transform(element) { return result } }
        return nil
    }
}
