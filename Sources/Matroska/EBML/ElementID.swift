/// An Element ID with its length marker, as it stands in a file (RFC 8794 §5).
package struct ElementID: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `nil` for what no ID can be: a value without marker, all zeros, all ones, or longer than it need be (RFC 8794 §5). Matroska
    /// has one ID of all zeros nevertheless, that of ChapterDisplay.
    init?(valid raw: UInt32) {
        let length = 4 - raw.leadingZeroBitCount / 8
        guard length >= 1 else { return nil }
        let marker = UInt32(1) << (7 * length)
        guard raw >= marker, raw < marker << 1 else { return nil }
        let value = raw - marker
        // The value of all ones is kept free in every length, so the least of a length is the greatest of the one before.
        let least = length == 1 ? 0 : UInt32(1) << (7 * (length - 1)) - 1
        guard value >= least, value < marker - 1 else { return nil }
        rawValue = raw
    }

    /// The name in RFC 8794 §11 and RFC 9559 §5, or the number in hexadecimal for an ID that is not known here.
    package var name: String { ElementDefinition.of(self)?.name ?? "0x\(String(rawValue, radix: 16, uppercase: true))" }
}

/// The elements that are used here, by the names of the standards.
extension ElementID {
    // EBML
    package static let ebml = ElementID(rawValue: 0x1A45_DFA3)
    package static let ebmlVersion = ElementID(rawValue: 0x4286)
    package static let ebmlReadVersion = ElementID(rawValue: 0x42F7)
    package static let ebmlMaxIDLength = ElementID(rawValue: 0x42F2)
    package static let ebmlMaxSizeLength = ElementID(rawValue: 0x42F3)
    package static let docType = ElementID(rawValue: 0x4282)
    package static let docTypeVersion = ElementID(rawValue: 0x4287)
    package static let docTypeReadVersion = ElementID(rawValue: 0x4285)

    // Anywhere
    package static let crc32 = ElementID(rawValue: 0xBF)
    package static let void = ElementID(rawValue: 0xEC)

    // Segment
    package static let segment = ElementID(rawValue: 0x1853_8067)

    // SeekHead
    package static let seekHead = ElementID(rawValue: 0x114D_9B74)
    package static let seek = ElementID(rawValue: 0x4DBB)
    package static let seekID = ElementID(rawValue: 0x53AB)
    package static let seekPosition = ElementID(rawValue: 0x53AC)

    // Info
    package static let info = ElementID(rawValue: 0x1549_A966)
    package static let segmentUUID = ElementID(rawValue: 0x73A4)
    package static let segmentFilename = ElementID(rawValue: 0x7384)
    package static let timestampScale = ElementID(rawValue: 0x2A_D7B1)
    package static let duration = ElementID(rawValue: 0x4489)
    package static let dateUTC = ElementID(rawValue: 0x4461)
    package static let title = ElementID(rawValue: 0x7BA9)
    package static let muxingApp = ElementID(rawValue: 0x4D80)
    package static let writingApp = ElementID(rawValue: 0x5741)

    // Cluster
    package static let cluster = ElementID(rawValue: 0x1F43_B675)
    package static let timestamp = ElementID(rawValue: 0xE7)
    package static let silentTracks = ElementID(rawValue: 0x5854)
    package static let position = ElementID(rawValue: 0xA7)
    package static let prevSize = ElementID(rawValue: 0xAB)
    package static let simpleBlock = ElementID(rawValue: 0xA3)
    package static let blockGroup = ElementID(rawValue: 0xA0)
    package static let block = ElementID(rawValue: 0xA1)
    package static let blockVirtual = ElementID(rawValue: 0xA2)
    package static let blockAdditions = ElementID(rawValue: 0x75A1)
    package static let blockMore = ElementID(rawValue: 0xA6)
    package static let blockAdditional = ElementID(rawValue: 0xA5)
    package static let blockAddID = ElementID(rawValue: 0xEE)
    package static let blockDuration = ElementID(rawValue: 0x9B)
    package static let referencePriority = ElementID(rawValue: 0xFA)
    package static let referenceBlock = ElementID(rawValue: 0xFB)
    package static let codecState = ElementID(rawValue: 0xA4)
    package static let discardPadding = ElementID(rawValue: 0x75A2)
    package static let slices = ElementID(rawValue: 0x8E)
    package static let encryptedBlock = ElementID(rawValue: 0xAF)

