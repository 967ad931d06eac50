import Codecs
import Testing

@Suite struct VideoTests {
    @Test("AV1: the record is read, written alike, and its sequence header understood")
    func av1() throws {
        let record = try AV1Configuration(record: Vectors.av1C)
        #expect(record.boxPayload == Vectors.av1C)
        let header = try #require(record.sequenceHeader)
        #expect(header.width == 320 && header.height == 180 && header.depth == 8 && header.profile == 0)
        let made = try AV1Configuration(temporalUnit: hex("1200") + record.units + hex("3200"))
        #expect(made == record)
        #expect(throws: CodecError.self) { try AV1Configuration(record: hex("01000c00")) }
    }

    @Test("AV1 units follow each other by their sizes")
    func av1Units() throws {
        let units = try #require(AV1Unit.units(in: hex("1200 0A03 010203 360101FF 10AABB")))
        #expect(units.map(\.type) == [2, 1, 6, 2])
        #expect(units.map(\.range) == [0..<2, 2..<7, 7..<11, 11..<14])
        #expect(AV1Unit.units(in: hex("0A05 01")) == nil)
        #expect(AV1Unit.units(in: hex("80")) == nil)
        #expect(AV1Unit.units(in: hex("0AFFFFFFFFFFFFFFFF01 01")) == nil)
    }

    @Test("VP9: a key frame's header, and the box that ffmpeg makes")
    func vp9() throws {
        let frame = try VP9FrameHeader(keyFrame: hex("82498342 0013F00B30 00"))
        #expect(frame.width == 320 && frame.height == 180)
        #expect(frame.profile == 0 && frame.depth == 8)
        let features = hex("010100 02010B 030108 040101")
        #expect(VPConfiguration(features: features, keyFrame: frame)?.boxPayload == Vectors.vpcC)
        #expect(VPConfiguration(features: [], keyFrame: frame)?.level == 31)
        #expect(VPConfiguration(features: [], keyFrame: nil) == nil)
        #expect(VPConfiguration(features: hex("0101"), keyFrame: nil) == nil)
        #expect(throws: CodecError.self) { try VP9FrameHeader(keyFrame: hex("86000000")) }
    }

    @Test("MPEG-2: sequence header and extension, and the bytes for the decoder")
    func mpeg2() throws {
        let header = try MPEGVideoHeader(elementary: Vectors.mpeg2)
        #expect(header.width == 320 && header.height == 180 && header.isMPEG2 && header.isProgressive)
        #expect(header.frameRate == Ratio(25, 1))
        #expect(header.pixelAspect == Ratio(1, 1))
        #expect(header.bytes == hex("000001b31400b433ffffe018000001b5148a00010000"))
        #expect(header.objectType == .mpeg2MainVideo)
        #expect(MPEGVideoHeader.isIntraPicture(Vectors.mpeg2) == true)
        #expect(MPEGVideoHeader.isIntraPicture(hex("00000100 0010 0000")) == false)
        #expect(MPEGVideoHeader.isIntraPicture(hex("000001B3 0010 0000")) == nil)
    }

    @Test("MPEG-1 has no extension")
    func mpeg1() throws {
        let header = try MPEGVideoHeader(elementary: [1, 2, 3] + Vectors.mpeg1)
        #expect(header.width == 320 && header.height == 180 && !header.isMPEG2)
        #expect(header.bytes == hex("000001b31400b413ffffe018"))
        #expect(header.objectType == .mpeg1Video)
    }

    @Test("Dolby Vision records keep their bytes and name their box")
    func dolbyVision() throws {
        let record = hex("01 00 10 35 10") + [UInt8](repeating: 0, count: 30)
        let configuration = try DolbyVisionConfiguration(record: Array(record.prefix(24)))
        #expect(configuration.profile == 8 && configuration.level == 6 && configuration.compatibility == 1)
        #expect(configuration.boxType == "dvvC" && configuration.boxPayload.count == 24)
        #expect(try DolbyVisionConfiguration(record: hex("0100 0A 35 10")).boxType == "dvcC")
        #expect(try DolbyVisionConfiguration(record: hex("0100 0A 35 10")).boxPayload.count == 24)
        #expect(throws: CodecError.self) { try DolbyVisionConfiguration(record: hex("0100 0A 35")) }
    }

    @Test("pixel aspects, rotations and luminances")
    func picture() {
        #expect(PixelAspect.named(2) == Ratio(12, 11) && PixelAspect.named(0) == nil && PixelAspect.named(17) == nil)
        #expect(PixelAspect.ofDisplay(width: 1024, height: 576, pixelWidth: 720, pixelHeight: 576) == Ratio(64, 45))
        #expect(PixelAspect.ofDisplay(width: .max, height: 2, pixelWidth: 2, pixelHeight: 3) == nil)
        #expect(Ratio(1, 0) == nil && Ratio(UInt64(UInt32.max) + 2, 1) == nil)
        #expect(DisplayRotation(degrees: -90) == .threeQuarters && DisplayRotation(degrees: 450) == .quarter)
        #expect(DisplayRotation(degrees: 45) == nil && DisplayRotation(degrees: .nan) == nil && DisplayRotation(degrees: 1e300) == nil)
        #expect(DisplayRotation.none.matrix(width: 3, height: 4) == [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000])
        _ = DisplayRotation.half.matrix(width: .max, height: .max)
        #expect(MasteringDisplay.luminance(1000) == 10_000_000)
        #expect(MasteringDisplay.luminance(-1) == nil && MasteringDisplay.luminance(.infinity) == nil)
        #expect(MasteringDisplay.Chromaticity(x: 0.708, y: 0.292) == MasteringDisplay.Chromaticity(x: UInt16(35400), y: UInt16(14600)))
        #expect(MasteringDisplay.Chromaticity(x: 2, y: 0) == nil)
    }

    @Test("damage never harms")
    func damage() {
        for bytes in damaged(Vectors.av1C) { _ = (try? AV1Configuration(record: bytes))?.sequenceHeader }
        for bytes in damaged(Array(Vectors.av1C.dropFirst(4))) { _ = try? AV1Configuration(temporalUnit: bytes) }
        for bytes in damaged(hex("82498342 0013F00B30 00")) { _ = try? VP9FrameHeader(keyFrame: bytes) }
        for bytes in damaged(hex("010100 02010B 030108 040101")) { _ = VPConfiguration(features: bytes, keyFrame: nil)?.boxPayload }
        for bytes in damaged(Vectors.mpeg2) + damaged(Vectors.mpeg1) {
            _ = try? MPEGVideoHeader(elementary: bytes)
            _ = MPEGVideoHeader.isIntraPicture(bytes)
        }
        for bytes in damaged(hex("0100103510")) { _ = try? DolbyVisionConfiguration(record: bytes).boxPayload }
    }
}
