@testable import Matroska

/// A film with one of everything, a few hundred bytes long.
struct SampleFilm {
    var bytes: [UInt8] = []
    var segmentData = 0
    var cluster = 0
    var secondCluster = 0
    var cues = 0

    enum Track {
        static let video = EBML.master(
            .trackEntry, EBML.unsigned(.trackNumber, 1), EBML.unsigned(.trackUID, 11), EBML.unsigned(.trackType, 1),
            EBML.text(.codecID, "V_MPEGH/ISO/HEVC"), EBML.binary(.codecPrivate, [1, 2, 3]), EBML.unsigned(.defaultDuration, 40_000_000),
            EBML.master(
                .video, EBML.unsigned(.pixelWidth, 1920), EBML.unsigned(.pixelHeight, 1088), EBML.unsigned(.pixelCropBottom, 8),
                EBML.unsigned(.flagInterlaced, 2), EBML.master(.colour, EBML.unsigned(.primaries, 9))))
        static let audio = EBML.master(
            .trackEntry, EBML.unsigned(.trackNumber, 2), EBML.unsigned(.trackUID, 12), EBML.unsigned(.trackType, 2),
            EBML.text(.codecID, "A_AAC"), EBML.text(.language, "ger"),
            EBML.master(.audio, EBML.float(.samplingFrequency, 48000), EBML.unsigned(.channels, 2)))
        static let text = EBML.master(
            .trackEntry, EBML.unsigned(.trackNumber, 3), EBML.unsigned(.trackUID, 13), EBML.unsigned(.trackType, 17),
            EBML.text(.codecID, "S_TEXT/UTF8"), EBML.text(.languageBCP47, "pt-BR"), EBML.unsigned(.flagForced, 1))
    }

    static let firstCluster = EBML.master(
        .cluster, EBML.unsigned(.timestamp, 1000), EBML.unsigned(.prevSize, 9),
        EBML.simpleBlock(1, 0, key: true, Array("picture one".utf8)),
        EBML.simpleBlock(2, -3, key: true, flags: 0x02, [2, 3, 4] + Array("aaabbbbc".utf8)),
        EBML.master(
            .blockGroup, EBML.binary(.block, EBML.block(3, 20, Array("Hello".utf8))), EBML.unsigned(.blockDuration, 500)),
        EBML.simpleBlock(1, 40, Array("picture two".utf8)))

    static let laterCluster = EBML.open(
        .cluster, EBML.master(.void, [0, 0]), EBML.unsigned(.timestamp, 2000),
        EBML.master(
            .blockGroup,
            EBML.master(
                .blockAdditions,
                EBML.master(.blockMore, EBML.binary(.blockAdditional, [7, 7]), EBML.unsigned(.blockAddID, 4)),
                EBML.master(.blockMore, EBML.binary(.blockAdditional, [8]))),
            EBML.signed(.referenceBlock, -40, count: 1), EBML.binary(.block, EBML.block(1, 80, Array("picture three".utf8))),
            EBML.signed(.discardPadding, -5, count: 2)),
        EBML.simpleBlock(1, 120, key: true, flags: 0x09, Array("four".utf8)))

    init(checksum: Bool = true) {
        let info = EBML.master(
            .info, EBML.unsigned(.timestampScale, 1_000_000), EBML.float(.duration, 2160), EBML.signed(.dateUTC, 86_400_000_000_000),
            EBML.text(.title, "A film"), EBML.text(.muxingApp, "by hand"), checksum: checksum)
        let tracks = EBML.master(.tracks, Track.video, Track.audio, Track.text, checksum: checksum)
        let chapters = EBML.master(
            .chapters,
            EBML.master(
                .editionEntry, EBML.unsigned(.editionFlagDefault, 1),
                EBML.master(
                    .chapterAtom, EBML.unsigned(.chapterUID, 5), EBML.unsigned(.chapterTimeStart, 1_000_000_000),
                    EBML.master(.chapterDisplay, EBML.text(.chapString, "Start"), EBML.text(.chapLanguage, "ger")))))
        let attachments = EBML.master(
            .attachments,
            EBML.master(
                .attachedFile, EBML.text(.fileName, "cover.jpg"), EBML.text(.fileMediaType, "image/jpeg"), EBML.unsigned(.fileUID, 9),
                EBML.binary(.fileData, [0xFF, 0xD8, 0xFF])), checksum: checksum)
        let tags = EBML.master(
            .tags,
            EBML.master(
                .tag, EBML.master(.targets, EBML.unsigned(.tagTrackUID, 12)),
                EBML.master(.simpleTag, EBML.text(.tagName, "TITLE"), EBML.text(.tagString, "Sound"))), checksum: checksum)
        // Fixed lengths, so that places can be computed before they are written.
        func seekHead(_ entries: [(ElementID, Int)]) -> [UInt8] {
            EBML.master(
                .seekHead,
                Array(
                    entries.map { id, place in
                        EBML.master(.seek, EBML.binary(.seekID, EBML.id(id)), EBML.unsigned(.seekPosition, UInt64(place), count: 4))
                    }.joined()), checksum: checksum)
        }
        let seekLength = seekHead([(.info, 0), (.tracks, 0), (.cues, 0), (.tags, 0)]).count
        let head = EBML.void(5) + info + tracks + chapters + attachments
        cluster = seekLength + head.count
        secondCluster = cluster + SampleFilm.firstCluster.count
        cues = secondCluster + SampleFilm.laterCluster.count
        let index = EBML.master(
            .cues, SampleFilm.cue(1000, track: 1, cluster: cluster, relative: 7), SampleFilm.cue(2120, track: 1, cluster: secondCluster),
            checksum: checksum)
        let seek = seekHead([(.info, seekLength + 7), (.tracks, seekLength + 7 + info.count), (.cues, cues), (.tags, cues + index.count)])
        let data = seek + head + SampleFilm.firstCluster + SampleFilm.laterCluster + index + tags
        let start = EBML.header() + EBML.id(.segment) + EBML.size(UInt64(data.count), length: 8)
        segmentData = start.count
        bytes = start + data
        cluster += segmentData
        secondCluster += segmentData
        cues += segmentData
    }

    static func cue(_ time: UInt64, track: UInt64, cluster: Int, relative: UInt64? = nil) -> [UInt8] {
        EBML.master(
            .cuePoint, EBML.unsigned(.cueTime, time),
            EBML.master(
                .cueTrackPositions, EBML.unsigned(.cueTrack, track), EBML.unsigned(.cueClusterPosition, UInt64(cluster), count: 4),
                relative.map { EBML.unsigned(.cueRelativePosition, $0) } ?? []))
    }
}

/// A file of these elements in a Segment of known size.
func film(_ elements: [UInt8]..., docType: String = "matroska") -> [UInt8] {
    let data = Array(elements.joined())
    return EBML.header(docType) + EBML.id(.segment) + EBML.size(UInt64(data.count), length: 8) + data
}
