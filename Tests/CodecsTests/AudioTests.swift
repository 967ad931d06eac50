import Codecs
import Testing

@Suite struct AudioTests {
    @Test("AAC: ADTS header, configuration, and ffmpeg's descriptor")
    func aac() throws {
        let header = try #require(ADTSHeader(Vectors.adts))
        #expect(header.objectType == 2 && header.samplingRate == 48000 && header.frameSize == 219 && header.headerSize == 7)
        let configuration = try header.configuration(payload: Vectors.adts.dropFirst(7))
        #expect(configuration.bytes == hex("1188") && configuration.channels == 1 && configuration.frameLength == 1024)
        let descriptor = ElementaryStreamDescriptor(
            objectType: .mpeg4Audio, specific: configuration.bytes, maximumBitrate: 73336, averageBitrate: 70710)
        let read = try ElementaryStreamDescriptor(payload: Vectors.aacESDS)
        #expect(read == descriptor)
        #expect(try ElementaryStreamDescriptor(payload: descriptor.boxPayload) == descriptor)
        #expect(descriptor.boxPayload.count == Vectors.aacESDS.count)
    }

    @Test("AAC configurations: HE, PS, backward compatible, 960, described channels, escapes")
    func configurations() throws {
        let lc = try AudioSpecificConfig(bytes: hex("1210"))
        #expect(lc.objectType == 2 && lc.samplingRate == 44100 && lc.channels == 2 && !lc.hasSBR && lc.frameLength == 1024)
        let he = try AudioSpecificConfig(bytes: hex("2B118800"))  // 5, 24000, 2 channels, 48000, LC
        #expect(he.hasSBR && he.samplingRate == 24000 && he.extensionRate == 48000 && he.objectType == 2)
        let compatible = try AudioSpecificConfig(bytes: hex("131056E598"))
        #expect(compatible.hasSBR && !compatible.hasPS && compatible.samplingRate == 24000 && compatible.extensionRate == 48000)
        let ps = try AudioSpecificConfig(bytes: hex("130856E59D4880"))
        #expect(ps.hasSBR && ps.hasPS && ps.channels == 1)
        #expect(try AudioSpecificConfig(bytes: hex("1194")).frameLength == 960)
        #expect(throws: CodecError.self) { try AudioSpecificConfig(bytes: hex("11")) }
        #expect(throws: CodecError.self) { try AudioSpecificConfig(bytes: hex("FFFF")) }
        var writer = BitWriter()  // 48000 Hz written out
        for (value, count) in [(2, 5), (15, 4), (48000, 24), (2, 4), (0, 3)] { writer.put(value, count) }
        #expect(try AudioSpecificConfig(bytes: writer.bytes).samplingRate == 48000)
    }

    @Test("AAC whose channels a program config element describes")
    func described() throws {
        var payload = BitWriter()
        payload.put(5, 3)
        for (value, count) in [(0, 4), (1, 2), (3, 4), (2, 4), (0, 4), (1, 4), (1, 2), (0, 3), (0, 4), (0, 3)] { payload.put(value, count) }
        for (value, count) in [(0, 5), (17, 5), (18, 5), (3, 4)] { payload.put(value, count) }  // centre, pair; pair; low frequency
        payload.align()
        payload.put(2, 8)
        payload.put(0x4142, 16)
        var head = BitWriter()
        for (value, count) in [(0xFFF1, 16), (1, 2), (3, 4), (0, 1), (0, 3), (0, 4), (7 + payload.bytes.count, 13), (0x7FF, 11), (0, 2)] {
            head.put(value, count)
        }
        let header = try #require(ADTSHeader(head.bytes))
        let configuration = try header.configuration(payload: payload.bytes)
        #expect(configuration.channels == 6)
        #expect(try AudioSpecificConfig(bytes: configuration.bytes) == configuration)
        #expect(throws: CodecError.self) { try header.configuration(payload: [0x20]) }
    }

    @Test("LATM: the configuration, and the frame inside")
    func latm() throws {
        var stream = LATMStream()
        #expect(LATMStream.frameSize(Vectors.latm) == Vectors.latm.count)
        let frames = try stream.frames(in: Vectors.latm)
        let configuration = try #require(stream.configuration)
        #expect(configuration.samplingRate == 48000 && configuration.channels == 1 && configuration.bytes == hex("1188"))
        #expect(frames.count == 1)
        // The frame is a raw data block: it begins with the fill element that the encoder's ADTS stream has, too.
        #expect(frames[0].starts(with: hex("DE02004C6176633539")))
        var late = LATMStream()
        #expect(try late.frames(in: hex("56E001 80")).isEmpty)
    }

    @Test("AC-3: head, size and box")
    func ac3() throws {
        let frame = try #require(AC3Frame(Vectors.ac3))
        #expect(frame.kind == .ac3 && frame.samplingRate == 48000 && frame.size == 1792 && frame.channels == 6 && frame.samples == 1536)
        #expect(AC3Configuration(frame)?.boxPayload == hex("103de0"))
        #expect(AC3Frame(hex("0b77b50b 4540ebf8 403eff99"))?.size == 210)  // 44.1 kHz, 48 kbit/s: 104 or 105 words
        #expect(AC3Frame(hex("0b77b50b ff40ebf8 403eff99")) == nil)
    }

