import Codecs
import Testing

@Suite struct H264Tests {
    @Test("a sequence parameter set with usability information")
    func high() throws {
        let set = try H264SequenceParameters(unit: Vectors.h264Sequence)
        #expect(set.profile == 100 && set.level == 12 && set.identifier == 0)
        #expect(set.width == 320 && set.height == 180)
        #expect(!set.isInterlaced)
        #expect(set.frameRate == Ratio(25, 1))
        #expect(set.usability?.pixelAspect == Ratio(1, 1))
        #expect(set.usability?.colour == ColourDescription(primaries: 1, transfer: 1, matrix: 1))
        #expect(set.reorderDepth == 2)
    }

    @Test("interlaced pictures of ten bits behind reference decoder parameters")
    func interlaced() throws {
        let set = try H264SequenceParameters(unit: Vectors.h264Interlaced)
        #expect(set.width == 720 && set.height == 576 && set.isInterlaced)
        #expect(set.chromaFormat == 2 && set.lumaDepth == 10 && set.chromaDepth == 10)
        #expect(set.frameRate == Ratio(25, 1))
        #expect(set.usability?.pixelAspect == Ratio(16, 11))
        #expect(set.usability?.reorderFrames == 2)
    }

    @Test("cropping takes 1088 lines to 1080")
    func cropped() throws {
        let set = try H264SequenceParameters(unit: Vectors.h264Baseline)
        #expect(set.profile == 66 && set.width == 1920 && set.height == 1080)
        #expect(set.frameRate == Ratio(30000, 1001))
        #expect(set.reorderDepth == 0)
    }

    /// A set without usability information.
    private func plain(profile: UInt8, constraints: UInt8 = 0, level: UInt8, orderType: Int = 0, across: Int = 120, down: Int = 68) -> [UInt8] {
        var writer = BitWriter()
        func exp(_ value: Int) {
            let length = Int.bitWidth - (value + 1).leadingZeroBitCount
            writer.put(0, length - 1)
            writer.put(value + 1, length)
        }
        writer.put(profile, 8)
        writer.put(constraints, 8)
        writer.put(level, 8)
        exp(0)
        if H264SequenceParameters.hasChromaFormat(profile) {
            for value in [1, 0, 0] { exp(value) }
            writer.put(0, 2)
        }
        exp(0)
        exp(orderType)
        if orderType == 0 { exp(0) }
        exp(4)
        writer.put(0, 1)
        exp(across - 1)
        exp(down - 1)
        writer.put(0b1100, 4)  // frame_mbs_only, direct_8x8, no cropping, no usability information
        writer.put(1, 1)
        return [0x67] + RBSP.escaped(writer.bytes)
    }

    @Test("without a statement the depth follows profile, order and level")
    func assumedDepth() throws {
        #expect(try H264SequenceParameters(unit: plain(profile: 66, level: 40)).reorderDepth == 0)
        #expect(try H264SequenceParameters(unit: plain(profile: 77, level: 40, orderType: 2)).reorderDepth == 0)
        #expect(try H264SequenceParameters(unit: plain(profile: 110, constraints: 0x10, level: 40)).reorderDepth == 0)
        #expect(try H264SequenceParameters(unit: plain(profile: 100, level: 40)).reorderDepth == 4)
        // 1920×1088 is 8160 macroblocks; level 3.2 keeps 20480 of them.
        #expect(try H264SequenceParameters(unit: plain(profile: 100, level: 32)).reorderDepth == 2)
        #expect(try H264SequenceParameters(unit: plain(profile: 77, level: 11, across: 22, down: 18)).decodedPictureFrames == 2)
        #expect(try H264SequenceParameters(unit: plain(profile: 77, constraints: 0x10, level: 11, across: 22, down: 18)).decodedPictureFrames == 1)
    }

    @Test("impossible sizes are refused")
    func impossible() {
        #expect(throws: CodecError.self) { try H264SequenceParameters(unit: plain(profile: 77, level: 40, across: 5000)) }
        #expect(throws: CodecError.self) { try H264SequenceParameters(unit: [0x68, 1, 2, 3]) }
    }

    @Test("a picture parameter set's numbers")
    func picture() throws {
        #expect(try H264PictureParameters(unit: Vectors.h264Picture).identifier == 0)
        let set = try H264PictureParameters(unit: hex("68 4C"))  // 010 011
        #expect(set.identifier == 1 && set.sequenceIdentifier == 2)
    }

    @Test("the configuration made of in-band sets is ffmpeg's")
    func configuration() throws {
        let made = try AVCConfiguration(sequenceSets: [Vectors.h264Sequence], pictureSets: [Vectors.h264Picture])
        #expect(made.boxPayload == Vectors.avcC)
        let stream = hex("00000001") + Vectors.h264Sequence + hex("000001") + Vectors.h264Picture + hex("000001 6588")
        #expect(try AVCConfiguration(annexB: stream + stream) == made)
        #expect(try AVCConfiguration(codecPrivate: stream) == made)
        #expect(try AVCConfiguration(codecPrivate: Vectors.avcC) == made)
        #expect(try made.parameters().width == 320)
        #expect(made.boxType == "avcC")
    }

    @Test("chroma and depth bytes come with the profiles that have them, and may be missing")
    func format() throws {
        let made = try AVCConfiguration(sequenceSets: [Vectors.h264Interlaced], pictureSets: [Vectors.h264InterlacedPicture])
        #expect(made.boxPayload.suffix(4) == hex("FEFAFA00"))
        let short = try AVCConfiguration(record: Array(made.boxPayload.dropLast(4)))
        #expect(short.format == nil && short.sequenceSets == made.sequenceSets)
        let baseline = try AVCConfiguration(sequenceSets: [Vectors.h264Baseline], pictureSets: [hex("68ce0fc8")])
        #expect(baseline.boxPayload.suffix(4) == hex("68ce0fc8"))
    }

    @Test("damage never harms")
    func damage() {
        for bytes in damaged(Vectors.h264Sequence) + damaged(Vectors.h264Interlaced) { _ = try? H264SequenceParameters(unit: bytes).reorderDepth }
        for bytes in damaged(Vectors.h264Picture) { _ = try? H264PictureParameters(unit: bytes) }
        for bytes in damaged(Vectors.avcC) {
            guard let read = try? AVCConfiguration(codecPrivate: bytes) else { continue }
            #expect((try? AVCConfiguration(record: read.boxPayload)) == read)
        }
        #expect(throws: CodecError.self) { try AVCConfiguration(record: Array(Vectors.avcC.prefix(40))) }
    }
}
