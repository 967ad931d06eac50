/// What a track carries (RFC 9559 §5.1.4.1.3).
package enum TrackKind: Hashable, Sendable {
    case video, audio, complex, logo, subtitle, buttons, control, metadata
    case other(UInt64)

    init(_ value: UInt64) {
        switch value {
        case 1: self = .video
        case 2: self = .audio
        case 3: self = .complex
        case 16: self = .logo
        case 17: self = .subtitle
        case 18: self = .buttons
        case 32: self = .control
        case 33: self = .metadata
        default: self = .other(value)
        }
    }
}

/// A TrackEntry (RFC 9559 §5.1.4.1). What an element has no default for and the file does not say is `nil`.
package struct Track: Hashable, Sendable {
    /// The place of its data in the file.
    package var position: UInt64 = 0
    /// By which blocks name their track. Never 0.
    package var number: UInt64 = 0
    package var uid: UInt64 = 0
    package var kind = TrackKind.other(0)
    package var codecID = ""
    /// As it stands in the file: `encodings` with the scope of private data still apply (`FrameDecoder.codecPrivate`).
    package var codecPrivate: [UInt8]?
    package var codecName: String?

    package var isEnabled = true, isDefault = true, isForced = false, mayLace = true
    package var isHearingImpaired: Bool?, isVisualImpaired: Bool?, isTextDescriptions: Bool?, isOriginal: Bool?, isCommentary: Bool?

    package var name: String?
    /// The old element: an ISO 639-2 code, English when absent.
    package var language = "eng"
    package var languageBCP47: String?
    /// What holds: LanguageBCP47 replaces Language where both are (RFC 9559 §5.1.4.1.20).
    package var languageTag: String { languageBCP47 ?? language }

    /// Nanoseconds of a frame, and of a field for interlaced video. Never 0.
    package var defaultDuration: UInt64?, defaultDecodedFieldDuration: UInt64?
    /// Deprecated; 1 in every honest file (RFC 9559 §5.1.4.1.15). Above 0.
    package var timestampScale = 1.0
    /// Nanoseconds that decoding makes this track late, and that decoding must begin before a seek's target.
    package var codecDelay: UInt64 = 0, seekPreRoll: UInt64 = 0

    package var video: VideoSettings?
    package var audio: AudioSettings?
    /// In the order of decoding: the one applied last by the writer comes first.
    package var encodings: [ContentEncoding] = []
    package var blockAdditionMappings: [BlockAdditionMapping] = []
    package var maxBlockAdditionID: UInt64 = 0
    /// The track is put together of others (RFC 9559 §5.1.4.1.30); of which is not read.
    package var hasOperation = false

    /// Each is one pass over every frame; honest files have one.
    private static let maximumEncodings = 8
    /// There are fewer meanings registered.
    private static let maximumMappings = 64

    init(_ body: ElementBody) throws(MatroskaError) {
        position = body.position
        var children = body.children
        while let child = try children.next() {
            if try takeIdentity(child) { continue }
            if try takeFlag(child) { continue }
            try takeTimeOrSettings(child)
        }
        guard number > 0 else { throw body.error(.missing, "TrackNumber") }
        guard !codecID.isEmpty else { throw body.error(.missing, "CodecID") }
        encodings.sort { $0.order > $1.order }
    }

    private mutating func takeIdentity(_ child: ElementBody) throws(MatroskaError) -> Bool {
        switch child.id {
        case .trackNumber: number = try child.unsigned()
        case .trackUID: uid = try child.unsigned()
        case .trackType: kind = TrackKind(try child.unsigned())
        case .codecID: codecID = child.text
        case .codecPrivate: codecPrivate = Array(child.bytes)
        case .codecName: codecName = child.text
        case .trackName: name = child.text
        case .language: language = child.bytes.isEmpty ? "eng" : child.text
        case .languageBCP47: languageBCP47 = child.bytes.isEmpty ? nil : child.text
        default: return false
        }
        return true
    }

    private mutating func takeFlag(_ child: ElementBody) throws(MatroskaError) -> Bool {
        switch child.id {
        case .flagEnabled: isEnabled = try child.flag(true)
        case .flagDefault: isDefault = try child.flag(true)
        case .flagForced: isForced = try child.flag()
        case .flagLacing: mayLace = try child.flag(true)
        case .flagHearingImpaired: isHearingImpaired = try child.flag()
        case .flagVisualImpaired: isVisualImpaired = try child.flag()
        case .flagTextDescriptions: isTextDescriptions = try child.flag()
        case .flagOriginal: isOriginal = try child.flag()
        case .flagCommentary: isCommentary = try child.flag()
        default: return false
        }
        return true
    }

    private mutating func takeTimeOrSettings(_ child: ElementBody) throws(MatroskaError) {
        switch child.id {
        case .defaultDuration: defaultDuration = try child.unsigned().nilIfZero
        case .defaultDecodedFieldDuration: defaultDecodedFieldDuration = try child.unsigned().nilIfZero
        case .trackTimestampScale:
            let value = try child.float(1)
            timestampScale = value > 0 ? value : 1
        case .codecDelay: codecDelay = try child.unsigned()
        case .seekPreRoll: seekPreRoll = try child.unsigned()
        case .maxBlockAdditionID: maxBlockAdditionID = try child.unsigned()
        case .video: video = try VideoSettings(child)
        case .audio: audio = try AudioSettings(child)
        case .contentEncodings:
            var list = child.children
            while let entry = try list.next() {
                guard entry.id == .contentEncoding else { continue }
                guard encodings.count < Track.maximumEncodings else { throw entry.error(.tooMany) }
                encodings.append(try ContentEncoding(entry))
            }
        case .blockAdditionMapping:
            guard blockAdditionMappings.count < Track.maximumMappings else { throw child.error(.tooMany) }
            blockAdditionMappings.append(try BlockAdditionMapping(child))
        case .trackOperation: hasOperation = true
        default: break
        }
    }
}

extension UInt64 {
    /// For values that the standard wants "not 0", where some writers mean "unknown".
    var nilIfZero: UInt64? { self == 0 ? nil : self }
}