    // Tracks
    package static let tracks = ElementID(rawValue: 0x1654_AE6B)
    package static let trackEntry = ElementID(rawValue: 0xAE)
    package static let trackNumber = ElementID(rawValue: 0xD7)
    package static let trackUID = ElementID(rawValue: 0x73C5)
    package static let trackType = ElementID(rawValue: 0x83)
    package static let flagEnabled = ElementID(rawValue: 0xB9)
    package static let flagDefault = ElementID(rawValue: 0x88)
    package static let flagForced = ElementID(rawValue: 0x55AA)
    package static let flagHearingImpaired = ElementID(rawValue: 0x55AB)
    package static let flagVisualImpaired = ElementID(rawValue: 0x55AC)
    package static let flagTextDescriptions = ElementID(rawValue: 0x55AD)
    package static let flagOriginal = ElementID(rawValue: 0x55AE)
    package static let flagCommentary = ElementID(rawValue: 0x55AF)
    package static let flagLacing = ElementID(rawValue: 0x9C)
    package static let defaultDuration = ElementID(rawValue: 0x23_E383)
    package static let defaultDecodedFieldDuration = ElementID(rawValue: 0x23_4E7A)
    package static let trackTimestampScale = ElementID(rawValue: 0x23_314F)
    package static let maxBlockAdditionID = ElementID(rawValue: 0x55EE)
    package static let blockAdditionMapping = ElementID(rawValue: 0x41E4)
    package static let blockAddIDValue = ElementID(rawValue: 0x41F0)
    package static let blockAddIDName = ElementID(rawValue: 0x41A4)
    package static let blockAddIDType = ElementID(rawValue: 0x41E7)
    package static let blockAddIDExtraData = ElementID(rawValue: 0x41ED)
    package static let trackName = ElementID(rawValue: 0x536E)
    package static let language = ElementID(rawValue: 0x22_B59C)
    package static let languageBCP47 = ElementID(rawValue: 0x22_B59D)
    package static let codecID = ElementID(rawValue: 0x86)
    package static let codecPrivate = ElementID(rawValue: 0x63A2)
    package static let codecName = ElementID(rawValue: 0x25_8688)
    package static let codecDelay = ElementID(rawValue: 0x56AA)
    package static let seekPreRoll = ElementID(rawValue: 0x56BB)
    package static let trackOperation = ElementID(rawValue: 0xE2)

    // Video
    package static let video = ElementID(rawValue: 0xE0)
    package static let flagInterlaced = ElementID(rawValue: 0x9A)
    package static let fieldOrder = ElementID(rawValue: 0x9D)
    package static let stereoMode = ElementID(rawValue: 0x53B8)
    package static let alphaMode = ElementID(rawValue: 0x53C0)
    package static let pixelWidth = ElementID(rawValue: 0xB0)
    package static let pixelHeight = ElementID(rawValue: 0xBA)
    package static let pixelCropBottom = ElementID(rawValue: 0x54AA)
    package static let pixelCropTop = ElementID(rawValue: 0x54BB)
    package static let pixelCropLeft = ElementID(rawValue: 0x54CC)
    package static let pixelCropRight = ElementID(rawValue: 0x54DD)
    package static let displayWidth = ElementID(rawValue: 0x54B0)
    package static let displayHeight = ElementID(rawValue: 0x54BA)
    package static let displayUnit = ElementID(rawValue: 0x54B2)
    package static let uncompressedFourCC = ElementID(rawValue: 0x2E_B524)
    package static let colour = ElementID(rawValue: 0x55B0)
    package static let matrixCoefficients = ElementID(rawValue: 0x55B1)
    package static let bitsPerChannel = ElementID(rawValue: 0x55B2)
    package static let chromaSubsamplingHorz = ElementID(rawValue: 0x55B3)
    package static let chromaSubsamplingVert = ElementID(rawValue: 0x55B4)
    package static let cbSubsamplingHorz = ElementID(rawValue: 0x55B5)
    package static let cbSubsamplingVert = ElementID(rawValue: 0x55B6)
    package static let chromaSitingHorz = ElementID(rawValue: 0x55B7)
    package static let chromaSitingVert = ElementID(rawValue: 0x55B8)
    package static let range = ElementID(rawValue: 0x55B9)
    package static let transferCharacteristics = ElementID(rawValue: 0x55BA)
    package static let primaries = ElementID(rawValue: 0x55BB)
    package static let maxCLL = ElementID(rawValue: 0x55BC)
    package static let maxFALL = ElementID(rawValue: 0x55BD)
    package static let masteringMetadata = ElementID(rawValue: 0x55D0)
    package static let primaryRChromaticityX = ElementID(rawValue: 0x55D1)
    package static let primaryRChromaticityY = ElementID(rawValue: 0x55D2)
    package static let primaryGChromaticityX = ElementID(rawValue: 0x55D3)
    package static let primaryGChromaticityY = ElementID(rawValue: 0x55D4)
    package static let primaryBChromaticityX = ElementID(rawValue: 0x55D5)
    package static let primaryBChromaticityY = ElementID(rawValue: 0x55D6)
    package static let whitePointChromaticityX = ElementID(rawValue: 0x55D7)
    package static let whitePointChromaticityY = ElementID(rawValue: 0x55D8)
    package static let luminanceMax = ElementID(rawValue: 0x55D9)
    package static let luminanceMin = ElementID(rawValue: 0x55DA)
    package static let projection = ElementID(rawValue: 0x7670)
    package static let projectionType = ElementID(rawValue: 0x7671)
    package static let projectionPrivate = ElementID(rawValue: 0x7672)
    package static let projectionPoseYaw = ElementID(rawValue: 0x7673)
    package static let projectionPosePitch = ElementID(rawValue: 0x7674)
    package static let projectionPoseRoll = ElementID(rawValue: 0x7675)

