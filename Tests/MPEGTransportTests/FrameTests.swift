import Codecs
import Testing

@testable import MPEGTransport

@Suite("Frames of sound") struct FrameTests {
    private let pid: UInt16 = 0x101

    /// A program with sound alone; each PES holds `size` bytes of `data`, the first one with a time.
    private func stream(
        _ type: UInt8, descriptors: [UInt8] = [], _ data: [UInt8], size: Int, pts: UInt64 = 90_000
    ) -> [UInt8] {
        var writer = StreamWriter()
        writer.putTables([.init(pid: pid, type: type, descriptors: descriptors)])
        var rest = data[...]
        while !rest.isEmpty {
            let isFirst = rest.startIndex == 0
            writer.put(
                pes: StreamWriter.pes(0xBD, pts: isFirst ? pts : nil, Array(rest.prefix(size))), pid: pid)
            rest = rest.dropFirst(size)
        }
        return writer.bytes
    }

    private func payload(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { (index: Int) -> UInt8 in UInt8(1 + (index * 5 + number * 11) % 120) }
    }

    private func joined(_ frames: [[UInt8]]) -> [UInt8] { Array(frames.joined()) }

    /// AAC LC, 48 kHz, stereo.
    private func adts(_ payload: [UInt8], blocks: Int = 1) -> [UInt8] {
        let size = payload.count + 7
        var bytes: [UInt8] = [0xFF, 0xF1, 0x4C]
        bytes.append(0x80 | UInt8(size >> 11))
        bytes.append(UInt8(size >> 3 & 0xFF))
        bytes.append(UInt8(size & 7) << 5 | 0x1F)
        bytes.append(0xFC | UInt8(blocks - 1))
        return bytes + payload
    }

