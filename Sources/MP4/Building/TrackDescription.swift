/// What a track is, apart from its samples.
package struct TrackDescription: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case video, sound
        /// Text over the picture: `tx3g`, `wvtt`.
        case subtitles
        /// Text that is not shown: the titles of chapters.
        case chapters

        /// Handler of the media (ISO/IEC 14496-12 §12; `sbtl` is Apple's, which players expect with `tx3g`).
        var handler: FourCC {
            switch self {
            case .video: "vide"
            case .sound: "soun"
            case .subtitles: "sbtl"
            case .chapters: "text"
            }
        }

        var media: MediaKind {
            switch self {
            case .video: .video
            case .sound: .sound
            case .subtitles, .chapters: .other
            }
        }

        /// Tracks of one group are alternatives of each other.
        var alternateGroup: Int16 {
            switch self {
            case .video, .chapters: 0
            case .sound: 1
            case .subtitles: 2
            }
        }
    }

    /// From 1, each once.
    package var id: UInt32
    package var kind: Kind
    /// Ticks per second.
    package var timescale: UInt32
    package var entries: [SampleEntry]
    package var language = LanguageCode.undetermined
    /// A tag (BCP 47), where three letters do not say it.
    package var languageTag: String?
    /// For people.
    package var name: String
    /// Played unless the viewer chooses otherwise: the picture and one sound. Players do not show a disabled picture.
    package var isEnabled: Bool
    /// Width and height as shown, in pixels with a fraction of 16 bits: `UInt32(width) << 16`.
    package var displaySize: (width: UInt32, height: UInt32) {
        get { (width, height) }
        set { (width, height) = newValue }
    }
    private var width: UInt32 = 0, height: UInt32 = 0
    /// Nine values: rotation (`TransformationMatrix`).
    package var matrix = TransformationMatrix.unity
    package var alternateGroup: Int16
    /// Text tracks with the chapters' titles.
    package var chapterTracks: [UInt32] = []
    package var roles: [TrackKindBox] = []
    /// `roll` of every sample; not written in fragmented files.
    package var rollDistance: Int16?

    package init(id: UInt32, kind: Kind, timescale: UInt32, entries: [SampleEntry], name: String = "", isEnabled: Bool = true) {
        self.id = id
        self.kind = kind
        self.timescale = timescale
        self.entries = entries
        self.name = name
        self.isEnabled = isEnabled
        alternateGroup = kind.alternateGroup
        if case .visual(let entry)? = entries.first { displaySize = (UInt32(entry.width) << 16, UInt32(entry.height) << 16) }
    }

    /// - Parameters:
    ///   - duration: in ticks of the movie's timescale.
    ///   - mediaDuration: in ticks of the track's.
    func box(duration: UInt64, mediaDuration: UInt64, edits: [EditListBox.Edit], samples: SampleTableBox, created: UInt64) -> TrackBox {
        TrackBox(
            header: TrackHeaderBox(
                track: id, duration: duration, flags: isEnabled ? TrackHeaderBox.enabled : TrackHeaderBox.disabled, alternateGroup: alternateGroup,
                volume: kind == .sound ? 0x100 : 0, matrix: matrix, width: width, height: height, created: created),
            references: chapterTracks.isEmpty
                ? nil : TrackReferenceBox([TrackReferenceBox.Reference(kind: TrackReferenceBox.chapters, tracks: chapterTracks)]),
            edits: edits.isEmpty ? nil : EditListBox(edits),
            media: MediaBox(
                header: MediaHeaderBox(timescale: timescale, duration: mediaDuration, language: language, created: created),
                handler: HandlerBox(handler: kind.handler, name: name), language: languageTag.map { ExtendedLanguageBox($0) }, kind: kind.media,
                samples: samples),
            userData: roles.isEmpty ? nil : UserDataBox(kinds: roles))
    }

    /// What no file can have, told before anything is written.
    static func check(_ tracks: [TrackDescription], timescale: UInt32) throws(MP4Error) {
        func refused(_ index: Int, _ detail: String) -> MP4Error {
            MP4Error(code: .unrepresentable, path: "moov.trak[\(index)]", offset: 0, detail: detail)
        }
        guard timescale > 0 else { throw MP4Error(code: .unrepresentable, path: "moov.mvhd", offset: 0, detail: "timescale 0") }
        var ids: Set<UInt32> = []
        for (index, track) in tracks.enumerated() {
            guard track.id > 0, track.id < .max, ids.insert(track.id).inserted else { throw refused(index, "track number \(track.id)") }
            guard track.timescale > 0 else { throw refused(index, "timescale 0") }
            guard !track.entries.isEmpty else { throw refused(index, "no sample entry") }
        }
    }
}
