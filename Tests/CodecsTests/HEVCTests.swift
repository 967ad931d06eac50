import Codecs
import Testing

@Suite struct HEVCTests {
    @Test("a sequence parameter set of an HDR film")
    func sequence() throws {
        let set = try HEVCSequenceParameters(unit: Vectors.hevcSequence)
        #expect(set.width == 1920 && set.height == 1080)
        #expect(set.profile.profile == 2 && set.profile.level == 120 && set.profile.constraints == 0x9000_0000_0000)
        #expect(set.chromaFormat == 1 && set.lumaDepth == 10 && set.chromaDepth == 10)
        #expect(set.temporalLayers == 1 && set.isTemporallyNested)
        #expect(set.reorderDepth == 2)
        #expect(set.usability?.colour == ColourDescription(primaries: 9, transfer: 16, matrix: 9))
        #expect(set.usability?.colour?.isHDR == true)
        #expect(set.frameRate == Ratio(24000, 1001))
        #expect(!set.isInterlaced)
    }

    @Test("video and picture parameter sets")
    func others() throws {
        let video = try HEVCVideoParameters(unit: Vectors.hevcVideo)
        #expect(video.identifier == 0 && video.temporalLayers == 1 && video.profile.level == 120)
        let picture = try HEVCPictureParameters(unit: Vectors.hevcPicture)
        #expect(picture.identifier == 0 && picture.sequenceIdentifier == 0)
    }

    @Test("the sub-layer that counts for the depth is the highest")
    func subLayers() throws {
        var writer = BitWriter()
        func exp(_ value: Int) {
            let length = Int.bitWidth - (value + 1).leadingZeroBitCount
            writer.put(0, length - 1)
            writer.put(value + 1, length)
        }
        writer.put(0, 4)
        writer.put(2, 3)
        writer.put(1, 1)
        writer.put(1, 8)
        writer.put(0, 32)
        writer.put(0, 48)
        writer.put(93, 8)
        writer.put(0b11_01 << 12, 16)  // sub-layer 0 has both, 1 a level
        writer.put(0, 64)
        writer.put(0, 40)
        for value in [0, 1, 639, 359] { exp(value + (value > 1 ? 1 : 0)) }
        writer.put(0, 1)
        for value in [0, 0, 4] { exp(value) }
        writer.put(1, 1)
        for (buffers, reorder) in [(1, 0), (2, 1), (4, 3)] { [buffers, reorder, 0].forEach(exp) }
        writer.put(0, 64)
        let set = try HEVCSequenceParameters(unit: [0x42, 1] + RBSP.escaped(writer.bytes))
        #expect(set.width == 640 && set.height == 360)
        #expect(set.reorderDepth == 3 && set.temporalLayers == 3)
    }

    @Test("the configuration is read, written alike, and made of in-band sets")
    func configuration() throws {
        let read = try HEVCConfiguration(record: Vectors.hvcC)
        #expect(read.boxPayload == Vectors.hvcC)
        #expect(read.units(ofType: HEVCNAL.sequence) == [Vectors.hevcSequence])
        #expect(try read.parameters().width == 1920)
        let made = try HEVCConfiguration(videoSets: [Vectors.hevcVideo], sequenceSets: [Vectors.hevcSequence], pictureSets: [Vectors.hevcPicture])
        #expect(made.arrays.map(\.units) == read.arrays.map(\.units))
        #expect(made.profile == read.profile && made.lengthSize == 4 && made.lumaDepth == 10)
        let stream = [Vectors.hevcVideo, Vectors.hevcSequence, Vectors.hevcPicture].flatMap { hex("00000001") + $0 }
        #expect(try HEVCConfiguration(codecPrivate: stream) == made)
        #expect(try HEVCConfiguration(codecPrivate: Vectors.hvcC) == read)
    }

    @Test("mastering display and content light come from messages")
    func light() throws {
        let mastering = SupplementalInformation.messages(in: RBSP.payload(of: Vectors.hevcMastering, headerSize: 2))
        let message = try #require(mastering.first { $0.type == SupplementalInformation.masteringDisplay })
        let display = try #require(MasteringDisplay(payload: message.payload))
        #expect(display.green == .init(x: 13250, y: 34500) && display.red == .init(x: 34000, y: 16000))
        #expect(display.maximumLuminance == 10_000_000 && display.minimumLuminance == 1)
        #expect(display.boxPayload == mastering[0].payload)
        let light = SupplementalInformation.messages(in: RBSP.payload(of: Vectors.hevcContentLight, headerSize: 2))
        #expect(light.first.flatMap { ContentLight(payload: $0.payload) } == ContentLight(maximumContent: 1000, maximumPictureAverage: 400))
    }

    @Test("damage never harms")
    func damage() {
        for bytes in damaged(Vectors.hevcSequence) { _ = try? HEVCSequenceParameters(unit: bytes) }
        for bytes in damaged(Vectors.hevcVideo) { _ = try? HEVCVideoParameters(unit: bytes) }
        for bytes in damaged(Vectors.hevcPicture) { _ = try? HEVCPictureParameters(unit: bytes) }
        for bytes in damaged(Vectors.hvcC) {
            guard let read = try? HEVCConfiguration(record: bytes) else { continue }
            #expect((try? HEVCConfiguration(record: read.boxPayload)) == read)
        }
        for cut in 0..<Vectors.hvcC.count { #expect(throws: CodecError.self) { try HEVCConfiguration(record: Array(Vectors.hvcC.prefix(cut))) } }
    }
}
