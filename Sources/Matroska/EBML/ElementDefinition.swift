/// What the standards say of an element: RFC 8794 §11.2 for the EBML header, RFC 9559 §5 for the Segment.
struct ElementDefinition: Sendable {
    /// RFC 8794 §7.
    enum Kind: Hashable, Sendable { case signed, unsigned, float, string, utf8, date, master, binary }

    let id: ElementID
    let name: String
    let kind: Kind
    /// 0 for the EBML header and the Segment; `nil` for elements that may stand anywhere. ChapterAtom and SimpleTag, which may
    /// stand inside themselves, have their outermost level.
    let level: Int?

    init(_ id: ElementID, _ name: String, _ kind: Kind, _ level: Int?) {
        self.id = id
        self.name = name
        self.kind = kind
        self.level = level
    }

    static func of(_ id: ElementID) -> ElementDefinition? { byID[id] }

    private static let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }

    /// Every element that is used here, in the order of the standard.
    static let all: [ElementDefinition] = [
        // EBML
        .init(.ebml, "EBML", .master, 0),
        .init(.ebmlVersion, "EBMLVersion", .unsigned, 1),
        .init(.ebmlReadVersion, "EBMLReadVersion", .unsigned, 1),
        .init(.ebmlMaxIDLength, "EBMLMaxIDLength", .unsigned, 1),
        .init(.ebmlMaxSizeLength, "EBMLMaxSizeLength", .unsigned, 1),
        .init(.docType, "DocType", .string, 1),
        .init(.docTypeVersion, "DocTypeVersion", .unsigned, 1),
        .init(.docTypeReadVersion, "DocTypeReadVersion", .unsigned, 1),

        // Anywhere
        .init(.crc32, "CRC-32", .binary, nil),
        .init(.void, "Void", .binary, nil),

        // Segment
        .init(.segment, "Segment", .master, 0),

        // SeekHead
        .init(.seekHead, "SeekHead", .master, 1),
        .init(.seek, "Seek", .master, 2),
        .init(.seekID, "SeekID", .binary, 3),
        .init(.seekPosition, "SeekPosition", .unsigned, 3),

        // Info
        .init(.info, "Info", .master, 1),
        .init(.segmentUUID, "SegmentUUID", .binary, 2),
        .init(.segmentFilename, "SegmentFilename", .utf8, 2),
        .init(.timestampScale, "TimestampScale", .unsigned, 2),
        .init(.duration, "Duration", .float, 2),
        .init(.dateUTC, "DateUTC", .date, 2),
        .init(.title, "Title", .utf8, 2),
        .init(.muxingApp, "MuxingApp", .utf8, 2),
        .init(.writingApp, "WritingApp", .utf8, 2),

        // Cluster
        .init(.cluster, "Cluster", .master, 1),
        .init(.timestamp, "Timestamp", .unsigned, 2),
        .init(.silentTracks, "SilentTracks", .master, 2),
        .init(.position, "Position", .unsigned, 2),
        .init(.prevSize, "PrevSize", .unsigned, 2),
        .init(.simpleBlock, "SimpleBlock", .binary, 2),
        .init(.blockGroup, "BlockGroup", .master, 2),
        .init(.block, "Block", .binary, 3),
        .init(.blockVirtual, "BlockVirtual", .binary, 3),
        .init(.blockAdditions, "BlockAdditions", .master, 3),
        .init(.blockMore, "BlockMore", .master, 4),
        .init(.blockAdditional, "BlockAdditional", .binary, 5),
        .init(.blockAddID, "BlockAddID", .unsigned, 5),
        .init(.blockDuration, "BlockDuration", .unsigned, 3),
        .init(.referencePriority, "ReferencePriority", .unsigned, 3),
        .init(.referenceBlock, "ReferenceBlock", .signed, 3),
        .init(.codecState, "CodecState", .binary, 3),
        .init(.discardPadding, "DiscardPadding", .signed, 3),
        .init(.slices, "Slices", .master, 3),
        .init(.encryptedBlock, "EncryptedBlock", .binary, 2),

        // Tracks
        .init(.tracks, "Tracks", .master, 1),
        .init(.trackEntry, "TrackEntry", .master, 2),
        .init(.trackNumber, "TrackNumber", .unsigned, 3),
        .init(.trackUID, "TrackUID", .unsigned, 3),
        .init(.trackType, "TrackType", .unsigned, 3),
        .init(.flagEnabled, "FlagEnabled", .unsigned, 3),
        .init(.flagDefault, "FlagDefault", .unsigned, 3),
        .init(.flagForced, "FlagForced", .unsigned, 3),
        .init(.flagHearingImpaired, "FlagHearingImpaired", .unsigned, 3),
        .init(.flagVisualImpaired, "FlagVisualImpaired", .unsigned, 3),
        .init(.flagTextDescriptions, "FlagTextDescriptions", .unsigned, 3),
        .init(.flagOriginal, "FlagOriginal", .unsigned, 3),
        .init(.flagCommentary, "FlagCommentary", .unsigned, 3),
        .init(.flagLacing, "FlagLacing", .unsigned, 3),
        .init(.defaultDuration, "DefaultDuration", .unsigned, 3),
        .init(.defaultDecodedFieldDuration, "DefaultDecodedFieldDuration", .unsigned, 3),
        .init(.trackTimestampScale, "TrackTimestampScale", .float, 3),
        .init(.maxBlockAdditionID, "MaxBlockAdditionID", .unsigned, 3),
        .init(.blockAdditionMapping, "BlockAdditionMapping", .master, 3),
        .init(.blockAddIDValue, "BlockAddIDValue", .unsigned, 4),
        .init(.blockAddIDName, "BlockAddIDName", .string, 4),
        .init(.blockAddIDType, "BlockAddIDType", .unsigned, 4),
        .init(.blockAddIDExtraData, "BlockAddIDExtraData", .binary, 4),
        .init(.trackName, "Name", .utf8, 3),
        .init(.language, "Language", .string, 3),
        .init(.languageBCP47, "LanguageBCP47", .string, 3),
        .init(.codecID, "CodecID", .string, 3),
        .init(.codecPrivate, "CodecPrivate", .binary, 3),
        .init(.codecName, "CodecName", .utf8, 3),
        .init(.codecDelay, "CodecDelay", .unsigned, 3),
        .init(.seekPreRoll, "SeekPreRoll", .unsigned, 3),
        .init(.trackOperation, "TrackOperation", .master, 3),

        // Video
        .init(.video, "Video", .master, 3),
        .init(.flagInterlaced, "FlagInterlaced", .unsigned, 4),
        .init(.fieldOrder, "FieldOrder", .unsigned, 4),
        .init(.stereoMode, "StereoMode", .unsigned, 4),
        .init(.alphaMode, "AlphaMode", .unsigned, 4),
        .init(.pixelWidth, "PixelWidth", .unsigned, 4),
        .init(.pixelHeight, "PixelHeight", .unsigned, 4),
        .init(.pixelCropBottom, "PixelCropBottom", .unsigned, 4),
        .init(.pixelCropTop, "PixelCropTop", .unsigned, 4),
        .init(.pixelCropLeft, "PixelCropLeft", .unsigned, 4),
        .init(.pixelCropRight, "PixelCropRight", .unsigned, 4),
        .init(.displayWidth, "DisplayWidth", .unsigned, 4),
        .init(.displayHeight, "DisplayHeight", .unsigned, 4),
        .init(.displayUnit, "DisplayUnit", .unsigned, 4),
        .init(.uncompressedFourCC, "UncompressedFourCC", .binary, 4),
        .init(.colour, "Colour", .master, 4),
        .init(.matrixCoefficients, "MatrixCoefficients", .unsigned, 5),
        .init(.bitsPerChannel, "BitsPerChannel", .unsigned, 5),
        .init(.chromaSubsamplingHorz, "ChromaSubsamplingHorz", .unsigned, 5),
        .init(.chromaSubsamplingVert, "ChromaSubsamplingVert", .unsigned, 5),
        .init(.cbSubsamplingHorz, "CbSubsamplingHorz", .unsigned, 5),
        .init(.cbSubsamplingVert, "CbSubsamplingVert", .unsigned, 5),
        .init(.chromaSitingHorz, "ChromaSitingHorz", .unsigned, 5),
        .init(.chromaSitingVert, "ChromaSitingVert", .unsigned, 5),
        .init(.range, "Range", .unsigned, 5),
        .init(.transferCharacteristics, "TransferCharacteristics", .unsigned, 5),
        .init(.primaries, "Primaries", .unsigned, 5),
        .init(.maxCLL, "MaxCLL", .unsigned, 5),
        .init(.maxFALL, "MaxFALL", .unsigned, 5),
        .init(.masteringMetadata, "MasteringMetadata", .master, 5),
        .init(.primaryRChromaticityX, "PrimaryRChromaticityX", .float, 6),
        .init(.primaryRChromaticityY, "PrimaryRChromaticityY", .float, 6),
        .init(.primaryGChromaticityX, "PrimaryGChromaticityX", .float, 6),
        .init(.primaryGChromaticityY, "PrimaryGChromaticityY", .float, 6),
        .init(.primaryBChromaticityX, "PrimaryBChromaticityX", .float, 6),
        .init(.primaryBChromaticityY, "PrimaryBChromaticityY", .float, 6),
        .init(.whitePointChromaticityX, "WhitePointChromaticityX", .float, 6),
        .init(.whitePointChromaticityY, "WhitePointChromaticityY", .float, 6),
        .init(.luminanceMax, "LuminanceMax", .float, 6),
        .init(.luminanceMin, "LuminanceMin", .float, 6),
        .init(.projection, "Projection", .master, 4),
        .init(.projectionType, "ProjectionType", .unsigned, 5),
        .init(.projectionPrivate, "ProjectionPrivate", .binary, 5),
        .init(.projectionPoseYaw, "ProjectionPoseYaw", .float, 5),
        .init(.projectionPosePitch, "ProjectionPosePitch", .float, 5),
        .init(.projectionPoseRoll, "ProjectionPoseRoll", .float, 5),

        // Audio
        .init(.audio, "Audio", .master, 3),
        .init(.samplingFrequency, "SamplingFrequency", .float, 4),
        .init(.outputSamplingFrequency, "OutputSamplingFrequency", .float, 4),
        .init(.channels, "Channels", .unsigned, 4),
        .init(.bitDepth, "BitDepth", .unsigned, 4),
        .init(.emphasis, "Emphasis", .unsigned, 4),

        // ContentEncodings
        .init(.contentEncodings, "ContentEncodings", .master, 3),
        .init(.contentEncoding, "ContentEncoding", .master, 4),
        .init(.contentEncodingOrder, "ContentEncodingOrder", .unsigned, 5),
        .init(.contentEncodingScope, "ContentEncodingScope", .unsigned, 5),
        .init(.contentEncodingType, "ContentEncodingType", .unsigned, 5),
        .init(.contentCompression, "ContentCompression", .master, 5),
        .init(.contentCompAlgo, "ContentCompAlgo", .unsigned, 6),
        .init(.contentCompSettings, "ContentCompSettings", .binary, 6),
        .init(.contentEncryption, "ContentEncryption", .master, 5),
        .init(.contentEncAlgo, "ContentEncAlgo", .unsigned, 6),
        .init(.contentEncKeyID, "ContentEncKeyID", .binary, 6),

        // Cues
        .init(.cues, "Cues", .master, 1),
        .init(.cuePoint, "CuePoint", .master, 2),
        .init(.cueTime, "CueTime", .unsigned, 3),
        .init(.cueTrackPositions, "CueTrackPositions", .master, 3),
        .init(.cueTrack, "CueTrack", .unsigned, 4),
        .init(.cueClusterPosition, "CueClusterPosition", .unsigned, 4),
        .init(.cueRelativePosition, "CueRelativePosition", .unsigned, 4),
        .init(.cueDuration, "CueDuration", .unsigned, 4),
        .init(.cueBlockNumber, "CueBlockNumber", .unsigned, 4),

        // Attachments
        .init(.attachments, "Attachments", .master, 1),
        .init(.attachedFile, "AttachedFile", .master, 2),
        .init(.fileDescription, "FileDescription", .utf8, 3),
        .init(.fileName, "FileName", .utf8, 3),
        .init(.fileMediaType, "FileMediaType", .string, 3),
        .init(.fileData, "FileData", .binary, 3),
        .init(.fileUID, "FileUID", .unsigned, 3),

        // Chapters
        .init(.chapters, "Chapters", .master, 1),
        .init(.editionEntry, "EditionEntry", .master, 2),
        .init(.editionUID, "EditionUID", .unsigned, 3),
        .init(.editionFlagHidden, "EditionFlagHidden", .unsigned, 3),
        .init(.editionFlagDefault, "EditionFlagDefault", .unsigned, 3),
        .init(.editionFlagOrdered, "EditionFlagOrdered", .unsigned, 3),
        .init(.chapterAtom, "ChapterAtom", .master, 3),
        .init(.chapterUID, "ChapterUID", .unsigned, 4),
        .init(.chapterTimeStart, "ChapterTimeStart", .unsigned, 4),
        .init(.chapterTimeEnd, "ChapterTimeEnd", .unsigned, 4),
        .init(.chapterFlagHidden, "ChapterFlagHidden", .unsigned, 4),
        .init(.chapterFlagEnabled, "ChapterFlagEnabled", .unsigned, 4),
        .init(.chapterDisplay, "ChapterDisplay", .master, 4),
        .init(.chapString, "ChapString", .utf8, 5),
        .init(.chapLanguage, "ChapLanguage", .string, 5),
        .init(.chapLanguageBCP47, "ChapLanguageBCP47", .string, 5),

        // Tags
        .init(.tags, "Tags", .master, 1),
        .init(.tag, "Tag", .master, 2),
        .init(.targets, "Targets", .master, 3),
        .init(.targetTypeValue, "TargetTypeValue", .unsigned, 4),
        .init(.targetType, "TargetType", .string, 4),
        .init(.tagTrackUID, "TagTrackUID", .unsigned, 4),
        .init(.tagEditionUID, "TagEditionUID", .unsigned, 4),
        .init(.tagChapterUID, "TagChapterUID", .unsigned, 4),
        .init(.tagAttachmentUID, "TagAttachmentUID", .unsigned, 4),
        .init(.simpleTag, "SimpleTag", .master, 3),
        .init(.tagName, "TagName", .utf8, 4),
        .init(.tagLanguage, "TagLanguage", .string, 4),
        .init(.tagLanguageBCP47, "TagLanguageBCP47", .string, 4),
        .init(.tagDefault, "TagDefault", .unsigned, 4),
        .init(.tagString, "TagString", .utf8, 4),
        .init(.tagBinary, "TagBinary", .binary, 4),
    ]
}