    @Test("E-AC-3: head and box, dependent substreams and further programs")
    func eac3() throws {
        let frame = try #require(AC3Frame(Vectors.eac3))
        #expect(frame.kind == .independent && frame.size == 1792 && frame.samplingRate == 48000 && frame.channels == 6)
        let whole = Vectors.eac3 + [UInt8](repeating: 0, count: 1792 - Vectors.eac3.count)
        #expect(try EAC3Configuration(accessUnit: whole).boxPayload == hex("0e00200f00"))
        var dependent = BitWriter()
        for (value, count) in [(0x0B77, 16), (1, 2), (0, 3), (15, 11), (0, 2), (3, 2), (2, 3), (0, 1), (16, 5), (31, 5), (0, 1)] {
            dependent.put(value, count)
        }
        dependent.put(1, 1)
        dependent.put(0x0200, 16)  // Lrs/Rrs
        let second = dependent.bytes + [UInt8](repeating: 0, count: 32 - dependent.bytes.count)
        let configuration = try EAC3Configuration(accessUnit: whole + second + whole)
        #expect(configuration.substreams.count == 1 && configuration.substreams[0].dependents == 1)
        #expect(configuration.substreams[0].locations == 2 && configuration.channels == 8)
        #expect(configuration.boxPayload.count == 6)
        #expect(throws: CodecError.self) { try EAC3Configuration(accessUnit: second) }
        #expect(throws: CodecError.self) { try EAC3Configuration(accessUnit: Vectors.eac3) }
    }

    @Test("DTS: core, core with extension, extension alone")
    func dts() throws {
        let core = try #require(DTSFrame(Vectors.dts))
        #expect(core.samples == 512 && core.samplingRate == 48000 && core.coreSize == core.size && core.channels == 6)
        #expect(DTSConfiguration(core).entryType == "dtsc")
        #expect(DTSConfiguration(core).boxPayload.count == 20)
        #expect(DTSConfiguration(core).boxPayload.starts(with: hex("0000BB80")))
        let aligned = (core.coreSize + 3) & ~3
        let padded = Vectors.dts + [UInt8](repeating: 0, count: aligned - Vectors.dts.count)
        var head = BitWriter()
        for (value, count) in [(0x6458_2025, 32), (0, 8), (0, 2), (0, 1), (31, 8), (99, 16), (1, 1), (2, 2), (0, 3)] { head.put(value, count) }
        let both = try #require(DTSFrame(padded + head.bytes))
        #expect(both.hasExtension && both.size == aligned + 100 && DTSConfiguration(both).entryType == "dtsh")
        let alone = try #require(DTSFrame(head.bytes))
        #expect(!alone.hasCore && alone.size == 100 && alone.samples == 512 && alone.samplingRate == 48000)
        #expect(DTSConfiguration(alone).entryType == "dtsl")
    }