    /// LOAS: StreamMuxConfig of AAC LC, 48 kHz, stereo in every frame.
    private func loas(_ payload: [UInt8], programs: Int = 1) -> [UInt8] {
        var writer = BitWriter()
        writer.put(0, 1)  // useSameStreamMux
        writer.put(0, 1)  // audioMuxVersion
        writer.put(1, 1)  // allStreamsSameTimeFraming
        writer.put(0, 6)
        writer.put(programs - 1, 4)
        writer.put(0, 3)
        writer.put(0b00010_0011_0010_000, 16)  // AudioSpecificConfig
        writer.put(0, 3)  // frameLengthType
        writer.put(0xFF, 8)
        writer.put(0, 2)  // otherDataPresent, crcCheckPresent
        var left = payload.count
        while left >= 255 {
            writer.put(255, 8)
            left -= 255
        }
        writer.put(left, 8)
        for byte in payload { writer.put(byte, 8) }
        writer.align()
        let content = writer.bytes
        let head: [UInt8] = [0x56, 0xE0 | UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
        return head + content
    }

    @Test(
        "AAC: headers are taken off, frames may go over PES borders",
        arguments: [40, 91, 107, 300, 5000])
    func adtsFrames(size: Int) throws {
        let payloads = (0..<12).map { payload($0, 80 + $0 * 7) }
        let data: [UInt8] = joined(payloads.map { adts($0) })
        let told = try read(stream(0x0F, data, size: size))
        #expect(told.audio.map(\.bytes) == payloads)
        #expect(told.audio.map(\.pts) == times(12, from: 90_000, step: 1920))
        #expect(
            told.audio.first?.isTimeDerived == false
                && told.audio.dropFirst().allSatisfy { $0.isTimeDerived })
        #expect(told.audio.allSatisfy { $0.samples == 1024 })
        #expect(told.damages.isEmpty)
        guard case .aac(let configuration)? = told.tracks[0].configuration else {
            return #expect(Bool(false))
        }
        #expect(
            configuration.objectType == 2 && configuration.samplingRate == 48000
                && configuration.channels == 2)
    }

    @Test(
        "AAC: bytes between frames are lost alone; a frame with several blocks is named as not carried")
    func adtsDamage() throws {
        let payloads = (0..<8).map { payload($0, 100) }
        let noise: [UInt8] = [0xFF, 0xF1, 9, 9, 9, 0xFF, 0xF0]
        let before: [UInt8] = joined(Array(payloads[..<4]).map { adts($0) })
        let after: [UInt8] = joined(Array(payloads[4...]).map { adts($0) })
        let data: [UInt8] = before + noise + after
        let told = try read(stream(0x0F, data, size: 333))
        #expect(told.audio.map(\.bytes) == payloads)
        #expect(told.damages.counts == [.lostFrame: 1])
        let several = try read(
            stream(0x0F, joined([adts(payloads[0]), adts(payloads[1], blocks: 2), adts(payloads[2])]), size: 1000)
        )
        #expect(several.audio.map(\.bytes) == [payloads[0], payloads[2]])
        #expect(several.damages.counts == [.unsupportedFrame: 1])
    }

    @Test("a frame with packets missing inside is left out, what follows is found again")
    func holes() throws {
        let payloads = (0..<12).map { payload($0, 400) }
        var writer = StreamWriter()
        writer.putTables([.init(pid: pid, type: 0x0F)])
        for number in 0..<12 {
            let pes = StreamWriter.pes(0xC0, pts: UInt64(90_000 + number * 1920), adts(payloads[number]))
            let mark = writer.bytes.count
            writer.put(pes: pes, pid: pid)
            if number == 5 { writer.bytes.removeSubrange(mark + 188..<mark + 376) }
        }
        let told = try read(writer.bytes)
        let times: [Int64] = (0..<12).filter { $0 != 5 }.map { 90_000 + Int64($0) * 1920 }
        #expect(told.audio.map(\.pts) == times)
        let left: [[UInt8]] = Array(payloads[..<5]) + Array(payloads[6...])
        #expect(told.audio.map(\.bytes) == left)
        #expect(
            told.damages.count(.continuity) == 1 && told.damages.count(.lostFrame) == 1
                && told.damages.count(.shortPES) == 1)
    }

    @Test(
        "LATM is unwrapped to AAC; several programs in it are named as not carried",
        arguments: [50, 1000])
    func latm(size: Int) throws {
        let payloads = (0..<6).map { payload($0, 200 + $0 * 30) }
        let told = try read(stream(0x11, joined(payloads.map { loas($0) }), size: size))
        #expect(told.audio.map(\.bytes) == payloads)
        #expect(told.audio.map(\.pts) == times(6, from: 90_000, step: 1920))
        guard case .aac(let configuration)? = told.tracks[0].configuration else {
            return #expect(Bool(false))
        }
        #expect(configuration.objectType == 2 && configuration.samplingRate == 48000)
        let error = #expect(throws: TransportError.self) {
            try read(stream(0x11, joined(payloads.map { loas($0, programs: 2) }), size: size))
        }
        #expect(error?.code == .noProgram)
    }

    @Test(
        "Opus: control headers are taken off, the descriptor says the channels",
        arguments: [30, 64, 1000])
    func opus(size: Int) throws {
        // TOC 0xFC: CELT, 20 ms, stereo, one frame.
        let toc: [UInt8] = [0xFC]
        let packets = (0..<10).map { toc + payload($0, 60 + $0 * 31) }
        var data: [UInt8] = []
        for (number, packet) in packets.enumerated() {
            data += number == 0 ? [0x7F, 0xF0] : [0x7F, 0xE0]
            data += [UInt8](repeating: 255, count: packet.count / 255)
            data.append(UInt8(packet.count % 255))
            if number == 0 { data += [0x01, 0x38] }
            data += packet
        }
        let descriptors: [UInt8] = [5, 4, 0x4F, 0x70, 0x75, 0x73, 0x7F, 2, 0x80, 2]
        let told = try read(stream(0x06, descriptors: descriptors, data, size: size))
        #expect(told.audio.map(\.bytes) == packets)
        #expect(told.audio.map(\.pts) == times(10, from: 90_000, step: 1800))
        guard case .opus(let configuration)? = told.tracks[0].configuration else {
            return #expect(Bool(false))
        }
        #expect(configuration.channels == 2 && configuration.preSkip == 312)
    }

    @Test("E-AC-3: dependent substreams are of the same unit", arguments: [100, 257, 4000])
    func dolby(size: Int) throws {
        /// strmtyp, substream 0, 128 bytes, 48 kHz, 6 blocks, stereo.
        func frame(_ number: Int, dependent: Bool) -> [UInt8] {
            var writer = BitWriter()
            writer.put(0x0B77, 16)
            writer.put(dependent ? 1 : 0, 2)
            writer.put(0, 3)
            writer.put(63, 11)
            writer.put(0, 2)
            writer.put(3, 2)
            writer.put(2, 3)
            writer.put(0, 1)
            writer.put(16, 5)
            writer.put(0, 5)
            writer.put(0, 1)
            writer.align()
            return writer.bytes + payload(number, 128 - writer.bytes.count)
        }
        let units = (0..<6).map { frame($0, dependent: false) + frame($0 + 50, dependent: true) }
        let told = try read(stream(0x87, joined(units), size: size))
        #expect(told.audio.map(\.bytes) == units)
        #expect(told.audio.map(\.pts) == times(6, from: 90_000, step: 2880))
    }
}
