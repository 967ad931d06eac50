import Testing

@testable import Matroska

@Suite("Tracks (RFC 9559 §5.1.4)") struct TrackTests {
    private func track(_ children: [UInt8]..., number: UInt64 = 1, codec: String = "V_VP9") throws -> Track {
        let bytes = EBML.unsigned(.trackNumber, number) + EBML.text(.codecID, codec) + Array(children.joined())
        return try Track(ElementBody(id: .trackEntry, bytes: bytes[...], position: 0, path: [.segment, .tracks, .trackEntry]))
    }

    @Test("what a TrackEntry does not say has the standard's default")
    func defaults() throws {
        let track = try track()
        #expect(track.isEnabled && track.isDefault && !track.isForced && track.mayLace)
        #expect(track.isOriginal == nil && track.isCommentary == nil && track.isHearingImpaired == nil)
        #expect(track.language == "eng" && track.languageBCP47 == nil && track.timestampScale == 1)
        #expect(track.defaultDuration == nil && track.codecDelay == 0 && track.seekPreRoll == 0 && track.encodings.isEmpty)
        #expect(track.kind == .other(0) && track.video == nil && track.audio == nil && track.codecPrivate == nil)
    }

    @Test("flags, names, times")
    func everything() throws {
        let track = try track(
            EBML.unsigned(.trackUID, 77), EBML.unsigned(.trackType, 17), EBML.unsigned(.flagEnabled, 0), EBML.unsigned(.flagDefault, 0),
            EBML.unsigned(.flagForced, 1), EBML.unsigned(.flagLacing, 0), EBML.unsigned(.flagHearingImpaired, 1),
            EBML.unsigned(.flagVisualImpaired, 0), EBML.unsigned(.flagTextDescriptions, 1), EBML.unsigned(.flagOriginal, 1),
            EBML.unsigned(.flagCommentary, 0), EBML.text(.trackName, "Kommentar"), EBML.text(.language, "ger"),
            EBML.text(.languageBCP47, "de-AT"), EBML.unsigned(.codecDelay, 6_500_000), EBML.unsigned(.seekPreRoll, 80_000_000),
            EBML.unsigned(.defaultDuration, 0), EBML.unsigned(.defaultDecodedFieldDuration, 20_000_000),
            EBML.float(.trackTimestampScale, 2), EBML.unsigned(.maxBlockAdditionID, 4), EBML.text(.codecName, "n"),
            EBML.master(.trackOperation))
        #expect(track.uid == 77 && track.kind == .subtitle)
        #expect(!track.isEnabled && !track.isDefault && track.isForced && !track.mayLace)
        #expect(track.isHearingImpaired == true && track.isVisualImpaired == false && track.isTextDescriptions == true)
        #expect(track.isOriginal == true && track.isCommentary == false)
        #expect(track.name == "Kommentar" && track.language == "ger" && track.languageTag == "de-AT" && track.codecName == "n")
        #expect(track.codecDelay == 6_500_000 && track.seekPreRoll == 80_000_000)
        #expect(track.defaultDuration == nil && track.defaultDecodedFieldDuration == 20_000_000)
        #expect(track.timestampScale == 2 && track.maxBlockAdditionID == 4 && track.hasOperation)
    }

    @Test("a track without number or codec is refused")
    func refused() {
        #expect(throws: MatroskaError.self) { try track(number: 0) }
        #expect(throws: MatroskaError.self) { try track(codec: "") }
    }

    @Test(
        "kinds of tracks",
        arguments: [
            (1, .video), (2, .audio), (3, .complex), (16, .logo), (17, .subtitle), (18, .buttons), (32, .control), (33, .metadata), (99, .other(99)),
        ]
            as [(UInt64, TrackKind)])
    func kinds(number: UInt64, kind: TrackKind) throws {
        #expect(try track(EBML.unsigned(.trackType, number)).kind == kind)
    }

    @Test("video: crop, display, fields, stereo, alpha")
    func video() throws {
        let video = try #require(
            try track(
                EBML.master(
                    .video, EBML.unsigned(.pixelWidth, 1440), EBML.unsigned(.pixelHeight, 1088), EBML.unsigned(.pixelCropTop, 2),
                    EBML.unsigned(.pixelCropBottom, 6), EBML.unsigned(.pixelCropLeft, 10), EBML.unsigned(.pixelCropRight, 30),
                    EBML.unsigned(.displayWidth, 16), EBML.unsigned(.displayHeight, 9), EBML.unsigned(.displayUnit, 3),
                    EBML.unsigned(.flagInterlaced, 1), EBML.unsigned(.fieldOrder, 6), EBML.unsigned(.stereoMode, 1),
                    EBML.unsigned(.alphaMode, 1), EBML.binary(.uncompressedFourCC, Array("I420".utf8)))
            ).video)
        #expect(video.croppedSize.map { [$0.width, $0.height] } == [1400, 1080])
        #expect(video.displaySize.map { [$0.width, $0.height] } == [16, 9])
        #expect(video.interlacing == .interlaced && video.fieldOrder == 6 && video.stereoMode == 1 && video.hasAlpha)
        #expect(video.uncompressedFourCC == Array("I420".utf8))
    }

    @Test("the display size follows from the cropped picture only when its unit is pixels, and a crop of everything leaves nothing")
    func displaySize() throws {
        func video(_ more: [UInt8]...) throws -> VideoSettings? {
            try track(EBML.master(.video, EBML.unsigned(.pixelWidth, 100), EBML.unsigned(.pixelHeight, 50), Array(more.joined()))).video
        }
        #expect(try video()?.displaySize.map { [$0.width, $0.height] } == [100, 50])
        #expect(try video(EBML.unsigned(.displayWidth, 80))?.displaySize.map { [$0.width, $0.height] } == [80, 50])
        #expect(try video(EBML.unsigned(.displayUnit, 3))?.displaySize == nil)
        #expect(try video(EBML.unsigned(.displayUnit, 4), EBML.unsigned(.displayWidth, 8), EBML.unsigned(.displayHeight, 8))?.displaySize == nil)
        #expect(try video(EBML.unsigned(.pixelCropLeft, 100))?.croppedSize == nil)
        #expect(try video(EBML.unsigned(.pixelCropLeft, .max), EBML.unsigned(.pixelCropRight, .max))?.croppedSize == nil)
    }

    @Test("colour, mastering display and projection")
    func colour() throws {
        let points: [(ElementID, Double)] = [
            (.primaryRChromaticityX, 0.68), (.primaryRChromaticityY, 0.32), (.primaryGChromaticityX, 0.265), (.primaryGChromaticityY, 0.69),
            (.primaryBChromaticityX, 0.15), (.primaryBChromaticityY, 0.06), (.whitePointChromaticityX, 0.3127),
            (.whitePointChromaticityY, 0.329), (.luminanceMax, 1000), (.luminanceMin, 0.01),
        ]
        let numbers: [(ElementID, UInt64)] = [
            (.matrixCoefficients, 9), (.bitsPerChannel, 10), (.chromaSubsamplingHorz, 1), (.chromaSubsamplingVert, 2), (.cbSubsamplingHorz, 3),
            (.cbSubsamplingVert, 4), (.chromaSitingHorz, 1), (.chromaSitingVert, 2), (.range, 1), (.transferCharacteristics, 16), (.primaries, 9),
            (.maxCLL, 1200), (.maxFALL, 300),
        ]
        let colour = EBML.master(
            .colour, Array(numbers.map { EBML.unsigned($0.0, $0.1) }.joined()),
            EBML.master(.masteringMetadata, Array(points.map { EBML.float($0.0, $0.1) }.joined())))
        let projection = EBML.master(
            .projection, EBML.unsigned(.projectionType, 1), EBML.binary(.projectionPrivate, [5]), EBML.float(.projectionPoseYaw, 1),
            EBML.float(.projectionPosePitch, -2), EBML.float(.projectionPoseRoll, 90))
        let video = try #require(try track(EBML.master(.video, colour, projection)).video)
        let read = try #require(video.colour)
        #expect([read.matrix, read.transfer, read.primaries, read.range, read.bitsPerChannel] == [9, 16, 9, 1, 10])
        #expect([read.chromaSubsamplingHorizontal, read.chromaSubsamplingVertical] == [1, 2])
        #expect([read.cbSubsamplingHorizontal, read.cbSubsamplingVertical] == [3, 4])
        #expect([read.chromaSitingHorizontal, read.chromaSitingVertical] == [1, 2])
        #expect([read.maxContentLight, read.maxFrameAverageLight] == [1200, 300])
        let mastering = try #require(read.mastering)
        #expect(mastering.red == .init(x: 0.68, y: 0.32) && mastering.green == .init(x: 0.265, y: 0.69))
        #expect(mastering.blue == .init(x: 0.15, y: 0.06) && mastering.white == .init(x: 0.3127, y: 0.329))
        #expect(mastering.luminanceMax == 1000 && mastering.luminanceMin == 0.01)
        #expect(video.projection?.type == 1 && video.projection?.privateData == [5])
        #expect(video.projection?.yaw == 1 && video.projection?.pitch == -2 && video.projection?.roll == 90)
        let plain = try #require(try track(EBML.master(.video, EBML.master(.colour))).video?.colour)
        #expect([plain.matrix, plain.transfer, plain.primaries] == [2, 2, 2])
    }

    @Test("audio, and its defaults")
    func audio() throws {
        let audio = try #require(
            try track(
                EBML.master(
                    .audio, EBML.float(.samplingFrequency, 24000), EBML.float(.outputSamplingFrequency, 48000), EBML.unsigned(.channels, 6),
                    EBML.unsigned(.bitDepth, 24), EBML.unsigned(.emphasis, 1))
            ).audio)
        #expect(audio.samplingFrequency == 24000 && audio.outputSamplingFrequency == 48000 && audio.channels == 6)
        #expect(audio.bitDepth == 24 && audio.emphasis == 1)
        let plain = try #require(try track(EBML.master(.audio)).audio)
        #expect(plain.samplingFrequency == 8000 && plain.channels == 1 && plain.bitDepth == nil)
        #expect(throws: MatroskaError.self) { try track(EBML.master(.audio, EBML.float(.samplingFrequency, -1))) }
    }

    @Test("Dolby Vision's configuration in a BlockAdditionMapping")
    func dolbyVision() throws {
        let track = try track(
            EBML.master(
                .blockAdditionMapping, EBML.unsigned(.blockAddIDValue, 4), EBML.text(.blockAddIDName, "Dolby Vision configuration"),
                EBML.unsigned(.blockAddIDType, 0x6476_7643), EBML.binary(.blockAddIDExtraData, [1, 0, 16])))
        let mapping = try #require(track.blockAdditionMappings.first)
        #expect(mapping.value == 4 && mapping.name == "Dolby Vision configuration" && mapping.type == 0x6476_7643)
        #expect(mapping.extraData == [1, 0, 16])
    }
}