    @Test("Opus: head and box, and the time of packets")
    func opus() throws {
        let surround = try OpusConfiguration(payload: Vectors.dOps6)
        #expect(surround.channels == 6 && surround.preSkip == 312 && surround.inputRate == 48000 && surround.family == 1)
        #expect(surround.boxPayload == Vectors.dOps6)
        let head = Array("OpusHead".utf8) + hex("01 06 3801 80BB0000 0000 01 0402000401020305")
        #expect(try OpusConfiguration(head: head) == surround)
        #expect(OpusConfiguration(channels: 6)?.mapping == surround.mapping)
        #expect(OpusConfiguration(channels: 2)?.family == 0 && OpusConfiguration(channels: 9) == nil)
        for cut in 0..<head.count { #expect(throws: CodecError.self) { try OpusConfiguration(head: Array(head.prefix(cut))) } }
        let times: [(String, Int?)] = [
            ("00", 480), ("18", 2880), ("60", 480), ("68", 960), ("80", 120), ("FC", 960), ("FD", 1920), ("FE", 1920), ("FF03", 2880), ("FF", nil),
            ("", nil), ("FF07", nil), ("FF00", nil),
        ]
        for (packet, samples) in times { #expect(OpusPacket.samples(hex(packet)) == samples, "\(packet)") }
        let control = try #require(OpusTransportHeader(hex("7FF0 FF05 0138 AA")))
        #expect(control.packetSize == 260 && control.startTrim == 312 && control.size == 6 && control.endTrim == 0)
        #expect(OpusTransportHeader(hex("7FF0 FF")) == nil)
    }

    @Test("FLAC: stream information, other blocks, frames")
    func flac() throws {
        let plain = try FLACConfiguration(codecPrivate: Array("fLaC".utf8) + Vectors.dfLa.dropFirst(4))
        #expect(plain.boxPayload == Vectors.dfLa)
        #expect(plain.samplingRate == 48000 && plain.channels == 1 && plain.depth == 16 && plain.maximumBlock == 4608 && plain.isFixedBlock)
        let info = Vectors.dfLa[8...]
        let more = try FLACConfiguration(codecPrivate: Array("fLaC".utf8) + hex("00000022") + info + hex("04000002 AABB 81000003 000000"))
        #expect(more.boxPayload == hex("00000000 00000022") + info + hex("84000002 AABB"))
        let frames: [(String, Int?)] = [
            ("FFF81908 00", 192), ("FFF82908 00", 576), ("FFF8C908 00", 4096), ("FFF86908 00 FF", 256), ("FFF87908 C280 0FFF", 4096),
            ("FFF80908 00", nil), ("FFF87908 00 0F", nil), ("FFF8C908 80", nil), ("FFE0C90800", nil),
        ]
        for (frame, samples) in frames { #expect(FLACConfiguration.samples(frame: hex(frame)) == samples, "\(frame)") }
        #expect(throws: CodecError.self) { try FLACConfiguration(codecPrivate: Array("fLaC".utf8)) }
    }

    @Test("ALAC: the cookie, plain and wrapped")
    func alac() throws {
        let cookie = Array(Vectors.alac.dropFirst(4))
        let plain = try ALACConfiguration(codecPrivate: cookie)
        #expect(plain.boxPayload == Vectors.alac)
        #expect(plain.samplingRate == 48000 && plain.channels == 1 && plain.depth == 16 && plain.frameLength == 4096)
        let wrapped = hex("0000000C 66726D61 616C6163 00000024 616C6163 00000000") + cookie
        #expect(try ALACConfiguration(codecPrivate: wrapped).boxPayload == Vectors.alac)
    }

    @Test("MPEG audio: layers, versions, sizes")
    func mpegAudio() throws {
        let mp2 = try #require(MPEGAudioHeader(hex("fffde4c4")))
        #expect(mp2.layer == 2 && mp2.samplingRate == 48000 && mp2.bitrate == 384 && mp2.frameSize == 1152 && mp2.channels == 1)
        let mp3 = try #require(MPEGAudioHeader(hex("FFFB9064")))
        #expect(mp3.layer == 3 && mp3.samplingRate == 44100 && mp3.bitrate == 128 && mp3.frameSize == 417 && mp3.samples == 1152)
        #expect(MPEGAudioHeader(hex("FFFB9264"))?.frameSize == 418)
        let half = try #require(MPEGAudioHeader(hex("FFF38064")))
        #expect(half.samplingRate == 22050 && half.samples == 576 && half.bitrate == 64 && half.frameSize == 208 && half.objectType == .mpeg2Audio)
        #expect(MPEGAudioHeader(hex("FFFF1064"))?.samples == 384)
        for bad in ["FFFB0064", "FFFBF064", "FFFB9C64", "FFEB9064", "FFF99064", "FEFB9064", "FFFB90"] {
            #expect(MPEGAudioHeader(hex(bad)) == nil, "\(bad)")
        }
    }

    @Test("damage never harms")
    func damage() {
        for bytes in damaged(Vectors.adts) { _ = try? ADTSHeader(bytes)?.configuration(payload: bytes.dropFirst(7)) }
        for text in ["1210", "2B118800", "130856E59D4880", "F9461880"] {
            for bytes in damaged(hex(text)) { _ = try? AudioSpecificConfig(bytes: bytes) }
        }
        for bytes in damaged(Vectors.aacESDS) {
            guard let read = try? ElementaryStreamDescriptor(payload: bytes) else { continue }
            #expect((try? ElementaryStreamDescriptor(payload: read.boxPayload)) == read)
        }
        for bytes in damaged(Vectors.latm, rounds: 2000) {
            var stream = LATMStream()
            _ = try? stream.frames(in: bytes)
            _ = try? stream.frames(in: Vectors.latm)
        }
        for bytes in damaged(Vectors.ac3) + damaged(Vectors.eac3, rounds: 3000) {
            _ = AC3Frame(bytes).flatMap(AC3Configuration.init)?.boxPayload
            _ = try? EAC3Configuration(accessUnit: bytes + [UInt8](repeating: 0, count: 1768)).boxPayload
        }
        for bytes in damaged(Vectors.dts) { _ = DTSFrame(bytes).map { DTSConfiguration($0).boxPayload } }
        for bytes in damaged(Vectors.dOps6) { _ = try? OpusConfiguration(payload: bytes).boxPayload }
        for bytes in damaged(hex("7FFC FF05 0138 0138 03 AABBCC")) { _ = OpusTransportHeader(bytes) }
        for bytes in damaged(Array(Vectors.dfLa.dropFirst(4))) { _ = try? FLACConfiguration(codecPrivate: bytes).boxPayload }
        for bytes in damaged(hex("FFF87908 C280 0FFF")) { _ = FLACConfiguration.samples(frame: bytes) }
        for bytes in damaged(Vectors.alac) { _ = try? ALACConfiguration(codecPrivate: bytes) }
        for bytes in damaged(hex("FFFB9064")) { _ = MPEGAudioHeader(bytes) }
    }
}