    // Audio
    package static let audio = ElementID(rawValue: 0xE1)
    package static let samplingFrequency = ElementID(rawValue: 0xB5)
    package static let outputSamplingFrequency = ElementID(rawValue: 0x78B5)
    package static let channels = ElementID(rawValue: 0x9F)
    package static let bitDepth = ElementID(rawValue: 0x6264)
    package static let emphasis = ElementID(rawValue: 0x52F1)

    // ContentEncodings
    package static let contentEncodings = ElementID(rawValue: 0x6D80)
    package static let contentEncoding = ElementID(rawValue: 0x6240)
    package static let contentEncodingOrder = ElementID(rawValue: 0x5031)
    package static let contentEncodingScope = ElementID(rawValue: 0x5032)
    package static let contentEncodingType = ElementID(rawValue: 0x5033)
    package static let contentCompression = ElementID(rawValue: 0x5034)
    package static let contentCompAlgo = ElementID(rawValue: 0x4254)
    package static let contentCompSettings = ElementID(rawValue: 0x4255)
    package static let contentEncryption = ElementID(rawValue: 0x5035)
    package static let contentEncAlgo = ElementID(rawValue: 0x47E1)
    package static let contentEncKeyID = ElementID(rawValue: 0x47E2)

    // Cues
    package static let cues = ElementID(rawValue: 0x1C53_BB6B)
    package static let cuePoint = ElementID(rawValue: 0xBB)
    package static let cueTime = ElementID(rawValue: 0xB3)
    package static let cueTrackPositions = ElementID(rawValue: 0xB7)
    package static let cueTrack = ElementID(rawValue: 0xF7)
    package static let cueClusterPosition = ElementID(rawValue: 0xF1)
    package static let cueRelativePosition = ElementID(rawValue: 0xF0)
    package static let cueDuration = ElementID(rawValue: 0xB2)
    package static let cueBlockNumber = ElementID(rawValue: 0x5378)

    // Attachments
    package static let attachments = ElementID(rawValue: 0x1941_A469)
    package static let attachedFile = ElementID(rawValue: 0x61A7)
    package static let fileDescription = ElementID(rawValue: 0x467E)
    package static let fileName = ElementID(rawValue: 0x466E)
    package static let fileMediaType = ElementID(rawValue: 0x4660)
    package static let fileData = ElementID(rawValue: 0x465C)
    package static let fileUID = ElementID(rawValue: 0x46AE)

    // Chapters
    package static let chapters = ElementID(rawValue: 0x1043_A770)
    package static let editionEntry = ElementID(rawValue: 0x45B9)
    package static let editionUID = ElementID(rawValue: 0x45BC)
    package static let editionFlagHidden = ElementID(rawValue: 0x45BD)
    package static let editionFlagDefault = ElementID(rawValue: 0x45DB)
    package static let editionFlagOrdered = ElementID(rawValue: 0x45DD)
    package static let chapterAtom = ElementID(rawValue: 0xB6)
    package static let chapterUID = ElementID(rawValue: 0x73C4)
    package static let chapterTimeStart = ElementID(rawValue: 0x91)
    package static let chapterTimeEnd = ElementID(rawValue: 0x92)
    package static let chapterFlagHidden = ElementID(rawValue: 0x98)
    package static let chapterFlagEnabled = ElementID(rawValue: 0x4598)
    package static let chapterDisplay = ElementID(rawValue: 0x80)
    package static let chapString = ElementID(rawValue: 0x85)
    package static let chapLanguage = ElementID(rawValue: 0x437C)
    package static let chapLanguageBCP47 = ElementID(rawValue: 0x437D)

    // Tags
    package static let tags = ElementID(rawValue: 0x1254_C367)
    package static let tag = ElementID(rawValue: 0x7373)
    package static let targets = ElementID(rawValue: 0x63C0)
    package static let targetTypeValue = ElementID(rawValue: 0x68CA)
    package static let targetType = ElementID(rawValue: 0x63CA)
    package static let tagTrackUID = ElementID(rawValue: 0x63C5)
    package static let tagEditionUID = ElementID(rawValue: 0x63C9)
    package static let tagChapterUID = ElementID(rawValue: 0x63C4)
    package static let tagAttachmentUID = ElementID(rawValue: 0x63C6)
    package static let simpleTag = ElementID(rawValue: 0x67C8)
    package static let tagName = ElementID(rawValue: 0x45A3)
    package static let tagLanguage = ElementID(rawValue: 0x447A)
    package static let tagLanguageBCP47 = ElementID(rawValue: 0x447B)
    package static let tagDefault = ElementID(rawValue: 0x4484)
    package static let tagString = ElementID(rawValue: 0x4487)
    package static let tagBinary = ElementID(rawValue: 0x4485)
}
